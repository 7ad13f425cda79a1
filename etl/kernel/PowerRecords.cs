using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A processor changed its speed; logged on that processor.</summary>
/// <remarks>
/// Hook 0x1233. Source: PERFINFO_PPM_PERF_STATE_CHANGE of ntwmi.h; not seen in a real file.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        Type
/// 4     4     u32        New
/// 8     8     u32        Old
/// 12    12    u32        Result
/// 16    16    u64        Processors
/// </code>
/// </remarks>
public readonly ref struct PerformanceStateRecord : IKernelRecord<PerformanceStateRecord>
{
    private readonly RecordPayload _payload;

    private PerformanceStateRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>What changed.</summary>
    public PerformanceStateKind Type => (PerformanceStateKind)_payload.UInt32(0);

    /// <summary>State after.</summary>
    public uint New => _payload.UInt32(4);

    /// <summary>State before.</summary>
    public uint Old => _payload.UInt32(8);

    /// <summary>Result of the change.</summary>
    public uint Result => _payload.UInt32(12);

    /// <summary>Mask of the processors concerned.</summary>
    public ulong Processors => _payload.UInt64(16);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PerformanceStateRecord record)
    {
        record = new PerformanceStateRecord(in traceEvent);
        return record._payload.Length >= 24;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Type", NamedNumber<PerformanceStateKind>.Of((ulong)Type));
        fields.Field("New", FieldValue.Unsigned(New));
        fields.Field("Old", FieldValue.Unsigned(Old));
        fields.Field("Result", FieldValue.Unsigned(Result));
        fields.Field("Processors", FieldValue.Hexadecimal(Processors));
    }
}

/// <summary>A processor goes idle; logged on that processor.</summary>
/// <remarks>
/// Hook 0x1239. Source: PERFINFO_PPM_IDLE_STATE_ENTER of ntwmi.h; not seen in a real file.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        State
/// 4     4     u32        Flags
/// 8     8     u64        ExpectedDuration
/// </code>
/// </remarks>
public readonly ref struct IdleEnterRecord : IKernelRecord<IdleEnterRecord>
{
    private readonly RecordPayload _payload;

    private IdleEnterRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Idle state that it enters.</summary>
    public uint State => _payload.UInt32(0);

    /// <summary>Flags; newer systems: properties, expected reason to wake.</summary>
    public uint Flags => _payload.UInt32(4);

    /// <summary>How long the kernel expects it to last; its unit is not public.</summary>
    public ulong ExpectedDuration => _payload.UInt64(8);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out IdleEnterRecord record)
    {
        record = new IdleEnterRecord(in traceEvent);
        return record._payload.Length >= 16;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("State", FieldValue.Unsigned(State));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
        fields.Field("ExpectedDuration", FieldValue.Unsigned(ExpectedDuration));
    }
}

/// <summary>A processor leaves idle; logged on that processor.</summary>
/// <remarks>
/// Hook 0x123A. Source: PERFINFO_PPM_IDLE_STATE_EXIT of ntwmi.h; not seen in a real file.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        State
/// 4     4     u32        Status
/// </code>
/// </remarks>
public readonly ref struct IdleExitRecord : IKernelRecord<IdleExitRecord>
{
    private readonly RecordPayload _payload;

    private IdleExitRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Idle state that it leaves.</summary>
    public uint State => _payload.UInt32(0);

    /// <summary>Status of the exit.</summary>
    public uint Status => _payload.UInt32(4);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out IdleExitRecord record)
    {
        record = new IdleExitRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("State", FieldValue.Unsigned(State));
        fields.Field("Status", FieldValue.Hexadecimal(Status));
    }
}

/// <summary>How long it took to leave an idle state; logged on the processor concerned.</summary>
/// <remarks>
/// Hook 0x123C. The unit of the latencies is not public. Source: PERFINFO_PPM_IDLE_EXIT_LATENCY of ntwmi.h; not seen in a real file.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        Flags
/// 4     4     u32        PlatformState
/// 8     8     u32        ProcessorState
/// 12    12    u32        ReturnLatency
/// 16    16    u32        TotalLatency
/// </code>
/// </remarks>
public readonly ref struct IdleExitLatencyRecord : IKernelRecord<IdleExitLatencyRecord>
{
    private readonly RecordPayload _payload;

    private IdleExitLatencyRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Flags, as the kernel gives them.</summary>
    public uint Flags => _payload.UInt32(0);

    /// <summary>Idle state of the platform.</summary>
    public uint PlatformState => _payload.UInt32(4);

    /// <summary>Idle state of the processor.</summary>
    public uint ProcessorState => _payload.UInt32(8);

    /// <summary>Time to return from the idle state; its unit is not public.</summary>
    public uint ReturnLatency => _payload.UInt32(12);

    /// <summary>Time in all, in the same unit.</summary>
    public uint TotalLatency => _payload.UInt32(16);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out IdleExitLatencyRecord record)
    {
        record = new IdleExitLatencyRecord(in traceEvent);
        return record._payload.Length >= 20;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
        fields.Field("PlatformState", FieldValue.Unsigned(PlatformState));
        fields.Field("ProcessorState", FieldValue.Unsigned(ProcessorState));
        fields.Field("ReturnLatency", FieldValue.Unsigned(ReturnLatency));
        fields.Field("TotalLatency", FieldValue.Unsigned(TotalLatency));
    }
}
