using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Names of the performance counters that a session samples.</summary>
/// <remarks>
/// Hook 0x0F30. Source: kernel-events 4; status B.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        CounterCount
/// 4     4     wz[n]      CounterNames
/// </code>
/// </remarks>
public readonly ref struct PmcConfigRecord : IKernelRecord<PmcConfigRecord>
{
    private readonly RecordPayload _payload;

    private PmcConfigRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>How many counters the record announces; names that the payload has no room for are empty.</summary>
    public uint CounterCount => _payload.UInt32(0);

    /// <summary>Name of a counter, UTF-16.</summary>
    /// <param name="index">Its place in the record.</param>
    public ReadOnlySpan<byte> CounterName(int index) => _payload.Utf16Nth(4, index);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PmcConfigRecord record)
    {
        record = new PmcConfigRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("CounterNames");
        int offset = 4;
        for (uint i = 0; i < CounterCount && offset < _payload.Length; i++)
        {
            fields.Field("", FieldValue.Utf16Text(_payload.Utf16(offset, out offset)));
        }

        fields.EndArray();
    }
}

/// <summary>Performance counters of a processor that somebody else changed.</summary>
/// <remarks>
/// Hook 0x0F31. Source: kernel-events 4; status B.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessorNumber
/// 4     4     u32        Count
/// 8     8     {u32 ProfileSource, u64 LastGoodTime}[n]
/// </code>
/// </remarks>
public readonly ref struct PmcCorruptionRecord : IKernelRecord<PmcCorruptionRecord>
{
    private const int ArrayOffset = 8;
    private const int EntryBytes = 12;

    private readonly RecordPayload _payload;

    private PmcCorruptionRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Processor whose counters were changed.</summary>
    public uint ProcessorNumber => _payload.UInt32(0);

    /// <summary>How many counters are listed; never more than the payload holds.</summary>
    public int Count => _payload.CountAt(_payload.UInt32(4), ArrayOffset, EntryBytes);

    /// <summary>Number of a counter.</summary>
    /// <param name="index">0 to <see cref="Count"/> - 1.</param>
    public uint ProfileSource(int index) => _payload.UInt32(ArrayOffset + (EntryBytes * index));

    /// <summary>When a counter was last seen in order, raw.</summary>
    /// <param name="index">0 to <see cref="Count"/> - 1.</param>
    public long LastGoodTime(int index) => _payload.Int64(ArrayOffset + (EntryBytes * index) + 4);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PmcCorruptionRecord record)
    {
        record = new PmcCorruptionRecord(in traceEvent);
        return record._payload.Length >= ArrayOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessorNumber", FieldValue.Unsigned(ProcessorNumber));
        fields.BeginArray("Counters");
        for (int i = 0; i < Count; i++)
        {
            fields.BeginStruct("");
            fields.Field("ProfileSource", FieldValue.Unsigned(ProfileSource(i)));
            fields.Field("LastGoodTime", FieldValue.Ticks(LastGoodTime(i)));
            fields.EndStruct();
        }

        fields.EndArray();
    }
}

/// <summary>Samples that the kernel put aside and logs together; at most twenty.</summary>
/// <remarks>
/// Hook 0x0F37. Source: kernel-events 4; status S. Entries are as <see cref="SampledProfileRecord"/> of version 2.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        Entries
/// 4     4     {ptr InstructionPointer, u32 ThreadId, u16 Count, u8 Flags, u8 Rank}[n]
/// </code>
/// </remarks>
public readonly ref struct SampleCacheRecord : IKernelRecord<SampleCacheRecord>
{
    private readonly RecordPayload _payload;

    private SampleCacheRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>How many samples there are; never more than the payload holds.</summary>
    public int Entries => _payload.CountAt(_payload.UInt32(0), 4, EntryBytes);

    private int EntryBytes => _payload.At(16, 12);

    /// <summary>Address of an interrupted instruction.</summary>
    /// <param name="index">0 to <see cref="Entries"/> - 1.</param>
    public ulong InstructionPointer(int index) => _payload.Pointer(Entry(index));

    /// <summary>An interrupted thread.</summary>
    /// <param name="index">0 to <see cref="Entries"/> - 1.</param>
    public uint ThreadId(int index) => _payload.UInt32(Entry(index) + _payload.PointerBytes);

    /// <summary>Samples that an entry stands for.</summary>
    /// <param name="index">0 to <see cref="Entries"/> - 1.</param>
    public ushort Count(int index) => _payload.UInt16(Entry(index) + _payload.At(12, 8));

    /// <summary>Flags of an entry, as <see cref="SampledProfileRecord.Flags"/>.</summary>
    /// <param name="index">0 to <see cref="Entries"/> - 1.</param>
    public byte Flags(int index) => _payload.UInt8(Entry(index) + _payload.At(14, 10));

    /// <summary>Rank of the thread of an entry.</summary>
    /// <param name="index">0 to <see cref="Entries"/> - 1.</param>
    public byte Rank(int index) => _payload.UInt8(Entry(index) + _payload.At(15, 11));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SampleCacheRecord record)
    {
        record = new SampleCacheRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("Samples");
        for (int i = 0; i < Entries; i++)
        {
            fields.BeginStruct("");
            fields.Field("InstructionPointer", FieldValue.CodePointer(InstructionPointer(i)));
            fields.Field("ThreadId", FieldValue.Unsigned(ThreadId(i)));
            fields.Field("Count", FieldValue.Unsigned(Count(i)));
            fields.Field("Flags", FieldValue.Hexadecimal(Flags(i)));
            fields.Field("Rank", FieldValue.Unsigned(Rank(i)));
            fields.EndStruct();
        }

        fields.EndArray();
    }

    private int Entry(int index) => 4 + (EntryBytes * index);
}
