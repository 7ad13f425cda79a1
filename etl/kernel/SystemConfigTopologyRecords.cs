using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Turns the processor index of a buffer into processor group and number.</summary>
/// <remarks>
/// Hook 0x0B1B. Source: MOF SystemConfig_V2_ProcNumber; seen in real files, with group 0 only. The same for both pointer widths.
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
