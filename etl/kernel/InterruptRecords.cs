using System.Runtime.CompilerServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>
/// A deferred procedure call that has returned: the event's time stamp is the exit, <see cref="InitialTime"/> the entry, both in ticks of
/// the trace's clock.
/// </summary>
/// <remarks>
/// Hooks 0x0F44 DPC, 0x0F42 threaded DPC, 0x0F45 timer DPC (the routine is that of the timer), 0x0F46 I/O timer; versions 1 and 2 alike.
/// Source: the DPC class of the kernel's MOF; version 2 was confirmed on a real trace of Windows 7 (DPC, timer DPC and
/// threaded DPC), the rest was not.
/// <code>
/// @8    @4    type       field
/// 0     0     i64        InitialTime
/// 8     8     ptr        Routine
/// </code>
/// </remarks>
public readonly ref struct DpcRecord : IKernelRecord<DpcRecord>
{
    private readonly RecordPayload _payload;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private DpcRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Entry: ticks of the trace's clock.</summary>
    public long InitialTime => _payload.Int64(0);

    /// <summary>Address of the DPC routine.</summary>
    public ulong Routine => _payload.Pointer(8);

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(in EtlEvent traceEvent, out DpcRecord record)
    {
        record = new DpcRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(16, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InitialTime", FieldValue.Ticks(InitialTime));
        fields.Field("Routine", FieldValue.CodePointer(Routine));
    }
}

/// <summary>An interrupt that nobody had registered for.</summary>
/// <remarks>
/// Hook 0x0F5C. Source: kernel-events 3; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u16        Vector
/// </code>
/// </remarks>
public readonly ref struct UnexpectedInterruptRecord : IKernelRecord<UnexpectedInterruptRecord>
{
    private readonly RecordPayload _payload;

    private UnexpectedInterruptRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Vector in the interrupt descriptor table.</summary>
    public ushort Vector => _payload.UInt16(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out UnexpectedInterruptRecord record)
    {
        record = new UnexpectedInterruptRecord(in traceEvent);
        return record._payload.Length >= 2;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Vector", FieldValue.Unsigned(Vector));
    }
}

/// <summary>A clock interrupt.</summary>
/// <remarks>
/// Hook 0x0F4F. Records may be longer. Source: kernel-events 3; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        InterruptTime
/// 8     8     u16        Flags
/// </code>
/// </remarks>
public readonly ref struct ClockInterruptRecord : IKernelRecord<ClockInterruptRecord>
{
    private readonly RecordPayload _payload;

    private ClockInterruptRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Interrupt time in units of 100 ns: not the trace's clock.</summary>
    public ulong InterruptTime => _payload.UInt64(0);

    /// <summary>1: this processor owns the clock; 8: a timer is pending.</summary>
    public ushort Flags => _payload.UInt16(8);

    /// <summary>Whether this processor drives the system clock.</summary>
    public bool IsClockOwner => (Flags & 1) != 0;

    /// <summary>Whether a timer has run out and waits for its DPC.</summary>
    public bool IsTimerPending => (Flags & 8) != 0;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ClockInterruptRecord record)
    {
        record = new ClockInterruptRecord(in traceEvent);
        return record._payload.Length >= 10;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InterruptTime", FieldValue.Unsigned(InterruptTime));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
    }
}

/// <summary>An interrupt that one processor sent to another.</summary>
/// <remarks>
/// Hook 0x0F5B. The width of the flags is not public: the two known ones are in the lowest byte. Source: kernel-events 3; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u8         Flags
/// </code>
/// </remarks>
public readonly ref struct InterprocessorInterruptRecord : IKernelRecord<InterprocessorInterruptRecord>
{
    private readonly RecordPayload _payload;

    private InterprocessorInterruptRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>1: asks for an APC; 2: asks for a DPC.</summary>
    public byte Flags => _payload.UInt8(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out InterprocessorInterruptRecord record)
    {
        record = new InterprocessorInterruptRecord(in traceEvent);
        return record._payload.Length >= 1;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
    }
}

/// <summary>
/// A DPC was put into the queue of a processor: from here to the <see cref="DpcRecord.InitialTime"/> of its run is the queueing delay.
/// </summary>
/// <remarks>
/// Hook 0x0F64; needs the DPC_QUEUE group. Source: kernel-events 3; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Key
/// 8     4     i32        QueueDepth
/// 12    8     u32        DpcCount
/// 16    12    u32        TargetProcessorIndex
/// 20    16    u8         Importance
/// 21    17    u8[3]      reserved
/// </code>
/// </remarks>
public readonly ref struct DpcEnqueueRecord : IKernelRecord<DpcEnqueueRecord>
{
    private readonly RecordPayload _payload;

    private DpcEnqueueRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Joins this record to the <see cref="DpcExecutionRecord"/> of the run.</summary>
    public ulong Key => _payload.Pointer(0);

    /// <summary>Length of the queue.</summary>
    public int QueueDepth => _payload.Int32(_payload.At(8, 4));

    /// <summary>DPCs that the queue has taken so far.</summary>
    public uint DpcCount => _payload.UInt32(_payload.At(12, 8));

    /// <summary>Processor whose queue it is.</summary>
    public uint TargetProcessorIndex => _payload.UInt32(_payload.At(16, 12));

    /// <summary>Importance of the DPC, as the kernel numbers it.</summary>
    public byte Importance => _payload.UInt8(_payload.At(20, 16));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DpcEnqueueRecord record)
    {
        record = new DpcEnqueueRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(24, 20);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Key", FieldValue.Pointer(Key));
        fields.Field("QueueDepth", FieldValue.Signed(QueueDepth));
        fields.Field("DpcCount", FieldValue.Unsigned(DpcCount));
        fields.Field("TargetProcessorIndex", FieldValue.Unsigned(TargetProcessorIndex));
        fields.Field("Importance", FieldValue.Unsigned(Importance));
    }
}

/// <summary>A queued DPC begins to run.</summary>
/// <remarks>
/// Hook 0x0F65; needs the DPC_QUEUE group. Source: kernel-events 3; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        DpcRoutine
/// 8     4     ptr        Key
/// </code>
/// </remarks>
public readonly ref struct DpcExecutionRecord : IKernelRecord<DpcExecutionRecord>
{
    private readonly RecordPayload _payload;

    private DpcExecutionRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the DPC routine.</summary>
    public ulong DpcRoutine => _payload.Pointer(0);

    /// <summary>The key of its <see cref="DpcEnqueueRecord"/>.</summary>
    public ulong Key => _payload.Pointer(_payload.At(8, 4));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out DpcExecutionRecord record)
    {
        record = new DpcExecutionRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(16, 8);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("DpcRoutine", FieldValue.CodePointer(DpcRoutine));
        fields.Field("Key", FieldValue.Pointer(Key));
    }
}

/// <summary>A long DPC asked whether it should give way.</summary>
/// <remarks>
/// Hook 0x0F6D. Source: kernel-events 3; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        YieldReason
/// 4     4     u32        DpcWatchdogCount
/// 8     8     u32        DpcTimeCount
/// </code>
/// </remarks>
public readonly ref struct ShouldYieldRecord : IKernelRecord<ShouldYieldRecord>
{
    private readonly RecordPayload _payload;

    private ShouldYieldRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Why it should, as the kernel numbers it.</summary>
    public uint YieldReason => _payload.UInt32(0);

    /// <summary>Clock ticks that the DPC watchdog has counted over all DPCs.</summary>
    public uint DpcWatchdogCount => _payload.UInt32(4);

    /// <summary>Clock ticks that this DPC has taken.</summary>
    public uint DpcTimeCount => _payload.UInt32(8);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ShouldYieldRecord record)
    {
        record = new ShouldYieldRecord(in traceEvent);
        return record._payload.Length >= 12;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("YieldReason", FieldValue.Unsigned(YieldReason));
        fields.Field("DpcWatchdogCount", FieldValue.Unsigned(DpcWatchdogCount));
        fields.Field("DpcTimeCount", FieldValue.Unsigned(DpcTimeCount));
    }
}
