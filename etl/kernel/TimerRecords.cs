using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>The kernel begins to run expired timers.</summary>
/// <remarks>
/// Hook 0x0F50. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        InterruptTime
/// </code>
/// </remarks>
public readonly ref struct TimerExpirationStartRecord : IKernelRecord<TimerExpirationStartRecord>
{
    private readonly RecordPayload _payload;

    private TimerExpirationStartRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Interrupt time in units of 100 ns: not the trace's clock.</summary>
    public ulong InterruptTime => _payload.UInt64(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TimerExpirationStartRecord record)
    {
        record = new TimerExpirationStartRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InterruptTime", FieldValue.Unsigned(InterruptTime));
    }
}

/// <summary>A timer ran out.</summary>
/// <remarks>
/// Hook 0x0F51. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        DueTime
/// 8     8     ptr        Timer
/// 16    12    ptr        DpcRoutine
/// 24    16    u8         EncodedDelay
/// </code>
/// </remarks>
public readonly ref struct TimerExpirationRecord : IKernelRecord<TimerExpirationRecord>
{
    private readonly RecordPayload _payload;

    private TimerExpirationRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When the timer is due: interrupt time in units of 100 ns, not the trace's clock.</summary>
    public ulong DueTime => _payload.UInt64(0);

    /// <summary>Address of the timer.</summary>
    public ulong Timer => _payload.Pointer(8);

    /// <summary>Address of the DPC routine that it starts; 0 for none.</summary>
    public ulong DpcRoutine => _payload.Pointer(_payload.At(16, 12));

    /// <summary>Tolerable delay of the timer, in the kernel's encoding.</summary>
    public byte EncodedDelay => _payload.UInt8(_payload.At(24, 16));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TimerExpirationRecord record)
    {
        record = new TimerExpirationRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(25, 17);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DueTime", FieldValue.Unsigned(DueTime));
        fields.Field("Timer", FieldValue.Pointer(Timer));
        fields.Field("DpcRoutine", FieldValue.CodePointer(DpcRoutine));
        fields.Field("EncodedDelay", FieldValue.Unsigned(EncodedDelay));
    }
}

/// <summary>A timer that repeats was set.</summary>
/// <remarks>
/// Hook 0x0F52. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        DueTime
/// 8     8     ptr        Timer
/// 16    12    u16        TargetGroup
/// 18    14    u8         TargetIndex
/// 19    15    u8         Flags
/// 20    16    u32        Period
/// 24    20    u8         EncodedDelay
/// 25    21    u8[3]      reserved
/// </code>
/// </remarks>
public readonly ref struct PeriodicTimerSetRecord : IKernelRecord<PeriodicTimerSetRecord>
{
    private readonly RecordPayload _payload;

    private PeriodicTimerSetRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When the timer is due: interrupt time in units of 100 ns, not the trace's clock.</summary>
    public ulong DueTime => _payload.UInt64(0);

    /// <summary>Address of the timer.</summary>
    public ulong Timer => _payload.Pointer(8);

    /// <summary>Group of the processor whose table it is in.</summary>
    public ushort TargetGroup => _payload.UInt16(_payload.At(16, 12));

    /// <summary>Number of that processor in its group.</summary>
    public byte TargetIndex => _payload.UInt8(_payload.At(18, 14));

    /// <summary>Flags, as the kernel gives them.</summary>
    public byte Flags => _payload.UInt8(_payload.At(19, 15));

    /// <summary>Period in milliseconds.</summary>
    public uint Period => _payload.UInt32(_payload.At(20, 16));

    /// <summary>Tolerable delay of the timer, in the kernel's encoding.</summary>
    public byte EncodedDelay => _payload.UInt8(_payload.At(24, 20));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PeriodicTimerSetRecord record)
    {
        record = new PeriodicTimerSetRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(28, 24);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DueTime", FieldValue.Unsigned(DueTime));
        fields.Field("Timer", FieldValue.Pointer(Timer));
        fields.Field("TargetGroup", FieldValue.Unsigned(TargetGroup));
        fields.Field("TargetIndex", FieldValue.Unsigned(TargetIndex));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
        fields.Field("Period", FieldValue.Unsigned(Period));
        fields.Field("EncodedDelay", FieldValue.Unsigned(EncodedDelay));
    }
}

/// <summary>A timer that strikes once was set.</summary>
/// <remarks>
/// Hook 0x0F53. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        DueTime
/// 8     8     ptr        Timer
/// 16    12    u16        TargetGroup
/// 18    14    u8         TargetIndex
/// 19    15    u8         Flags
/// 20    16    u8         EncodedDelay
/// 21    17    u8[3]      reserved
/// </code>
/// </remarks>
public readonly ref struct OneShotTimerSetRecord : IKernelRecord<OneShotTimerSetRecord>
{
    private readonly RecordPayload _payload;

    private OneShotTimerSetRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When the timer is due: interrupt time in units of 100 ns, not the trace's clock.</summary>
    public ulong DueTime => _payload.UInt64(0);

    /// <summary>Address of the timer.</summary>
    public ulong Timer => _payload.Pointer(8);

    /// <summary>Group of the processor whose table it is in.</summary>
    public ushort TargetGroup => _payload.UInt16(_payload.At(16, 12));

    /// <summary>Number of that processor in its group.</summary>
    public byte TargetIndex => _payload.UInt8(_payload.At(18, 14));

    /// <summary>Flags, as the kernel gives them.</summary>
    public byte Flags => _payload.UInt8(_payload.At(19, 15));

    /// <summary>Tolerable delay of the timer, in the kernel's encoding.</summary>
    public byte EncodedDelay => _payload.UInt8(_payload.At(20, 16));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out OneShotTimerSetRecord record)
    {
        record = new OneShotTimerSetRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(24, 20);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DueTime", FieldValue.Unsigned(DueTime));
        fields.Field("Timer", FieldValue.Pointer(Timer));
        fields.Field("TargetGroup", FieldValue.Unsigned(TargetGroup));
        fields.Field("TargetIndex", FieldValue.Unsigned(TargetIndex));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
        fields.Field("EncodedDelay", FieldValue.Unsigned(EncodedDelay));
    }
}

/// <summary>A timer was cancelled.</summary>
/// <remarks>
/// Hook 0x0F55. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Timer
/// </code>
/// </remarks>
public readonly ref struct TimerCancelRecord : IKernelRecord<TimerCancelRecord>
{
    private readonly RecordPayload _payload;

    private TimerCancelRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the timer.</summary>
    public ulong Timer => _payload.Pointer(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out TimerCancelRecord record)
    {
        record = new TimerCancelRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(8, 4);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Timer", FieldValue.Pointer(Timer));
    }
}

/// <summary>The system time was advanced.</summary>
/// <remarks>
/// Hook 0x0F58. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        InterruptTime
/// 8     8     u32        ClockOwner
/// </code>
/// </remarks>
public readonly ref struct ClockTimeUpdateRecord : IKernelRecord<ClockTimeUpdateRecord>
{
    private readonly RecordPayload _payload;

    private ClockTimeUpdateRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Interrupt time in units of 100 ns: not the trace's clock.</summary>
    public ulong InterruptTime => _payload.UInt64(0);

    /// <summary>Processor that drives the clock.</summary>
    public uint ClockOwner => _payload.UInt32(8);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ClockTimeUpdateRecord record)
    {
        record = new ClockTimeUpdateRecord(in traceEvent);
        return record._payload.Length >= 12;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InterruptTime", FieldValue.Unsigned(InterruptTime));
        fields.Field("ClockOwner", FieldValue.Unsigned(ClockOwner));
    }
}

/// <summary>A timer of the newer kind (KTIMER2) was set or ran out.</summary>
/// <remarks>
/// Hooks 0x0F68 set, 0x0F69 expire. Source: kernel-events 11; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        DueTime
/// 8     8     u64        MaximumDueTime
/// 16    16    u64        Period
/// 24    24    ptr        Timer
/// 32    28    ptr        Callback
/// 40    32    ptr        Context
/// 48    36    u8         Flags
/// </code>
/// </remarks>
public readonly ref struct ExtendedTimerRecord : IKernelRecord<ExtendedTimerRecord>
{
    private readonly RecordPayload _payload;

    private ExtendedTimerRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When the timer is due: interrupt time in units of 100 ns, not the trace's clock.</summary>
    public ulong DueTime => _payload.UInt64(0);

    /// <summary>Latest time it may strike: interrupt time in units of 100 ns.</summary>
    public ulong MaximumDueTime => _payload.UInt64(8);

    /// <summary>Period in units of 100 ns; 0 for none.</summary>
    public ulong Period => _payload.UInt64(16);

    /// <summary>Address of the timer.</summary>
    public ulong Timer => _payload.Pointer(24);

    /// <summary>Address of the routine that it calls.</summary>
    public ulong Callback => _payload.Pointer(_payload.At(32, 28));

    /// <summary>What it is called with.</summary>
    public ulong Context => _payload.Pointer(_payload.At(40, 32));

    /// <summary>Flags, as the kernel gives them.</summary>
    public byte Flags => _payload.UInt8(_payload.At(48, 36));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ExtendedTimerRecord record)
    {
        record = new ExtendedTimerRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(49, 37);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DueTime", FieldValue.Unsigned(DueTime));
        fields.Field("MaximumDueTime", FieldValue.Unsigned(MaximumDueTime));
        fields.Field("Period", FieldValue.Unsigned(Period));
        fields.Field("Timer", FieldValue.Pointer(Timer));
        fields.Field("Callback", FieldValue.CodePointer(Callback));
        fields.Field("Context", FieldValue.Pointer(Context));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
    }
}
