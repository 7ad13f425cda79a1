using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Part of the stack of an earlier event, by a key that a later <see cref="StackKeyDefinitionRecord"/> resolves.</summary>
/// <remarks>
/// Hooks 0x1825 kernel part, 0x1826 user part. Keys are reused: the definition is the first one with that key at or after this record.
/// Source: real files: 21,279 records of two traces.
/// <code>
/// @8    @4    type       field
/// 0     0     i64        EventTimeStamp
/// 8     8     u32        ProcessId
/// 12    12    u32        ThreadId
/// 16    16    ptr        Key
/// </code>
/// </remarks>
public readonly ref struct StackKeyRecord : IKernelRecord<StackKeyRecord>
{
    private readonly RecordPayload _payload;

    private StackKeyRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Time stamp of the event it belongs to, in ticks of the trace's clock.</summary>
    public long EventTimeStamp => _payload.Int64(0);

    /// <summary>Process of that event.</summary>
    public uint ProcessId => _payload.UInt32(8);

    /// <summary>Thread of that event.</summary>
    public uint ThreadId => _payload.UInt32(12);

    /// <summary>The key.</summary>
    public ulong Key => _payload.Pointer(16);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out StackKeyRecord record)
    {
        record = new StackKeyRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(24, 20);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("EventTimeStamp", FieldValue.Ticks(EventTimeStamp));
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Key", FieldValue.Pointer(Key));
    }
}
