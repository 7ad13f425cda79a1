using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A thread took entries from a kernel queue.</summary>
/// <remarks>
/// Hook 0x053F. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ThreadId
/// 4     4     u32        Count
/// 8     8     ptr[n]     Entries
/// </code>
/// </remarks>
public readonly ref struct QueueDequeueRecord : IKernelRecord<QueueDequeueRecord>
{
    private readonly RecordPayload _payload;

    private QueueDequeueRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Thread that took them.</summary>
    public uint ThreadId => _payload.UInt32(0);

    /// <summary>How many entries are listed; never more than the payload holds.</summary>
    public int Count => _payload.CountAt(_payload.UInt32(4), 8, _payload.PointerBytes);

    /// <summary>Address of an entry.</summary>
    /// <param name="index">0 to <see cref="Count"/> - 1.</param>
    public ulong Entry(int index) => _payload.Pointer(8 + (_payload.PointerBytes * index));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out QueueDequeueRecord record)
    {
        record = new QueueDequeueRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.BeginArray("Entries");
        for (int i = 0; i < Count; i++)
        {
            fields.Field("", FieldValue.Pointer(Entry(i)));
        }

        fields.EndArray();
    }
}
