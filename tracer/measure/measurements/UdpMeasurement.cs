using Tracer.Measure.Ground;
using Tracer.Measure.Processes;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Measurements;

/// <summary>
/// <c>udp</c>: what the network stack takes from one process to another over the loopback interface or a network, and what sending takes
/// (after Bernadat, section 9, Tables 13 and 14). Bernadat's driver that plays a network card is left out: it would be a driver of ours in
/// the path of every packet of the machine. The other process answers each packet with when it had it and when the answer went; where its
/// counter is another machine's, half of what the two trips took together counts for each.
/// </summary>
public sealed class UdpMeasurement(Duration interval) : IMeasurement
{
    private readonly TimeSeries _receive = new("receive", "from before a packet is sent until the other process has it");
    private readonly TimeSeries _send = new("send", "the call that sends a packet");
    private long _lost;
    private bool _isElsewhere;

    public string Name => "udp";

    public void Run(MeasureStage stage)
    {
        ArgumentNullException.ThrowIfNull(stage);
        IMeasurePeer peer = stage.Machine.OpenPeer(new PeerWish(stage.Request.Priority, null, stage.Request.Peer));
        _isElsewhere = !peer.SharesClock;
        byte[] packet = new byte[PeerPacket.LeastBytes];
        byte[] answer = new byte[PeerPacket.StampedBytes];
        stage.Run(new MeasureThread("sending thread", stage.Request.Priority, stage.Request.Cpu, () => Measure(
            stage, peer, packet, answer)));
    }

    public MeasureResult ToResult() => new(
        $"{Counted.Of(_receive.Count, "packet")} {(_isElsewhere ? "to another machine" : "over the loopback interface")}: "
        + $"{ReadableDuration.Of(new Duration(_receive.Mean))} from process "
        + $"to process on average, {ReadableDuration.Of(new Duration(_receive.Maximum))} at most.")
    {
        Figures = [new("lost packets", _lost, "", "sent, and not answered for a second")],
        Series = [_receive.ToReport(), _send.ToReport()],
        Notes =
        [
            _isElsewhere
                ? "The clocks of two machines can't be compared: each value is half of the way there and back, without the time in the "
                    + "other process."
                : "The loopback interface has no network card: its driver, interrupts and DPCs are not measured.",
        ],
    };

    private void Measure(MeasureStage stage, IMeasurePeer peer, byte[] packet, byte[] answer)
    {
        IMeasureMachine machine = stage.Machine;
        long begun = machine.Ticks;
        long end = begun + stage.Length;
        long now = begun;
        for (long number = 0; now < end && !stage.Stop.IsCancellationRequested; number++)
        {
            machine.Sleep(interval.Nanoseconds);
            PeerPacket.Ask(packet, number, wantsStamps: true);
            long before = machine.Ticks;
            peer.Send(packet);
            long sent = machine.Ticks;
            bool isThere = PeerPacket.Await(peer, answer, number) == PeerPacket.StampedBytes;
            now = machine.Ticks;
            if (now < before)
            {
                stage.NoteBackward();
            }

            long at = stage.Time.ToNanoseconds(before - begun);
            _send.Record(at, stage.Time.ToNanoseconds(sent - before));
            if (isThere)
            {
                (long received, long answered) = PeerPacket.Stamps(answer);
                _receive.Record(at, _isElsewhere
                    ? (stage.Time.ToNanoseconds(now - before) - (answered - received)) / 2
                    : received - stage.Time.ToNanoseconds(before));
            }
            else
            {
                _lost++;
            }
        }
    }
}
