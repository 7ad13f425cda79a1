using System.Net;
using System.Net.Sockets;

namespace Tracer.Measure;

/// <summary>UDP over the loopback interface.</summary>
internal sealed class UdpChannel : IMeasureChannel
{
    private const int PatienceMilliseconds = 1_000;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

    private UdpChannel() => _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));

    /// <summary>Makes two that are connected with each other.</summary>
    /// <exception cref="MeasureException">The system refuses.</exception>
    public static (IMeasureChannel First, IMeasureChannel Second) Pair()
    {
        try
        {
            var first = new UdpChannel();
            var second = new UdpChannel();
            first.Connect(second);
            second.Connect(first);
            return (first, second);
        }
        catch (SocketException refusal)
        {
            throw new MeasureException($"the system has no UDP on its loopback interface: {refusal.Message}", refusal);
        }
    }

    /// <inheritdoc/>
    public void Send(ReadOnlySpan<byte> datagram) => _socket.Send(datagram);

    /// <inheritdoc/>
    public int Receive(Span<byte> buffer)
    {
        int received = _socket.Receive(buffer, SocketFlags.None, out SocketError error);
        return error == SocketError.Success ? received : -1;
    }

    /// <inheritdoc/>
    public void Dispose() => _socket.Dispose();

    private void Connect(UdpChannel other)
    {
        _socket.Connect(other._socket.LocalEndPoint!);
        _socket.ReceiveTimeout = PatienceMilliseconds;
    }
}
