using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// A batch of context switches of one processor, packed; written instead of single ones where the session asks for it. Walk
/// <see cref="Entries"/>.
/// </summary>
/// <remarks>
/// Hook 0x0525. Source: Geoff Chappell's pages; not seen in a real file. The same for both pointer widths.
/// <code>
/// at    type       field
/// 0     i64        FirstTimeStamp
/// 8     u32[16]    ThreadId
/// 72    i8[16]     BasePriority
/// 88    entries, to the end of the payload; the low two bits of each tell its form
/// </code>
/// </remarks>
public readonly ref struct CompactContextSwitchRecord : IKernelRecord<CompactContextSwitchRecord>
{
    /// <summary>How many threads the head names.</summary>
    public const int ThreadCount = 16;

    private const int PrioritiesOffset = 0x48;
    private const int EntriesOffset = 0x58;

    private readonly RecordPayload _payload;

    private CompactContextSwitchRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Where the time deltas start, in ticks of the trace's clock.</summary>
    public long FirstTimeStamp => _payload.Int64(0);

    /// <summary>The switches, in order.</summary>
    public CompactContextSwitchEnumerator Entries => new(this, _payload.Bytes[EntriesOffset..]);

    /// <summary>A thread that the entries refer to.</summary>
    /// <param name="index">0 to 15.</param>
    public uint ThreadId(int index) => _payload.UInt32(8 + (4 * (index & 15)));

    /// <summary>Base priority of such a thread.</summary>
    /// <param name="index">0 to 15.</param>
    public sbyte BasePriority(int index) => _payload.Int8(PrioritiesOffset + (index & 15));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out CompactContextSwitchRecord record)
    {
        record = new CompactContextSwitchRecord(in traceEvent);
        return record._payload.Length >= EntriesOffset;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("FirstTimeStamp", FieldValue.Ticks(FirstTimeStamp));
        fields.BeginArray("Switches");
        foreach (CompactContextSwitchEnumerator entry in Entries)
        {
            fields.BeginStruct("");
            fields.Field("TimeStamp", FieldValue.Ticks(entry.TimestampTicks));
            fields.Field("OldThreadId", FieldValue.Unsigned(entry.OldThreadId));
            if (entry.StateWr is byte stateWr)
            {
                fields.Field("StateWr", FieldValue.Unsigned(stateWr));
                fields.Field("OldThreadPriority", FieldValue.Signed(entry.OldThreadPriority.GetValueOrDefault()));
            }

            if (entry.NewThreadWaitTime is uint waitTime)
            {
                fields.Field("NewThreadWaitTime", FieldValue.Unsigned(waitTime));
            }

            fields.EndStruct();
        }

        fields.EndArray();
    }
}
