using System.Net;
using System.Net.Sockets;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Processes;

/// <summary>The process that answers: it sends back what a measurement sends it.</summary>
public static class PeerWork
{
    /// <summary>How the line begins that tells where it listens.</summary>
    public const string Ready = "listens on ";

    /// <summary>Answers until it is stopped. While it answers, nothing is allocated.</summary>
    /// <param name="here">Where it listens; port 0 for any.</param>
    /// <param name="cpu">The CPU that its thread is bound to; null for any.</param>
    /// <returns>What was set, restored by then.</returns>
    /// <exception cref="MeasureException">The system gives no such way.</exception>
    public static IReadOnlyList<MeasureSetting> Run(
        IMeasureMachine machine, IPEndPoint here, MeasurePriority priority, int? cpu, Action<IPEndPoint> isReady, CancellationToken stop)
    {
        ArgumentNullException.ThrowIfNull(machine);
        ArgumentNullException.ThrowIfNull(here);
        ArgumentNullException.ThrowIfNull(isReady);
        using var socket = new Socket(here.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            socket.Bind(here);
        }
        catch (SocketException refusal)
        {
            throw new MeasureException($"nothing can be received at {here}: {refusal.Message}", refusal);
        }

        var bound = (IPEndPoint)socket.LocalEndPoint!;
        IReadOnlyList<SettingState> process = machine.Prepare(new ProcessWish(LockMemory: true, TimerMilliseconds: 1, StaysAwake: false));
        IReadOnlyList<SettingState> thread;
        try
        {
            using CancellationTokenRegistration woken = stop.Register(() => Wake(bound));
            thread = machine.Run(new MeasureThread("answering thread", priority, cpu, () =>
            {
                isReady(bound);
                Answer(machine, socket, stop);
            }));
        }
        finally
        {
            machine.Restore();
        }

        return
        [
            .. process.Select(static one => one.ToReport() with { Name = one.Name + " of the other process" }),
            .. thread.Select(static one => one.ToReport()),
        ];
    }

    private static void Answer(IMeasureMachine machine, Socket socket, CancellationToken stop)
    {
        var time = new TickTime(machine.TicksPerSecond);
        byte[] buffer = new byte[PeerPacket.MostBytes];
        var from = new SocketAddress(socket.AddressFamily);
        while (!stop.IsCancellationRequested)
        {
            try
            {
                int length = socket.ReceiveFrom(buffer, SocketFlags.None, from);
                long received = time.ToNanoseconds(machine.Ticks);
                length = PeerPacket.Answer(buffer, length, received, time.ToNanoseconds(machine.Ticks));
                if (length > 0)
                {
                    socket.SendTo(buffer.AsSpan(0, length), SocketFlags.None, from);
                }
            }
            catch (SocketException)
            {
                // The other end is gone, or sent more than a datagram holds: the next one may be well.
            }
        }
    }

    /// <summary>The thread waits for a packet: an empty one ends that.</summary>
    private static void Wake(IPEndPoint bound)
    {
        IPAddress address = bound.Address.Equals(IPAddress.Any) ? IPAddress.Loopback
            : bound.Address.Equals(IPAddress.IPv6Any) ? IPAddress.IPv6Loopback : bound.Address;
        using var socket = new Socket(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        socket.SendTo([0], new IPEndPoint(address, bound.Port));
    }
}
