using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// Which kernel events a session had on: eight words of group masks and the version of the kernel's event set. A merged file holds
/// several, the first often all zero: join them with "or".
/// </summary>
/// <remarks>
/// Hooks 0x0005 extension, 0x0020 end extension. Source: PERFINFO_GROUPMASK of ntwmi.h, real files.
/// <code>
/// @8    @4    type       field
/// 0     0     u32[8]     GroupMasks
/// 32    32    u32        KernelEventVersion
/// </code>
/// </remarks>
public readonly ref struct GroupMasksRecord : IKernelRecord<GroupMasksRecord>
{
    /// <summary>How many words of masks there are.</summary>
    public const int WordCount = 8;

    private readonly RecordPayload _payload;

    private GroupMasksRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Version of the kernel's event set; grows from build to build.</summary>
    public uint KernelEventVersion => _payload.UInt32(4 * WordCount);

    /// <summary>One word of the masks; word 0 holds the classic enable flags.</summary>
    /// <param name="word">0 to 7.</param>
    public uint GroupMask(int word)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual((uint)word, (uint)WordCount, nameof(word));
        return _payload.UInt32(4 * word);
    }

    /// <summary>Whether a group was on, by the constant of the API: the number of the word stands in its top three bits.</summary>
    /// <param name="groupConstant">0x20000080 is bit 0x80 of word 1: DPCs.</param>
    public bool IsOn(uint groupConstant) => (GroupMask((int)(groupConstant >> 29)) & groupConstant & 0x1FFF_FFFF) != 0;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out GroupMasksRecord record)
    {
        record = new GroupMasksRecord(in traceEvent);
        return record._payload.Length >= (4 * WordCount) + 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.BeginArray("GroupMasks");
        for (int word = 0; word < WordCount; word++)
        {
            fields.Field("", FieldValue.Hexadecimal(GroupMask(word)));
        }

        fields.EndArray();
        fields.Field("KernelEventVersion", FieldValue.Unsigned(KernelEventVersion));
    }
}
