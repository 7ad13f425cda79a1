using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A spin lock was held, or waited for.</summary>
/// <remarks>
/// Hook 0x0529. Times are as the kernel gives them; only the wait is known to be cycles. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        LockAddress
/// 8     4     ptr        Caller
/// 16    8     u64        AcquireTime
/// 24    16    u64        ReleaseTime
/// 32    24    u32        WaitTimeInCycles
/// 36    28    u32        SpinCount
/// 40    32    u32        ThreadId
/// 44    36    u32        InterruptCount
/// 48    40    u8         Irql
/// 49    41    u8         AcquireDepth
/// 50    42    u8         Flags
/// 51    43    u8[5]      reserved
/// </code>
/// </remarks>
public readonly ref struct SpinLockRecord : IKernelRecord<SpinLockRecord>
{
    private readonly RecordPayload _payload;

    private SpinLockRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the lock.</summary>
    public ulong LockAddress => _payload.Pointer(0);

    /// <summary>Address of the code that took it.</summary>
    public ulong Caller => _payload.Pointer(_payload.At(8, 4));

    /// <summary>When it was acquired, raw; its unit is not public.</summary>
    public ulong AcquireTime => _payload.UInt64(_payload.At(16, 8));

    /// <summary>When it was released, in the same unit.</summary>
    public ulong ReleaseTime => _payload.UInt64(_payload.At(24, 16));

    /// <summary>Processor cycles spent waiting.</summary>
    public uint WaitTimeInCycles => _payload.UInt32(_payload.At(32, 24));

    /// <summary>Rounds spent waiting.</summary>
    public uint SpinCount => _payload.UInt32(_payload.At(36, 28));

    /// <summary>Thread that took it.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(40, 32));

    /// <summary>Interrupts while it was held.</summary>
    public uint InterruptCount => _payload.UInt32(_payload.At(44, 36));

    /// <summary>Interrupt request level at which it was taken.</summary>
    public byte Irql => _payload.UInt8(_payload.At(48, 40));

    /// <summary>How many spin locks were nested.</summary>
    public byte AcquireDepth => _payload.UInt8(_payload.At(49, 41));

    /// <summary>Bits 0 to 5: mode; bit 6: in a DPC; bit 7: in an ISR.</summary>
    public byte Flags => _payload.UInt8(_payload.At(50, 42));

    /// <summary>Whether it was taken in a DPC.</summary>
    public bool IsInDpc => (Flags & 0x40) != 0;

    /// <summary>Whether it was taken in an interrupt service routine.</summary>
    public bool IsInIsr => (Flags & 0x80) != 0;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SpinLockRecord record)
    {
        record = new SpinLockRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(56, 48);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("LockAddress", FieldValue.Pointer(LockAddress));
        fields.Field("Caller", FieldValue.CodePointer(Caller));
        fields.Field("AcquireTime", FieldValue.Unsigned(AcquireTime));
        fields.Field("ReleaseTime", FieldValue.Unsigned(ReleaseTime));
        fields.Field("WaitTimeInCycles", FieldValue.Unsigned(WaitTimeInCycles));
        fields.Field("SpinCount", FieldValue.Unsigned(SpinCount));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("InterruptCount", FieldValue.Unsigned(InterruptCount));
        fields.Field("Irql", FieldValue.Unsigned(Irql));
        fields.Field("AcquireDepth", FieldValue.Unsigned(AcquireDepth));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
    }
}

/// <summary>
/// Use of an executive resource (ERESOURCE), a reader-writer lock. Times are as the kernel gives them; their units are not public.
/// </summary>
/// <remarks>
/// Hook 0x052B. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     u64        AcquireTime
/// 8     8     u64        HoldTime
/// 16    16    u64        WaitTime
/// 24    24    u32        MaxRecursion
/// 28    28    u32        ThreadId
/// 32    32    ptr        Resource
/// 40    36    u32        Action
/// 44    40    u32        ContentionDelta
/// </code>
/// </remarks>
public readonly ref struct ExecutiveResourceRecord : IKernelRecord<ExecutiveResourceRecord>
{
    private readonly RecordPayload _payload;

    private ExecutiveResourceRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>When it was acquired, raw.</summary>
    public ulong AcquireTime => _payload.UInt64(0);

    /// <summary>How long it was held, raw.</summary>
    public ulong HoldTime => _payload.UInt64(8);

    /// <summary>How long the thread waited, raw.</summary>
    public ulong WaitTime => _payload.UInt64(16);

    /// <summary>Deepest nesting.</summary>
    public uint MaxRecursion => _payload.UInt32(24);

    /// <summary>Thread that used it.</summary>
    public uint ThreadId => _payload.UInt32(28);

    /// <summary>Address of the resource.</summary>
    public ulong Resource => _payload.Pointer(32);

    /// <summary>What was done, as the kernel numbers it.</summary>
    public uint Action => _payload.UInt32(_payload.At(40, 36));

    /// <summary>Contentions since the record before.</summary>
    public uint ContentionDelta => _payload.UInt32(_payload.At(44, 40));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ExecutiveResourceRecord record)
    {
        record = new ExecutiveResourceRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(48, 44);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("AcquireTime", FieldValue.Unsigned(AcquireTime));
        fields.Field("HoldTime", FieldValue.Unsigned(HoldTime));
        fields.Field("WaitTime", FieldValue.Unsigned(WaitTime));
        fields.Field("MaxRecursion", FieldValue.Unsigned(MaxRecursion));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Resource", FieldValue.Pointer(Resource));
        fields.Field("Action", FieldValue.Unsigned(Action));
        fields.Field("ContentionDelta", FieldValue.Unsigned(ContentionDelta));
    }
}

/// <summary>A thread that holds a lock was lifted because another waits for it.</summary>
/// <remarks>
/// Hook 0x0542. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Lock
/// 8     4     u32        ThreadId
/// 12    8     u8         NewFloor
/// 13    9     u8         OldPriority
/// 14    10    u8         IoPriorities
/// 15    11    u8         Flags
/// </code>
/// </remarks>
public readonly ref struct AutoBoostFloorRecord : IKernelRecord<AutoBoostFloorRecord>
{
    private readonly RecordPayload _payload;

    private AutoBoostFloorRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the lock.</summary>
    public ulong Lock => _payload.Pointer(0);

    /// <summary>Lifted thread.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <summary>Priority below which it does not fall now.</summary>
    public byte NewFloor => _payload.UInt8(_payload.At(12, 8));

    /// <summary>Its priority before.</summary>
    public byte OldPriority => _payload.UInt8(_payload.At(13, 9));

    /// <summary>I/O priorities before and after, packed.</summary>
    public byte IoPriorities => _payload.UInt8(_payload.At(14, 10));

    /// <summary>1: in a DPC; 2: by a wake-up; 4: has requests under way.</summary>
    public byte Flags => _payload.UInt8(_payload.At(15, 11));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out AutoBoostFloorRecord record)
    {
        record = new AutoBoostFloorRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(16, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Lock", FieldValue.Pointer(Lock));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("NewFloor", FieldValue.Unsigned(NewFloor));
        fields.Field("OldPriority", FieldValue.Unsigned(OldPriority));
        fields.Field("IoPriorities", FieldValue.Hexadecimal(IoPriorities));
        fields.Field("Flags", FieldValue.Hexadecimal(Flags));
    }
}

/// <summary>The lift of a thread that held a lock ended.</summary>
/// <remarks>
/// Hook 0x0543. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Lock
/// 8     4     u32        ThreadId
/// 12    8     u16        Bitmap
/// 14    10    u8[2]      reserved
/// </code>
/// </remarks>
public readonly ref struct AutoBoostClearRecord : IKernelRecord<AutoBoostClearRecord>
{
    private readonly RecordPayload _payload;

    private AutoBoostClearRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the lock.</summary>
    public ulong Lock => _payload.Pointer(0);

    /// <summary>Thread that was lifted.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <summary>Priorities at which it had been lifted.</summary>
    public ushort Bitmap => _payload.UInt16(_payload.At(12, 8));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out AutoBoostClearRecord record)
    {
        record = new AutoBoostClearRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(16, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Lock", FieldValue.Pointer(Lock));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Bitmap", FieldValue.Hexadecimal(Bitmap));
    }
}

/// <summary>A thread could not be lifted: it has no free lock entry.</summary>
/// <remarks>
/// Hook 0x0544. Source: kernel-events 5.5; status S.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        Lock
/// 8     4     u32        ThreadId
/// </code>
/// </remarks>
public readonly ref struct AutoBoostNoEntriesRecord : IKernelRecord<AutoBoostNoEntriesRecord>
{
    private readonly RecordPayload _payload;

    private AutoBoostNoEntriesRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the lock.</summary>
    public ulong Lock => _payload.Pointer(0);

    /// <summary>The thread.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out AutoBoostNoEntriesRecord record)
    {
        record = new AutoBoostNoEntriesRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(12, 8);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Lock", FieldValue.Pointer(Lock));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
    }
}
