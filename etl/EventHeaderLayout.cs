using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>
/// Offsets, sizes and flags of the event headers (SYSTEM_TRACE_HEADER, PERFINFO_TRACE_HEADER and EVENT_TRACE_HEADER of ntwmi.h and
/// evntrace.h, EVENT_HEADER of evntcons.h): the one home of these numbers, for reading and for writing. All integers are
/// little-endian, all offsets count bytes from the start of the record.
/// </summary>
/// <remarks>
/// <code>
///  field        SYSTEM  COMPACT  PERFINFO  FULL   INSTANCE  EVENT_HEADER
///  version       0 u16    0        0        6      6         0x2A u8
///  kind          2 u8     2        2        2      2         2
///  flags         3 u8     3        3        3      3         3          0xC0
///  size          4 u16    4        4        0      0         0
///  opcode        6 u8     6        6        4      4         0x2D u8
///  group         7 u8     7        7        -      -         -
///  level         -        -        -        5 u8   5         0x2C u8
///  thread        8 u32    8        -        8      8         8
///  process      12 u32   12        -       12     12        12
///  time         16 i64   16        8       16     16        16
///  guid          -        -        -       24     24        24
///  CPU times    24        -        -       40     40        56
///  payload      32       24       16       48     72        80
/// </code>
/// </remarks>
internal static class EventHeaderLayout
{
    public const int VersionWord = 0;
    public const int KindByte = 2;
    public const int MarkerFlags = 3;

    /// <summary>Size word of the kinds with a version word first (SYSTEM, COMPACT, PERFINFO); of all others it is at 0.</summary>
    public const int SizeAfterVersion = 4;
    public const int HookOpcode = 6;
    public const int HookGroup = 7;
    public const int ThreadId = 8;
    public const int ProcessId = 12;
    public const int Time = 16;
    public const int PerfInfoTime = 8;
    public const int PerfInfoBytes = 16;

    /// <summary>Event class of FULL and INSTANCE, provider of EVENT_HEADER.</summary>
    public const int ClassGuid = 24;
    public const int SystemKernelTime = 24;

    public const int FullOpcode = 4;
    public const int FullLevel = 5;
    public const int FullVersion = 6;
    public const int FullKernelTime = 40;

    /// <summary>Instance id; the parent's follows it, and then the GUID of the parent's class.</summary>
    public const int InstanceId = 0x30;
    public const int InstanceParentGuid = 0x38;

    public const int EventFlags = 4;
    public const int EventProperty = 6;
    public const int EventId = 0x28;
    public const int EventVersion = 0x2A;
    public const int EventChannel = 0x2B;
    public const int EventLevel = 0x2C;
    public const int EventOpcode = 0x2D;
    public const int EventTask = 0x2E;
    public const int EventKeyword = 0x30;
    public const int EventKernelTime = 0x38;
    public const int EventActivityId = 0x40;

    /// <summary>The size of a record is 16 bits wide.</summary>
    public const int MaximumRecordBytes = ushort.MaxValue;

    /// <summary>Flag of EVENT_HEADER: extended data items stand before the payload.</summary>
    public const ushort ExtendedInfo = 1;

    /// <summary>Value of the marker byte of all kinds but MESSAGE.</summary>
    public const byte TraceHeaderMarker = 0xC0;

    /// <summary>Value of the marker byte of MESSAGE.</summary>
    public const byte MessageMarker = 0x90;

    /// <summary>
    /// Flags in the version word: a PEBS index, and 0 to 7 counters of 8 bytes each, stand before the payload (ntwmi.h).
    /// </summary>
    public const ushort PebsIndexFlag = 0x8000;
    public const ushort CounterCountMask = 0x0700;
    public const int CounterCountShift = 8;

    /// <summary>Bit k is set where a record of kind k starts with a version word: SYSTEM, COMPACT, PERFINFO.</summary>
    private const uint HookKinds = (1u << 1) | (1u << 2) | (1u << 3) | (1u << 4) | (1u << 16) | (1u << 17);

    /// <summary>Bit k + 2 is set where kind k has 8-byte pointers: an addend without a branch.</summary>
    private const uint WideKinds = (1u << 4) | (1u << 6) | (1u << 19) | (1u << 21) | (1u << 22) | (1u << 23);

    /// <summary>
    /// Bytes of a kind's header, without counters, extended items or what a message's flags add;
    /// 0 for the kinds whose layout is unknown.
    /// </summary>
    public static int HeaderBytes(EtlHeaderKind kind) => kind switch
    {
        EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64 => PerfInfoBytes,
        EtlHeaderKind.Compact32 or EtlHeaderKind.Compact64 => 24,
        EtlHeaderKind.System32 or EtlHeaderKind.System64 => 32,
        EtlHeaderKind.Full32 or EtlHeaderKind.Full64 => 48,
        EtlHeaderKind.Instance32 or EtlHeaderKind.Instance64 => 72,
        EtlHeaderKind.EventHeader32 or EtlHeaderKind.EventHeader64 => 80,
        EtlHeaderKind.Message => MessageHeaderLayout.FixedBytes,
        _ => 0,
    };

    /// <summary>Whether the record starts with a version word, so is a kernel event with a hook id.</summary>
    public static bool HasHookId(EtlHeaderKind kind) => ((HookKinds >> (int)kind) & 1) != 0;

    /// <summary>
    /// Width of the payload's pointers in bytes, which belongs to the event and not to the file; of a message its flags tell.
    /// </summary>
    public static int PointerBytes(EtlHeaderKind kind) => 4 + (int)((WideKinds >> (int)kind) & 4);

    /// <summary>The time stamp of the record that starts here, of which only the start need be there.</summary>
    /// <returns>Null where it has none, or is of no known kind.</returns>
    public static long? TimeOf(ReadOnlySpan<byte> start) =>
        TimeOffset(start) is >= 0 and int offset ? BinaryPrimitives.ReadInt64LittleEndian(start[offset..]) : null;

    /// <summary>Where in the record that starts here its time stamp stands; -1 where it has none, or is of no known kind.</summary>
    public static int TimeOffset(ReadOnlySpan<byte> start)
    {
        EtlHeaderKind kind = start.Length < 8 ? EtlHeaderKind.None : KindOf(start);
        int offset = kind switch
        {
            EtlHeaderKind.Message
                => new MessageHeaderLayout(BinaryPrimitives.ReadUInt16LittleEndian(start[MessageHeaderLayout.Flags..])).Time,
            EtlHeaderKind.PerfInfo32 or EtlHeaderKind.PerfInfo64 => PerfInfoTime,
            _ => HeaderBytes(kind) == 0 ? -1 : Time,
        };
        return offset + sizeof(long) > start.Length ? -1 : offset;
    }

    /// <summary>Where the size of a record of this kind stands.</summary>
    public static int SizeOffset(EtlHeaderKind kind) => HasHookId(kind) ? SizeAfterVersion : 0;

    /// <summary>Tells what kind of record starts here and how long it says it is.</summary>
    /// <param name="kind">The kind.</param>
    /// <param name="bytes">From the start of the record to the end of the buffer's data.</param>
    /// <param name="recordBytes">
    /// The record's size without the padding behind it: at least its header, at most <paramref name="bytes"/>.
    /// </param>
    /// <returns>False for filler, an unknown kind, or a size that cannot be.</returns>
    public static bool TryMeasure(ReadOnlySpan<byte> bytes, out EtlHeaderKind kind, out int recordBytes)
    {
        kind = EtlHeaderKind.None;
        recordBytes = 0;
        if (bytes.Length < 8)
        {
            return false;
        }

        kind = KindOf(bytes);
        recordBytes = BinaryPrimitives.ReadUInt16LittleEndian(bytes[SizeOffset(kind)..]);
        return kind != EtlHeaderKind.None && recordBytes >= Math.Max(8, HeaderBytes(kind)) && recordBytes <= bytes.Length;
    }

    /// <summary>
    /// Whether a record of a kind that is not known starts here and tells its size where the known kinds do. What stands behind it has to
    /// confirm that: another record, or the end of the data.
    /// </summary>
    /// <param name="bytes">From the start of the record to the end of the buffer's data.</param>
    /// <param name="recordBytes">Its size without the padding behind it.</param>
    public static bool TryPassUnknown(ReadOnlySpan<byte> bytes, out int recordBytes)
    {
        foreach (int at in (ReadOnlySpan<int>)[0, SizeAfterVersion])
        {
            recordBytes = bytes.Length < PerfInfoBytes ? 0 : BinaryPrimitives.ReadUInt16LittleEndian(bytes[at..]);
            if (recordBytes >= PerfInfoBytes && recordBytes <= bytes.Length
                && bytes[MarkerFlags] == TraceHeaderMarker && KindOf(bytes) == EtlHeaderKind.None
                && (BufferHeaderLayout.Aligned(recordBytes) >= bytes.Length
                    || TryMeasure(bytes[BufferHeaderLayout.Aligned(recordBytes)..], out _, out _)))
            {
                return true;
            }
        }

        recordBytes = 0;
        return false;
    }

    private static EtlHeaderKind KindOf(ReadOnlySpan<byte> bytes) => (bytes[MarkerFlags], bytes[KindByte]) switch
    {
        (TraceHeaderMarker, (>= 1 and <= 4) or (>= 10 and <= 14) or (>= 16 and <= 21)) => (EtlHeaderKind)bytes[KindByte],
        (MessageMarker, 0) => EtlHeaderKind.Message,
        _ => EtlHeaderKind.None,
    };
}
