using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Address of the kernel image: the base of one of the modules of process 0.</summary>
/// <remarks>
/// Hook 0x1421. Source: kernel-events 7; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        KernelBase
/// </code>
/// </remarks>
public readonly ref struct KernelBaseRecord : IKernelRecord<KernelBaseRecord>
{
    private readonly RecordPayload _payload;

    private KernelBaseRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Base address of the kernel image.</summary>
    public ulong KernelBase => _payload.Pointer(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out KernelBaseRecord record)
    {
        record = new KernelBaseRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(8, 4);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("KernelBase", FieldValue.Pointer(KernelBase));
    }
}

/// <summary>Address of the page through which the kernel calls the hypervisor.</summary>
/// <remarks>
/// Hook 0x1422. Source: kernel-events 7; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        HypercallPage
/// </code>
/// </remarks>
public readonly ref struct HypercallPageRecord : IKernelRecord<HypercallPageRecord>
{
    private readonly RecordPayload _payload;

    private HypercallPageRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the page.</summary>
    public ulong HypercallPage => _payload.Pointer(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out HypercallPageRecord record)
    {
        record = new HypercallPageRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(8, 4);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("HypercallPage", FieldValue.Pointer(HypercallPage));
    }
}
