using System.Runtime.CompilerServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A thread was made ready to run. Who did it is what runs on that processor: its thread, or the DPC around this moment.</summary>
/// <remarks>
/// Hook 0x0532. Source: kernel-events 5.4; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ThreadId
/// 4     4     i8         AdjustReason
/// 5     5     i8         AdjustIncrement
/// 6     6     u8         Flags
/// 7     7     u8[1]      reserved
/// </code>
/// </remarks>
public readonly ref struct ReadyThreadRecord : IKernelRecord<ReadyThreadRecord>
{
    private readonly RecordPayload _payload;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ReadyThreadRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Thread that was made ready.</summary>
    public uint ThreadId => _payload.UInt32(0);

    /// <summary>Why its priority is adjusted.</summary>
    public ReadyAdjustReason AdjustReason => (ReadyAdjustReason)_payload.Int8(4);

    /// <summary>By how much its priority is adjusted.</summary>
    public sbyte AdjustIncrement => _payload.Int8(5);

    /// <summary>1: from a DPC; 2: its kernel stack is swapped out; 4: its process is swapped out; 8: a direct switch is tried.</summary>
    public byte Flags => _payload.UInt8(6);

    /// <summary>Whether a DPC made it ready, rather than the thread that runs on the processor.</summary>
    public bool IsFromDpc => (_payload.UInt8(6) & 1) != 0;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(in EtlEvent traceEvent, out ReadyThreadRecord record)
    {
        record = new ReadyThreadRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("AdjustReason", NamedNumber<ReadyAdjustReason>.Of((ulong)AdjustReason));
        fields.Field("AdjustIncrement", FieldValue.Signed(AdjustIncrement));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
    }
}

/// <summary>A priority of a thread was set.</summary>
/// <remarks>
/// Hooks 0x0530 dynamic, 0x0531 base, 0x0533 page, 0x0534 I/O priority. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ThreadId
/// 4     4     u8         Old
/// 5     5     u8         New
/// 6     6     u8         DynamicPriority
/// 7     7     u8[1]      reserved
/// </code>
/// </remarks>
public readonly ref struct ThreadPriorityRecord : IKernelRecord<ThreadPriorityRecord>
{
    private readonly RecordPayload _payload;

    private ThreadPriorityRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Thread the event is about.</summary>
    public uint ThreadId => _payload.UInt32(0);

    /// <summary>Priority before.</summary>
    public byte Old => _payload.UInt8(4);

    /// <summary>Priority after.</summary>
    public byte New => _payload.UInt8(5);

    /// <summary>Current dynamic priority.</summary>
    public byte DynamicPriority => _payload.UInt8(6);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ThreadPriorityRecord record)
    {
        record = new ThreadPriorityRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Old", FieldValue.Unsigned(Old));
        fields.Field("New", FieldValue.Unsigned(New));
        fields.Field("DynamicPriority", FieldValue.Unsigned(DynamicPriority));
    }
}

/// <summary>The processors that a thread may use were set.</summary>
/// <remarks>
/// Hook 0x0535. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Mask
/// 8     4     u32        ThreadId
/// 12    8     u16        Group
/// 14    10    u8[2]      reserved
/// </code>
/// </remarks>
public readonly ref struct ThreadAffinityRecord : IKernelRecord<ThreadAffinityRecord>
{
    private readonly RecordPayload _payload;

    private ThreadAffinityRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Processors within the group.</summary>
    public ulong Mask => _payload.Pointer(0);

    /// <summary>Thread the event is about.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <summary>Processor group.</summary>
    public ushort Group => _payload.UInt16(_payload.At(12, 8));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ThreadAffinityRecord record)
    {
        record = new ThreadAffinityRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(16, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Mask", FieldValue.Hexadecimal(Mask));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Group", FieldValue.Unsigned(Group));
    }
}

/// <summary>A system worker thread has run an item.</summary>
/// <remarks>
/// Hook 0x0539. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ThreadId
/// 4     4     u64        StartTime
/// 12    12    ptr        Routine
/// </code>
/// </remarks>
public readonly ref struct WorkerItemRecord : IKernelRecord<WorkerItemRecord>
{
    private readonly RecordPayload _payload;

    private WorkerItemRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>The worker.</summary>
    public uint ThreadId => _payload.UInt32(0);

    /// <summary>When the item began, as the kernel gives it; its unit is not public.</summary>
    public ulong StartTime => _payload.UInt64(4);

    /// <summary>Address of the item's routine.</summary>
    public ulong Routine => _payload.Pointer(12);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out WorkerItemRecord record)
    {
        record = new WorkerItemRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(20, 16);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("StartTime", FieldValue.Unsigned(StartTime));
        fields.Field("Routine", FieldValue.CodePointer(Routine));
    }
}

/// <summary>A thread that had waited too long for a processor was boosted.</summary>
/// <remarks>
/// Hook 0x053C. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ThreadId
/// 4     4     u16        ProcessorIndex
/// 6     6     i8         OldPriority
/// 7     7     u8[1]      reserved
/// </code>
/// </remarks>
public readonly ref struct AntiStarvationBoostRecord : IKernelRecord<AntiStarvationBoostRecord>
{
    private readonly RecordPayload _payload;

    private AntiStarvationBoostRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Boosted thread.</summary>
    public uint ThreadId => _payload.UInt32(0);

    /// <summary>Processor on whose queue it waited.</summary>
    public ushort ProcessorIndex => _payload.UInt16(4);

    /// <summary>Its priority before.</summary>
    public sbyte OldPriority => _payload.Int8(6);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out AntiStarvationBoostRecord record)
    {
        record = new AntiStarvationBoostRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("ProcessorIndex", FieldValue.Unsigned(ProcessorIndex));
        fields.Field("OldPriority", FieldValue.Signed(OldPriority));
    }
}

/// <summary>A ready thread was moved to another processor.</summary>
/// <remarks>
/// Hook 0x053D. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ThreadId
/// 4     4     u16        Source
/// 6     6     u16        Target
/// 8     8     u8         Priority
/// 9     9     u8         IdealAdjust
/// 10    10    u16        OldIdeal
/// </code>
/// </remarks>
public readonly ref struct ThreadMigrationRecord : IKernelRecord<ThreadMigrationRecord>
{
    private readonly RecordPayload _payload;

    private ThreadMigrationRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Moved thread.</summary>
    public uint ThreadId => _payload.UInt32(0);

    /// <summary>Index of the processor it left.</summary>
    public ushort Source => _payload.UInt16(4);

    /// <summary>Index of the processor it was given to.</summary>
    public ushort Target => _payload.UInt16(6);

    /// <summary>Its priority.</summary>
    public byte Priority => _payload.UInt8(8);

    /// <summary>Whether its ideal processor was changed too.</summary>
    public byte IdealAdjust => _payload.UInt8(9);

    /// <summary>Its ideal processor before.</summary>
    public ushort OldIdeal => _payload.UInt16(10);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ThreadMigrationRecord record)
    {
        record = new ThreadMigrationRecord(in traceEvent);
        return record._payload.Length >= 12;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Source", FieldValue.Unsigned(Source));
        fields.Field("Target", FieldValue.Unsigned(Target));
        fields.Field("Priority", FieldValue.Unsigned(Priority));
        fields.Field("IdealAdjust", FieldValue.Unsigned(IdealAdjust));
        fields.Field("OldIdeal", FieldValue.Unsigned(OldIdeal));
    }
}

/// <summary>An entry was put into a kernel queue.</summary>
/// <remarks>
/// Hook 0x053E. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Entry
/// 8     4     u32        ThreadId
/// </code>
/// </remarks>
public readonly ref struct QueueEnqueueRecord : IKernelRecord<QueueEnqueueRecord>
{
    private readonly RecordPayload _payload;

    private QueueEnqueueRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the entry.</summary>
    public ulong Entry => _payload.Pointer(0);

    /// <summary>Thread that is to take it.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out QueueEnqueueRecord record)
    {
        record = new QueueEnqueueRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(12, 8);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Entry", FieldValue.Pointer(Entry));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
    }
}

/// <summary>A work item begins or ends.</summary>
/// <remarks>
/// Hooks 0x0540 start, 0x0541 end. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Routine
/// </code>
/// </remarks>
public readonly ref struct WorkItemRecord : IKernelRecord<WorkItemRecord>
{
    private readonly RecordPayload _payload;

    private WorkItemRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the item's routine.</summary>
    public ulong Routine => _payload.Pointer(0);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out WorkItemRecord record)
    {
        record = new WorkItemRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(8, 4);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Routine", FieldValue.CodePointer(Routine));
    }
}

/// <summary>The running thread began to work for another service of its process.</summary>
/// <remarks>
/// Hook 0x0545. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        Old
/// 4     4     u32        New
/// </code>
/// </remarks>
public readonly ref struct SubProcessTagRecord : IKernelRecord<SubProcessTagRecord>
{
    private readonly RecordPayload _payload;

    private SubProcessTagRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Tag of the service before.</summary>
    public uint Old => _payload.UInt32(0);

    /// <summary>Tag of the service after; Services records name it.</summary>
    public uint New => _payload.UInt32(4);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SubProcessTagRecord record)
    {
        record = new SubProcessTagRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Old", FieldValue.Unsigned(Old));
        fields.Field("New", FieldValue.Unsigned(New));
    }
}

/// <summary>A thread was given a name.</summary>
/// <remarks>
/// Hook 0x0548. Source: kernel-events 5.5; status V.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessId
/// 4     4     u32        ThreadId
/// 8     8     wz         Name
/// </code>
/// </remarks>
public readonly ref struct ThreadNameRecord : IKernelRecord<ThreadNameRecord>
{
    private readonly RecordPayload _payload;

    private ThreadNameRecord(in EtlEvent traceEvent) => _payload = RecordPayload.WithoutPointers(in traceEvent);

    /// <summary>Process of the thread.</summary>
    public uint ProcessId => _payload.UInt32(0);

    /// <summary>The thread.</summary>
    public uint ThreadId => _payload.UInt32(4);

    /// <summary>Its name, UTF-16.</summary>
    public ReadOnlySpan<byte> Name => _payload.Utf16(8, out _);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ThreadNameRecord record)
    {
        record = new ThreadNameRecord(in traceEvent);
        return record._payload.Length >= 8;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Name", FieldValue.Utf16Text(Name));
    }
}
