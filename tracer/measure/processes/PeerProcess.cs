using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Tracer.Measure.Ground;

namespace Tracer.Measure.Processes;

/// <summary>
/// Who answers over UDP: this program once more in a process of its own, or one that runs elsewhere.
/// </summary>
internal sealed class PeerProcess : IMeasurePeer, IDisposable
{
    private const int PatienceMilliseconds = 1_000;
    private const int Greetings = 3;

    private readonly Socket _socket;
    private readonly HelperProcess? _process;

    private PeerProcess(IPEndPoint there, HelperProcess? process)
    {
        _process = process;
        _socket = new Socket(there.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        _socket.Connect(there);
        _socket.ReceiveTimeout = PatienceMilliseconds;
    }

    public bool SharesClock => _process is not null;

    /// <summary>Starts one, or finds the one that runs elsewhere.</summary>
    /// <exception cref="MeasureException">It can't be started, or does not answer.</exception>
    public static PeerProcess Open(PeerWish wish)
    {
        if (wish.Elsewhere is not null)
        {
            return Found(wish.Elsewhere);
        }

        var process = HelperProcess.Start(
            "the process that answers", PeerWork.Ready,
            [
                "peer", "--priority", KebabCase.Of(wish.Priority),
                .. wish.Cpu is { } cpu ? ["--cpu", cpu.ToString(CultureInfo.InvariantCulture)] : Array.Empty<string>(),
            ]);
        try
        {
            return new PeerProcess(IPEndPoint.Parse(process.FirstLine[PeerWork.Ready.Length..]), process);
        }
        catch (Exception refusal) when (refusal is SocketException or FormatException)
        {
            process.Dispose();
            throw new MeasureException($"the system has no UDP on its loopback interface: {refusal.Message}", refusal);
        }
    }

    public void Send(ReadOnlySpan<byte> datagram) => _ = _socket.Send(datagram, SocketFlags.None, out _);

    public int Receive(Span<byte> buffer)
    {
        int received = _socket.Receive(buffer, SocketFlags.None, out SocketError error);
        return error == SocketError.Success ? received : -1;
    }

    /// <returns>What it had set, restored by then.</returns>
    /// <exception cref="MeasureException">It had ended before.</exception>
    public IReadOnlyList<MeasureSetting> Finish()
    {
        if (_process is null)
        {
            return [];
        }

        _process.MustWork();
        try
        {
            return [.. _process.Finish().Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Select(static line => MeasureSetting.Read(Encoding.UTF8.GetBytes(line)))];
        }
        catch (JsonException cut)
        {
            throw new MeasureException("the process that answers ended before it had told its settings: measure again", cut);
        }
    }

    public void Dispose()
    {
        _socket.Dispose();
        _process?.Dispose();
    }

    private static PeerProcess Found(string elsewhere)
    {
        PeerProcess peer;
        try
        {
            int colon = elsewhere.LastIndexOf(':');
            int port = int.Parse(elsewhere.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture);
            IPAddress[] addresses = Dns.GetHostAddresses(elsewhere[..colon].Trim('[', ']'));
            peer = new PeerProcess(new IPEndPoint(addresses[0], port), null);
        }
        catch (SocketException refusal)
        {
            throw new MeasureException($"--peer: {elsewhere} is not reached: {refusal.Message}", refusal);
        }

        Span<byte> packet = stackalloc byte[PeerPacket.StampedBytes];
        for (int greeting = 0; greeting < Greetings; greeting++)
        {
            PeerPacket.Ask(packet, -1, wantsStamps: true);
            peer.Send(packet);
            if (PeerPacket.Await(peer, packet, -1) == PeerPacket.StampedBytes)
            {
                return peer;
            }
        }

        peer.Dispose();
        throw new MeasureException($"--peer: nothing answers at {elsewhere}: start 'tracer measure peer --listen ADDRESS:PORT' there");
    }
}
