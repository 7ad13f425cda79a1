using static Tracer.Etl.Kernel.KernelField;

namespace Tracer.Etl.Kernel;

/// <summary>Records of TCP and UDP, which are only shown.</summary>
/// <remarks>
/// Sources: the structures of ntwmi.h (phnt) that the rows name, and the classes TcpIp and UdpIp of the kernel trace's MOF (Microsoft
/// Learn). PID owns the connection, Size is in bytes; Start and End of a send are in a unit that is not public.
/// </remarks>
internal static class NetworkLayouts
{
    private static readonly KernelField[] DataV4 = [U32("PID"), U32("Size"), IPv4("Daddr"), IPv4("Saddr"), Port("Dport"), Port("Sport")];
    private static readonly KernelField[] DataV6 = [U32("PID"), U32("Size"), IPv6("Daddr"), IPv6("Saddr"), Port("Dport"), Port("Sport")];
    private static readonly KernelField[] Connection = [U32("Seq"), Pointer("Connid")];

    /// <summary>Data was sent over TCP, IPv4 (WMI_TCPIP_SEND_V4, MOF TcpIp_SendIPV4).</summary>
    public static KernelLayout TcpSendV4 { get; } = new([.. DataV4, U32("Start"), U32("End"), .. Connection]);

    /// <summary>Data was sent over TCP, IPv6 (WMI_TCPIP_SEND_V6, MOF TcpIp_SendIPV6).</summary>
    public static KernelLayout TcpSendV6 { get; } = new([.. DataV6, U32("Start"), U32("End"), .. Connection]);

    /// <summary>
    /// Data came in over TCP, a connection ended or was repeated, or a datagram went over UDP; IPv4 (WMI_TCPIP_V4, WMI_UDP_V4, MOF
    /// TcpIp_TypeGroup1, UdpIp_TypeGroup1).
    /// </summary>
    public static KernelLayout TransferV4 { get; } = new([.. DataV4, .. Connection]);

    /// <summary>Data came in over TCP, or a datagram went over UDP; IPv6 (WMI_TCPIP_V6, WMI_UDP_V6).</summary>
    public static KernelLayout TransferV6 { get; } = new([.. DataV6, .. Connection]);

    /// <summary>
    /// A TCP connection was made, IPv4 (MOF TcpIp_TypeGroup2): largest segment in bytes, whether selective acknowledgement, time stamps
    /// and window scaling are on, receive window in bytes, and the scaling of both windows.
    /// </summary>
    public static KernelLayout TcpConnectV4 { get; } = new([
        .. DataV4, U16("Mss"), U16("Sack"), U16("Ts"), U16("Ws"), U32("RcvWin"), U16("RcvScale"), U16("SndScale"), .. Connection]);

    /// <summary>A TCP operation failed (MOF TcpIp_Fail); the code is as the network stack numbers it.</summary>
    public static KernelLayout TcpFail { get; } = new(U16("Proto"), U16("Code"));
}
