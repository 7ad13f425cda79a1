using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Which processors each NUMA node has.</summary>
/// <remarks>
/// Hook 0x0B18. Source: kernel-events 8; status V (one node). The same for both pointer widths.
/// <code>
/// at    type       field
/// 0     u32        NodeCount
/// 4     {u64 mask, u16 group, 6 reserved}[n]
/// </code>
/// </remarks>
public readonly ref struct NumaNodeRecord : IKernelRecord<NumaNodeRecord>
{
    private const int NodeBytes = 16;

    private readonly RecordPayload _payload;

    private NumaNodeRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>How many nodes there are; never more than the payload holds.</summary>
    public int NodeCount => _payload.CountAt(_payload.UInt32(0), 4, NodeBytes);

    /// <summary>Processors of a node within its group.</summary>
    /// <param name="node">0 to <see cref="NodeCount"/> - 1.</param>
    public ulong Mask(int node) => _payload.UInt64(4 + (NodeBytes * node));

    /// <summary>Processor group of a node.</summary>
    /// <param name="node">0 to <see cref="NodeCount"/> - 1.</param>
    public ushort Group(int node) => _payload.UInt16(4 + (NodeBytes * node) + 8);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out NumaNodeRecord record)
    {
        record = new NumaNodeRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("Nodes");
        for (int i = 0; i < NodeCount; i++)
        {
            fields.BeginStruct("");
            fields.Field("Mask", FieldValue.Hexadecimal(Mask(i)));
            fields.Field("Group", FieldValue.Unsigned(Group(i)));
            fields.EndStruct();
        }

        fields.EndArray();
    }
}

/// <summary>Which processors each processor group has.</summary>
/// <remarks>
/// Hook 0x0B1A. Source: kernel-events 8; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        GroupCount
/// 4     4     ptr[n]     Affinities
/// </code>
/// </remarks>
public readonly ref struct ProcessorGroupRecord : IKernelRecord<ProcessorGroupRecord>
{
    private readonly RecordPayload _payload;

    private ProcessorGroupRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>How many groups there are; never more than the payload holds.</summary>
    public int GroupCount => _payload.CountAt(_payload.UInt32(0), 4, _payload.PointerBytes);

    /// <summary>Active processors of a group.</summary>
    /// <param name="group">0 to <see cref="GroupCount"/> - 1.</param>
    public ulong Affinity(int group) => _payload.Pointer(4 + (_payload.PointerBytes * group));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessorGroupRecord record)
    {
        record = new ProcessorGroupRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("Affinities");
        for (int i = 0; i < GroupCount; i++)
        {
            fields.Field("", FieldValue.Hexadecimal(Affinity(i)));
        }

        fields.EndArray();
    }
}

/// <summary>Turns the processor index of a buffer into processor group and number.</summary>
/// <remarks>
/// Hook 0x0B1B. Source: kernel-events 8; status V (group 0 only). The same for both pointer widths.
/// <code>
/// at    type       field
/// 0     u32        Count
/// 4     {u16 group, u8 number, u8 reserved}[n]
/// </code>
/// </remarks>
public readonly ref struct ProcessorNumberRecord : IKernelRecord<ProcessorNumberRecord>
{
    private readonly RecordPayload _payload;

    private ProcessorNumberRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>How many processors there are; never more than the payload holds.</summary>
    public int Count => _payload.CountAt(_payload.UInt32(0), 4, 4);

    /// <summary>Group of a processor.</summary>
    /// <param name="processor">Its index, 0 to <see cref="Count"/> - 1.</param>
    public ushort Group(int processor) => _payload.UInt16(4 + (4 * processor));

    /// <summary>Number of a processor in its group.</summary>
    /// <param name="processor">Its index, 0 to <see cref="Count"/> - 1.</param>
    public byte Number(int processor) => _payload.UInt8(4 + (4 * processor) + 2);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessorNumberRecord record)
    {
        record = new ProcessorNumberRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("Processors");
        for (int i = 0; i < Count; i++)
        {
            fields.BeginStruct("");
            fields.Field("Group", FieldValue.Unsigned(Group(i)));
            fields.Field("Number", FieldValue.Unsigned(Number(i)));
            fields.EndStruct();
        }

        fields.EndArray();
    }
}
