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

/// <summary>
/// A DPC was put into the queue of a processor: from here to the <see cref="DpcRecord.InitialTime"/> of its run is the queueing delay.
/// </summary>
/// <remarks>
/// Hook 0x0F64; needs the DPC_QUEUE group. Source: PERFINFO_DPC_ENQUEUE_INFORMATION of ntwmi.h; not seen in a real file.
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
/// Hook 0x0F65; needs the DPC_QUEUE group. Source: PERFINFO_DPC_EXECUTION_INFORMATION of ntwmi.h; not seen in a real file.
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
