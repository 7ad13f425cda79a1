using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Etl;

/// <summary>
/// One event, as a view over the bytes of its buffer: nothing is copied, header fields are read when asked for, and nothing is allocated.
/// Valid only while the reader stays on this event; keep what you need of it.
/// </summary>
/// <remarks>
/// Kinds of headers: <see cref="EtlHeaderKind"/>. The kind does not tell which event it is: real files have the same hook with several.
/// </remarks>
public readonly ref struct EtlEvent
{
    /// <summary>What <see cref="ThreadId"/> and <see cref="ProcessId"/> are where the header carries none (as TraceEvent's -1).</summary>
    public const uint NotInHeader = 0xFFFFFFFF;

    private const ushort NoHook = 0xFFFF;

    private readonly int _headerBytes;
    private readonly int _payloadOffset;

    /// <summary>Makes the view; <paramref name="payloadOffset"/> is within the record.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private EtlEvent(
        ReadOnlySpan<byte> record,
        EtlHeaderKind kind,
        ushort hookId,
        byte opcode,
        ushort version,
        int pointerBytes,
        int headerBytes,
        int payloadOffset,
        long timestampTicks,
        int cpu,
        long bufferOffset)
    {
        Record = record;
        Kind = kind;
        HookId = hookId;
        Opcode = opcode;
        Version = version;
        PointerBytes = pointerBytes;
        _headerBytes = headerBytes;
        _payloadOffset = payloadOffset;
        TimestampTicks = timestampTicks;
        Cpu = cpu;
        BufferOffset = bufferOffset;
    }

    /// <summary>The whole record, header to end of payload, without the padding behind it.</summary>
    public ReadOnlySpan<byte> Record { get; }

    /// <summary>The kind of its header.</summary>
    public EtlHeaderKind Kind { get; }

    /// <summary>Logical processor of the buffer it stands in; kernel events do not repeat it.</summary>
    public int Cpu { get; }

    /// <summary>File offset of the buffer it stands in, in bytes: to tell a person where to look.</summary>
    public long BufferOffset { get; }

    /// <summary>Time stamp in ticks of the file's clock; 0 for a WPP message without one. See <see cref="TraceClock"/>.</summary>
    public long TimestampTicks { get; }

    /// <summary>The event's own data.</summary>
    public ReadOnlySpan<byte> Payload => MemoryMarshal.CreateReadOnlySpan(
        ref Unsafe.Add(ref MemoryMarshal.GetReference(Record), _payloadOffset), Record.Length - _payloadOffset); // Was checked.

    /// <summary>
    /// Performance counters that stand before the payload of a kernel event, 8 bytes each, a PEBS index first where there is one.
    /// </summary>
    public ReadOnlySpan<byte> Counters => IsKernelHook ? Record[_headerBytes.._payloadOffset] : default;

    /// <summary>Extended data items of an EVENT_HEADER record; none for other kinds.</summary>
    public EtlExtendedItemEnumerator ExtendedItems => new(IsEventHeader ? Record[_headerBytes.._payloadOffset] : default);

    /// <summary>Width of the payload's pointers in bytes, 4 or 8. It belongs to the event: a 64-bit trace holds 32-bit ones.</summary>
    public int PointerBytes { get; }

    /// <summary>Whether the record names its event by a hook id (group and opcode) instead of a GUID.</summary>
    public bool IsKernelHook => EventHeaderLayout.HasHookId(Kind);

    /// <summary>Whether this is a manifest, TraceLogging or EventSource event.</summary>
    public bool IsEventHeader => Kind is EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64;

    /// <summary>Group of a kernel event; <see cref="KernelGroup.None"/> for what has no hook id.</summary>
    public KernelGroup Group => (KernelGroup)(HookId >> 8);

    /// <summary>Hook id of a kernel event: group in the high byte, opcode in the low (0x0F44 is a DPC); 0xFFFF for what has none.</summary>
    public ushort HookId { get; }

    /// <summary>Opcode (the low byte of the hook id); 0 for a message.</summary>
    public byte Opcode { get; }

    /// <summary>Version of the event's layout: the version is a minimum, newer ones append fields. 0 for a message.</summary>
    public ushort Version { get; }

    /// <summary>Thread that logged the event, not always its subject; <see cref="NotInHeader"/> where the header has none.</summary>
    public uint ThreadId => ThreadIdOffset is >= 0 and int offset ? UInt32(offset) : NotInHeader;

    /// <summary>Process that logged the event; <see cref="NotInHeader"/> where the header has none.</summary>
    public uint ProcessId => ThreadIdOffset is >= 0 and int offset ? UInt32(offset + 4) : NotInHeader;

    /// <summary>
    /// Who defined the event: the class of a kernel group or classic event, the provider of an EVENT_HEADER event, the message GUID of
    /// a WPP message; empty where the record has none.
    /// </summary>
    public Guid ProviderId => Kind switch
    {
        EtlHeaderKind.Message => Message.Guid is >= 0 and int offset ? GuidAt(offset) : Guid.Empty,
        _ => IsKernelHook ? Group.ClassId() : GuidAt(EventHeaderLayout.ClassGuid),
    };

    /// <summary>Event id of an EVENT_HEADER event, message number of a WPP message; 0 for other kinds.</summary>
    public ushort Id => Kind switch
    {
        EtlHeaderKind.Message => UInt16(MessageHeaderLayout.Number),
        _ => IsEventHeader ? UInt16(EventHeaderLayout.EventId) : (ushort)0,
    };

    /// <summary>Level: 0 always, 1 critical to 5 verbose; 0 where the header has none.</summary>
    public byte Level => Kind switch
    {
        EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 => Record[EventHeaderLayout.EventLevel],
        EtlHeaderKind.Full32 or EtlHeaderKind.Full64 or EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64
            => Record[EventHeaderLayout.FullLevel],
        _ => 0,
    };

    /// <summary>Channel of an EVENT_HEADER event (11 is TraceLogging); 0 for other kinds.</summary>
    public byte Channel => IsEventHeader ? Record[EventHeaderLayout.EventChannel] : (byte)0;

    /// <summary>Task of an EVENT_HEADER event; 0 for other kinds.</summary>
    public ushort Task => IsEventHeader ? UInt16(EventHeaderLayout.EventTask) : (ushort)0;

    /// <summary>Keywords of an EVENT_HEADER event; 0 for other kinds.</summary>
    public ulong Keyword => IsEventHeader ? BinaryPrimitives.ReadUInt64LittleEndian(Record[EventHeaderLayout.EventKeyword..]) : 0;

    /// <summary>Activity id of an EVENT_HEADER event; empty for other kinds.</summary>
    public Guid ActivityId => IsEventHeader ? GuidAt(EventHeaderLayout.EventActivityId) : Guid.Empty;

    /// <summary>
    /// Kernel-mode CPU time of the logging thread so far, in clock ticks of <see cref="EtlFileHeader.TimerResolution100ns"/>; 0
    /// where the header has none.
    /// </summary>
    public uint KernelTimeClockTicks => CpuTimesOffset is > 0 and int offset ? UInt32(offset) : 0;

    /// <summary>
    /// User-mode CPU time of the logging thread so far, in the unit of <see cref="KernelTimeClockTicks"/>; 0 where the header has
    /// none.
    /// </summary>
    public uint UserTimeClockTicks => CpuTimesOffset is > 0 and int offset ? UInt32(offset + 4) : 0;

    /// <summary>Whether the record has a time stamp: all have but a WPP message without the flag for it.</summary>
    internal bool HasTimestamp => Kind != EtlHeaderKind.Message || Message.Time >= 0;

    private MessageHeaderLayout Message => new(UInt16(MessageHeaderLayout.Flags));

    private int ThreadIdOffset => Kind switch
    {
        EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64 => -1,
        EtlHeaderKind.Message => Message.ThreadId,
        _ => EventHeaderLayout.ThreadId,
    };

    private int CpuTimesOffset => Kind switch
    {
        EtlHeaderKind.System32 or EtlHeaderKind.System64 => EventHeaderLayout.SystemKernelTime,
        EtlHeaderKind.Full32 or EtlHeaderKind.Full64 or EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64
            => EventHeaderLayout.FullKernelTime,
        EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 => EventHeaderLayout.EventKernelTime,
        _ => 0,
    };

    /// <summary>Reads the event that starts here. Nothing outside <paramref name="bytes"/> is read, whatever they hold.</summary>
    /// <param name="bytes">From the start of the record to the end of the buffer's data.</param>
    /// <param name="cpu">Logical processor of the buffer.</param>
    /// <param name="bufferOffset">File offset of the buffer in bytes.</param>
    /// <param name="value">The event.</param>
    /// <returns>False for filler, a kind without a known layout, or a record that is damaged.</returns>
    public static bool TryRead(ReadOnlySpan<byte> bytes, int cpu, long bufferOffset, out EtlEvent value)
    {
        value = default;
        if (!EventHeaderLayout.TryMeasure(bytes, out EtlHeaderKind kind, out int recordBytes)
            || EventHeaderLayout.HeaderBytes(kind) is not (> 0 and int headerBytes))
        {
            return false;
        }

        ReadOnlySpan<byte> record = bytes[..recordBytes];
        int payloadOffset = headerBytes;
        int timeOffset = EventHeaderLayout.Time;
        if (EventHeaderLayout.HasHookId(kind))
        {
            ushort versionWord = BinaryPrimitives.ReadUInt16LittleEndian(record);
            int counters = (versionWord & EventHeaderLayout.CounterCountMask) >> EventHeaderLayout.CounterCountShift;
            counters += (versionWord & EventHeaderLayout.PebsIndexFlag) != 0 ? 1 : 0;
            payloadOffset += 8 * counters;
            timeOffset = kind is EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64 ? EventHeaderLayout.PerfInfoTime : timeOffset;
        }
        else if (kind == EtlHeaderKind.Message)
        {
            var message = new MessageHeaderLayout(BinaryPrimitives.ReadUInt16LittleEndian(record[MessageHeaderLayout.Flags..]));
            payloadOffset = message.Payload;
            timeOffset = message.Time;
        }
        else if (kind is EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64
            && (BinaryPrimitives.ReadUInt16LittleEndian(record[EventHeaderLayout.EventFlags..]) & EventHeaderLayout.ExtendedInfo) != 0)
        {
            if (!EtlExtendedItemEnumerator.TryMeasure(record[headerBytes..], out int itemsBytes))
            {
                return false;
            }

            payloadOffset += itemsBytes;
        }

        if (payloadOffset > recordBytes)
        {
            return false;
        }

        long timestampTicks = timeOffset < 0 ? 0 : BinaryPrimitives.ReadInt64LittleEndian(record[timeOffset..]);
        ushort hookId = EventHeaderLayout.HasHookId(kind)
            ? BinaryPrimitives.ReadUInt16LittleEndian(record[EventHeaderLayout.HookOpcode..])
            : NoHook;
        value = new EtlEvent(
            record,
            kind,
            hookId,
            OpcodeOf(kind, record),
            VersionOf(kind, record),
            PointerBytesOf(kind, record),
            headerBytes,
            payloadOffset,
            timestampTicks,
            cpu,
            bufferOffset);
        return true;
    }

    /// <summary>
    /// Makes the view of a PERFINFO record without counters, which is what most of a kernel trace consists of, from its first 8 bytes,
    /// measured and checked by the caller.
    /// </summary>
    /// <param name="start">The record's first 8 bytes.</param>
    /// <param name="record">The record, at least 16 bytes.</param>
    /// <param name="timestampTicks">Its time stamp.</param>
    /// <param name="cpu">Logical processor of the buffer.</param>
    /// <param name="bufferOffset">File offset of the buffer in bytes.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static EtlEvent PerfInfo(ulong start, ReadOnlySpan<byte> record, long timestampTicks, int cpu, long bufferOffset) => new(
        record,
        (EtlHeaderKind)(byte)(start >> 16),
        (ushort)(start >> 48),
        (byte)(start >> 48),
        (byte)start,
        4 + ((int)(start >> 14) & 4), // The lowest bit of the kind.
        EventHeaderLayout.PerfInfoBytes,
        EventHeaderLayout.PerfInfoBytes,
        timestampTicks,
        cpu,
        bufferOffset);

    private static byte OpcodeOf(EtlHeaderKind kind, ReadOnlySpan<byte> record) => kind switch
    {
        EtlHeaderKind.Message => 0,
        EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 => record[EventHeaderLayout.EventOpcode],
        _ => record[EventHeaderLayout.HasHookId(kind) ? EventHeaderLayout.HookOpcode : EventHeaderLayout.FullOpcode],
    };

    private static ushort VersionOf(EtlHeaderKind kind, ReadOnlySpan<byte> record) => kind switch
    {
        EtlHeaderKind.Message => 0,
        EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 => record[EventHeaderLayout.EventVersion],
        _ when EventHeaderLayout.HasHookId(kind) => record[EventHeaderLayout.VersionWord],
        _ => BinaryPrimitives.ReadUInt16LittleEndian(record[EventHeaderLayout.FullVersion..]),
    };

    private static int PointerBytesOf(EtlHeaderKind kind, ReadOnlySpan<byte> record) => kind == EtlHeaderKind.Message
        ? new MessageHeaderLayout(BinaryPrimitives.ReadUInt16LittleEndian(record[MessageHeaderLayout.Flags..])).PointerBytes
        : EventHeaderLayout.PointerBytes(kind);

    private ushort UInt16(int offset) => BinaryPrimitives.ReadUInt16LittleEndian(Record[offset..]);

    private uint UInt32(int offset) => BinaryPrimitives.ReadUInt32LittleEndian(Record[offset..]);

    private Guid GuidAt(int offset) => new(Record.Slice(offset, 16));
}
