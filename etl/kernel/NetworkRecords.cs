using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Data was sent over TCP, IPv4.</summary>
/// <remarks>
/// Hook 0x060A. Source: kernel-events 10; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        PID
/// 4     4     u32        Size
/// 8     8     u8[4]      Daddr
/// 12    12    u8[4]      Saddr
/// 16    16    u16        Dport
/// 18    18    u16        Sport
/// 20    20    u32        Start
/// 24    24    u32        End
/// 28    28    u32        Seq
/// 32    32    ptr        Connid
/// </code>
/// </remarks>
public readonly ref struct TcpSendV4Record : IKernelRecord<TcpSendV4Record>
{
    private readonly RecordPayload _payload;

    private TcpSendV4Record(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Process that owns the connection.</summary>
    public uint PID => _payload.UInt32(0);

    /// <summary>Bytes of data.</summary>
    public uint Size => _payload.UInt32(4);

    /// <summary>Destination address, in network order.</summary>
    public ReadOnlySpan<byte> Daddr => _payload.Slice(8, 4);

    /// <summary>Source address, in network order.</summary>
    public ReadOnlySpan<byte> Saddr => _payload.Slice(12, 4);

    /// <summary>Destination port.</summary>
    public ushort Dport => _payload.UInt16BigEndian(16);

    /// <summary>Source port.</summary>
    public ushort Sport => _payload.UInt16BigEndian(18);

    /// <summary>When the send began, as the network stack gives it; its unit is not public.</summary>
    public uint Start => _payload.UInt32(20);

    /// <summary>When the send ended, in the same unit.</summary>
    public uint End => _payload.UInt32(24);

    /// <summary>Sequence number.</summary>
    public uint Seq => _payload.UInt32(28);

    /// <summary>Identifies the connection.</summary>
    public ulong Connid => _payload.Pointer(32);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TcpSendV4Record record)
    {
        record = new TcpSendV4Record(in traceEvent);
        return record._payload.Length >= record._payload.At(40, 36);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PID", FieldValue.Unsigned(PID));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("Daddr", FieldValue.IPv4(Daddr));
        fields.Field("Saddr", FieldValue.IPv4(Saddr));
        fields.Field("Dport", FieldValue.Port(Dport));
        fields.Field("Sport", FieldValue.Port(Sport));
        fields.Field("Start", FieldValue.Unsigned(Start));
        fields.Field("End", FieldValue.Unsigned(End));
        fields.Field("Seq", FieldValue.Unsigned(Seq));
        fields.Field("Connid", FieldValue.Pointer(Connid));
    }
}

/// <summary>Data was sent over TCP, IPv6.</summary>
/// <remarks>
/// Hook 0x061A. Source: kernel-events 10; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        PID
/// 4     4     u32        Size
/// 8     8     u8[16]     Daddr
/// 24    24    u8[16]     Saddr
/// 40    40    u16        Dport
/// 42    42    u16        Sport
/// 44    44    u32        Start
/// 48    48    u32        End
/// 52    52    u32        Seq
/// 56    56    ptr        Connid
/// </code>
/// </remarks>
public readonly ref struct TcpSendV6Record : IKernelRecord<TcpSendV6Record>
{
    private readonly RecordPayload _payload;

    private TcpSendV6Record(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Process that owns the connection.</summary>
    public uint PID => _payload.UInt32(0);

    /// <summary>Bytes of data.</summary>
    public uint Size => _payload.UInt32(4);

    /// <summary>Destination address, in network order.</summary>
    public ReadOnlySpan<byte> Daddr => _payload.Slice(8, 16);

    /// <summary>Source address, in network order.</summary>
    public ReadOnlySpan<byte> Saddr => _payload.Slice(24, 16);

    /// <summary>Destination port.</summary>
    public ushort Dport => _payload.UInt16BigEndian(40);

    /// <summary>Source port.</summary>
    public ushort Sport => _payload.UInt16BigEndian(42);

    /// <summary>When the send began, as the network stack gives it; its unit is not public.</summary>
    public uint Start => _payload.UInt32(44);

    /// <summary>When the send ended, in the same unit.</summary>
    public uint End => _payload.UInt32(48);

    /// <summary>Sequence number.</summary>
    public uint Seq => _payload.UInt32(52);

    /// <summary>Identifies the connection.</summary>
    public ulong Connid => _payload.Pointer(56);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TcpSendV6Record record)
    {
        record = new TcpSendV6Record(in traceEvent);
        return record._payload.Length >= record._payload.At(64, 60);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PID", FieldValue.Unsigned(PID));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("Daddr", FieldValue.IPv6(Daddr));
        fields.Field("Saddr", FieldValue.IPv6(Saddr));
        fields.Field("Dport", FieldValue.Port(Dport));
        fields.Field("Sport", FieldValue.Port(Sport));
        fields.Field("Start", FieldValue.Unsigned(Start));
        fields.Field("End", FieldValue.Unsigned(End));
        fields.Field("Seq", FieldValue.Unsigned(Seq));
        fields.Field("Connid", FieldValue.Pointer(Connid));
    }
}

/// <summary>Data came in over TCP, a connection ended or was repeated, or a datagram went over UDP; IPv4.</summary>
/// <remarks>
/// Hooks 0x060B receive, 0x060D disconnect, 0x060E retransmit, 0x0610 reconnect; 0x080A UDP send, 0x080B UDP receive. Source: kernel-events
/// 10; status V (retransmit and reconnect S).
/// <code>
/// @8    @4    type       field
/// 0     0     u32        PID
/// 4     4     u32        Size
/// 8     8     u8[4]      Daddr
/// 12    12    u8[4]      Saddr
/// 16    16    u16        Dport
/// 18    18    u16        Sport
/// 20    20    u32        Seq
/// 24    24    ptr        Connid
/// </code>
/// </remarks>
public readonly ref struct TransferV4Record : IKernelRecord<TransferV4Record>
{
    private readonly RecordPayload _payload;

    private TransferV4Record(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Process that owns the connection.</summary>
    public uint PID => _payload.UInt32(0);

    /// <summary>Bytes of data.</summary>
    public uint Size => _payload.UInt32(4);

    /// <summary>Destination address, in network order.</summary>
    public ReadOnlySpan<byte> Daddr => _payload.Slice(8, 4);

    /// <summary>Source address, in network order.</summary>
    public ReadOnlySpan<byte> Saddr => _payload.Slice(12, 4);

    /// <summary>Destination port.</summary>
    public ushort Dport => _payload.UInt16BigEndian(16);

    /// <summary>Source port.</summary>
    public ushort Sport => _payload.UInt16BigEndian(18);

    /// <summary>Sequence number.</summary>
    public uint Seq => _payload.UInt32(20);

    /// <summary>Identifies the connection.</summary>
    public ulong Connid => _payload.Pointer(24);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TransferV4Record record)
    {
        record = new TransferV4Record(in traceEvent);
        return record._payload.Length >= record._payload.At(32, 28);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PID", FieldValue.Unsigned(PID));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("Daddr", FieldValue.IPv4(Daddr));
        fields.Field("Saddr", FieldValue.IPv4(Saddr));
        fields.Field("Dport", FieldValue.Port(Dport));
        fields.Field("Sport", FieldValue.Port(Sport));
        fields.Field("Seq", FieldValue.Unsigned(Seq));
        fields.Field("Connid", FieldValue.Pointer(Connid));
    }
}

/// <summary>Data came in over TCP, or a datagram went over UDP; IPv6.</summary>
/// <remarks>
/// Hooks 0x061B receive; 0x081A UDP send, 0x081B UDP receive. Source: kernel-events 10; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        PID
/// 4     4     u32        Size
/// 8     8     u8[16]     Daddr
/// 24    24    u8[16]     Saddr
/// 40    40    u16        Dport
/// 42    42    u16        Sport
/// 44    44    u32        Seq
/// 48    48    ptr        Connid
/// </code>
/// </remarks>
public readonly ref struct TransferV6Record : IKernelRecord<TransferV6Record>
{
    private readonly RecordPayload _payload;

    private TransferV6Record(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Process that owns the connection.</summary>
    public uint PID => _payload.UInt32(0);

    /// <summary>Bytes of data.</summary>
    public uint Size => _payload.UInt32(4);

    /// <summary>Destination address, in network order.</summary>
    public ReadOnlySpan<byte> Daddr => _payload.Slice(8, 16);

    /// <summary>Source address, in network order.</summary>
    public ReadOnlySpan<byte> Saddr => _payload.Slice(24, 16);

    /// <summary>Destination port.</summary>
    public ushort Dport => _payload.UInt16BigEndian(40);

    /// <summary>Source port.</summary>
    public ushort Sport => _payload.UInt16BigEndian(42);

    /// <summary>Sequence number.</summary>
    public uint Seq => _payload.UInt32(44);

    /// <summary>Identifies the connection.</summary>
    public ulong Connid => _payload.Pointer(48);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TransferV6Record record)
    {
        record = new TransferV6Record(in traceEvent);
        return record._payload.Length >= record._payload.At(56, 52);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PID", FieldValue.Unsigned(PID));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("Daddr", FieldValue.IPv6(Daddr));
        fields.Field("Saddr", FieldValue.IPv6(Saddr));
        fields.Field("Dport", FieldValue.Port(Dport));
        fields.Field("Sport", FieldValue.Port(Sport));
        fields.Field("Seq", FieldValue.Unsigned(Seq));
        fields.Field("Connid", FieldValue.Pointer(Connid));
    }
}

/// <summary>A TCP connection was made, IPv4.</summary>
/// <remarks>
/// Hooks 0x060C connect, 0x060F accept. Source: kernel-events 10; status V (accept), S (connect).
/// <code>
/// @8    @4    type       field
/// 0     0     u32        PID
/// 4     4     u32        Size
/// 8     8     u8[4]      Daddr
/// 12    12    u8[4]      Saddr
/// 16    16    u16        Dport
/// 18    18    u16        Sport
/// 20    20    u16        Mss
/// 22    22    u16        Sack
/// 24    24    u16        Ts
/// 26    26    u16        Ws
/// 28    28    u32        RcvWin
/// 32    32    u16        RcvScale
/// 34    34    u16        SndScale
/// 36    36    u32        Seq
/// 40    40    ptr        Connid
/// </code>
/// </remarks>
public readonly ref struct TcpConnectV4Record : IKernelRecord<TcpConnectV4Record>
{
    private readonly RecordPayload _payload;

    private TcpConnectV4Record(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Process that owns the connection.</summary>
    public uint PID => _payload.UInt32(0);

    /// <summary>Bytes of data.</summary>
    public uint Size => _payload.UInt32(4);

    /// <summary>Destination address, in network order.</summary>
    public ReadOnlySpan<byte> Daddr => _payload.Slice(8, 4);

    /// <summary>Source address, in network order.</summary>
    public ReadOnlySpan<byte> Saddr => _payload.Slice(12, 4);

    /// <summary>Destination port.</summary>
    public ushort Dport => _payload.UInt16BigEndian(16);

    /// <summary>Source port.</summary>
    public ushort Sport => _payload.UInt16BigEndian(18);

    /// <summary>Largest segment in bytes.</summary>
    public ushort Mss => _payload.UInt16(20);

    /// <summary>Whether selective acknowledgement is on.</summary>
    public ushort Sack => _payload.UInt16(22);

    /// <summary>Whether time stamps are on.</summary>
    public ushort Ts => _payload.UInt16(24);

    /// <summary>Whether window scaling is on.</summary>
    public ushort Ws => _payload.UInt16(26);

    /// <summary>Receive window in bytes.</summary>
    public uint RcvWin => _payload.UInt32(28);

    /// <summary>Scaling of the receive window.</summary>
    public ushort RcvScale => _payload.UInt16(32);

    /// <summary>Scaling of the send window.</summary>
    public ushort SndScale => _payload.UInt16(34);

    /// <summary>Sequence number.</summary>
    public uint Seq => _payload.UInt32(36);

    /// <summary>Identifies the connection.</summary>
    public ulong Connid => _payload.Pointer(40);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TcpConnectV4Record record)
    {
        record = new TcpConnectV4Record(in traceEvent);
        return record._payload.Length >= record._payload.At(48, 44);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("PID", FieldValue.Unsigned(PID));
        fields.Field("Size", FieldValue.Unsigned(Size));
        fields.Field("Daddr", FieldValue.IPv4(Daddr));
        fields.Field("Saddr", FieldValue.IPv4(Saddr));
        fields.Field("Dport", FieldValue.Port(Dport));
        fields.Field("Sport", FieldValue.Port(Sport));
        fields.Field("Mss", FieldValue.Unsigned(Mss));
        fields.Field("Sack", FieldValue.Unsigned(Sack));
        fields.Field("Ts", FieldValue.Unsigned(Ts));
        fields.Field("Ws", FieldValue.Unsigned(Ws));
        fields.Field("RcvWin", FieldValue.Unsigned(RcvWin));
        fields.Field("RcvScale", FieldValue.Unsigned(RcvScale));
        fields.Field("SndScale", FieldValue.Unsigned(SndScale));
        fields.Field("Seq", FieldValue.Unsigned(Seq));
        fields.Field("Connid", FieldValue.Pointer(Connid));
    }
}

/// <summary>A TCP operation failed.</summary>
/// <remarks>
/// Hook 0x0611. Source: kernel-events 10; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u16        Proto
/// 2     2     u16        Code
/// </code>
/// </remarks>
public readonly ref struct TcpFailRecord : IKernelRecord<TcpFailRecord>
{
    private readonly RecordPayload _payload;

    private TcpFailRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Protocol.</summary>
    public ushort Proto => _payload.UInt16(0);

    /// <summary>Why, as the network stack numbers it.</summary>
    public ushort Code => _payload.UInt16(2);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TcpFailRecord record)
    {
        record = new TcpFailRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Proto", FieldValue.Unsigned(Proto));
        fields.Field("Code", FieldValue.Unsigned(Code));
    }
}
