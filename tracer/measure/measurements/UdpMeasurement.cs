using System.Buffers.Binary;
using Tracer.Contract;

namespace Tracer.Measure;

/// <summary>
/// <c>udp</c>: what the network stack takes from one thread to another over the loopback interface, and what sending takes (after Bernadat,
/// section 9, Tables 13 and 14). Bernadat's driver that plays a network card is left out: it would be a driver of ours in the path of every
/// packet of the machine.
/// </summary>
/// <param name="interval">From one packet to the next.</param>
public sealed class UdpMeasurement(Duration interval) : IMeasurement
{
    /// <summary>Bernadat's packets have 54 bytes, 12 of them data: a time stamp and a number.</summary>
    private const int PacketBytes = 12;

    private readonly TimeSeries _receive = new("receive", "from before a packet is sent until the receiving thread has it");
    private readonly TimeSeries _send = new("send", "the call that sends a packet");
    private long _sent;

    /// <inheritdoc/>
    public string Name => "udp";

    /// <inheritdoc/>
    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        IMeasureMachine machine = stage.Machine;
        (IMeasureChannel sender, IMeasureChannel receiver) = machine.CreateChannels();
        using (sender)
        using (receiver)
        {
            byte[] outgoing = new byte[PacketBytes];
            byte[] incoming = new byte[PacketBytes];
            long begun = machine.Ticks;
            stage.Run(
                new MeasureThread("receiving thread", stage.Request.Priority, stage.Request.Cpu, () =>
                {
                    // An empty packet is the last; where it is lost, a second without any.
                    while (receiver.Receive(incoming) == PacketBytes)
                    {
                        long now = machine.Ticks;
                        long from = BinaryPrimitives.ReadInt64LittleEndian(incoming);
                        _receive.Record(stage.Time.ToNanoseconds(now - begun), stage.Time.ToNanoseconds(now - from));
                    }
                }),
                new MeasureThread("sending thread", stage.Request.Priority, stage.Request.Cpu, () => Send(stage, sender, outgoing, begun)));
        }
    }

    /// <inheritdoc/>
    public MeasureResult ToResult() => new(
        $"{Counted.Of(_receive.Count, "packet")} over the loopback interface: "
        + $"{ReadableDuration.Of(new Duration(_receive.Mean))} from thread "
        + $"to thread on average, {ReadableDuration.Of(new Duration(_receive.Maximum))} at most.")
    {
        Figures = [new("lost packets", _sent - _receive.Count, "", "sent and not received")],
        Series = [_receive.ToReport(), _send.ToReport()],
        Notes = ["The loopback interface has no network card: its driver, interrupts and DPCs are not measured."],
    };

    private void Send(MeasureStage stage, IMeasureChannel channel, byte[] packet, long begun)
    {
        IMeasureMachine machine = stage.Machine;
        long end = begun + stage.Length;
        long now = begun;
        while (now < end && !stage.Stop.IsCancellationRequested)
        {
            machine.Sleep(interval.Nanoseconds);
            long before = machine.Ticks;
            BinaryPrimitives.WriteInt64LittleEndian(packet, before);
            BinaryPrimitives.WriteInt32LittleEndian(packet.AsSpan(sizeof(long)), (int)_sent);
            channel.Send(packet);
            now = machine.Ticks;
            _send.Record(stage.Time.ToNanoseconds(before - begun), stage.Time.ToNanoseconds(now - before));
            _sent++;
        }

        channel.Send([]);
    }
}
