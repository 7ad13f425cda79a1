using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A spin lock was held, or waited for.</summary>
/// <remarks>
/// Hook 0x0529. Times are as the kernel gives them; only the wait is known to be cycles. Source: WMI_SPINLOCK of
/// ntwmi.h; not seen in a real file.
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
