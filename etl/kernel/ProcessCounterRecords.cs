using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A process begins to end.</summary>
/// <remarks>
/// Hook 0x030B. Source: kernel-events 6; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessId
/// </code>
/// </remarks>
public readonly ref struct ProcessTerminateRecord : IKernelRecord<ProcessTerminateRecord>
{
    private readonly RecordPayload _payload;

    private ProcessTerminateRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>The process.</summary>
    public uint ProcessId => _payload.UInt32(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessTerminateRecord record)
    {
        record = new ProcessTerminateRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
    }
}

/// <summary>Memory counters of a process when it ended, or at the end of the trace.</summary>
/// <remarks>
/// Hooks 0x0320 end, 0x0321 rundown. Source: kernel-events 6; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessId
/// 4     4     u32        PageFaultCount
/// 8     8     u32        HandleCount
/// 12    12    u8[4]      reserved
/// 16    16    ptr        PeakVirtual
/// 24    20    ptr        PeakWorkingSet
/// 32    24    ptr        PeakPagefile
/// 40    28    ptr        PeakPagedPool
/// 48    32    ptr        PeakNonPagedPool
/// 56    36    ptr        Virtual
/// 64    40    ptr        WorkingSet
/// 72    44    ptr        Pagefile
/// 80    48    ptr        PagedPool
/// 88    52    ptr        NonPagedPool
/// 96    56    ptr        Private
/// </code>
/// </remarks>
public readonly ref struct ProcessCountersRecord : IKernelRecord<ProcessCountersRecord>
{
    private readonly RecordPayload _payload;

    private ProcessCountersRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>The process.</summary>
    public uint ProcessId => _payload.UInt32(0);

    /// <summary>Page faults so far.</summary>
    public uint PageFaultCount => _payload.UInt32(4);

    /// <summary>Open handles.</summary>
    public uint HandleCount => _payload.UInt32(8);

    /// <summary>Largest virtual size in bytes.</summary>
    public ulong PeakVirtual => _payload.Pointer(16);

    /// <summary>Largest working set in bytes.</summary>
    public ulong PeakWorkingSet => _payload.Pointer(_payload.At(24, 20));

    /// <summary>Largest page file use in bytes.</summary>
    public ulong PeakPagefile => _payload.Pointer(_payload.At(32, 24));

    /// <summary>Largest paged pool charge in bytes.</summary>
    public ulong PeakPagedPool => _payload.Pointer(_payload.At(40, 28));

    /// <summary>Largest nonpaged pool charge in bytes.</summary>
    public ulong PeakNonPagedPool => _payload.Pointer(_payload.At(48, 32));

    /// <summary>Virtual size in bytes.</summary>
    public ulong Virtual => _payload.Pointer(_payload.At(56, 36));

    /// <summary>Working set in bytes.</summary>
    public ulong WorkingSet => _payload.Pointer(_payload.At(64, 40));

    /// <summary>Page file use in bytes.</summary>
    public ulong Pagefile => _payload.Pointer(_payload.At(72, 44));

    /// <summary>Paged pool charge in bytes.</summary>
    public ulong PagedPool => _payload.Pointer(_payload.At(80, 48));

    /// <summary>Nonpaged pool charge in bytes.</summary>
    public ulong NonPagedPool => _payload.Pointer(_payload.At(88, 52));

    /// <summary>Private memory in bytes.</summary>
    public ulong Private => _payload.Pointer(_payload.At(96, 56));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessCountersRecord record)
    {
        record = new ProcessCountersRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(104, 60);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("PageFaultCount", FieldValue.Unsigned(PageFaultCount));
        fields.Field("HandleCount", FieldValue.Unsigned(HandleCount));
        fields.Field("PeakVirtual", FieldValue.Unsigned(PeakVirtual));
        fields.Field("PeakWorkingSet", FieldValue.Unsigned(PeakWorkingSet));
        fields.Field("PeakPagefile", FieldValue.Unsigned(PeakPagefile));
        fields.Field("PeakPagedPool", FieldValue.Unsigned(PeakPagedPool));
        fields.Field("PeakNonPagedPool", FieldValue.Unsigned(PeakNonPagedPool));
        fields.Field("Virtual", FieldValue.Unsigned(Virtual));
        fields.Field("WorkingSet", FieldValue.Unsigned(WorkingSet));
        fields.Field("Pagefile", FieldValue.Unsigned(Pagefile));
        fields.Field("PagedPool", FieldValue.Unsigned(PagedPool));
        fields.Field("NonPagedPool", FieldValue.Unsigned(NonPagedPool));
        fields.Field("Private", FieldValue.Unsigned(Private));
    }
}

/// <summary>A process that was swapped out comes back.</summary>
/// <remarks>
/// Hook 0x0323. Source: kernel-events 6; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        DirectoryTableBase
/// 8     4     u32        ProcessId
/// </code>
/// </remarks>
public readonly ref struct ProcessInSwapRecord : IKernelRecord<ProcessInSwapRecord>
{
    private readonly RecordPayload _payload;

    private ProcessInSwapRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Physical address of its page tables.</summary>
    public ulong DirectoryTableBase => _payload.Pointer(0);

    /// <summary>The process.</summary>
    public uint ProcessId => _payload.UInt32(_payload.At(8, 4));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ProcessInSwapRecord record)
    {
        record = new ProcessInSwapRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(12, 8);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DirectoryTableBase", FieldValue.Pointer(DirectoryTableBase));
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
    }
}

/// <summary>The system start reached a phase.</summary>
/// <remarks>
/// Hook 0x0326. Source: kernel-events 6; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        BootPhase
/// </code>
/// </remarks>
public readonly ref struct BootPhaseRecord : IKernelRecord<BootPhaseRecord>
{
    private readonly RecordPayload _payload;

    private BootPhaseRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>The phase, as the kernel numbers it.</summary>
    public uint BootPhase => _payload.UInt32(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out BootPhaseRecord record)
    {
        record = new BootPhaseRecord(in traceEvent);
        return record._payload.Length >= 4;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("BootPhase", FieldValue.Unsigned(BootPhase));
    }
}
