using System.Runtime.CompilerServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A thread was made ready to run. Who did it is what runs on that processor: its thread, or the DPC around this moment.</summary>
/// <remarks>
/// Hook 0x0532. Source: ETW_READY_THREAD_EVENT of ntwmi.h, MOF ReadyThread; not seen in a real file.
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

/// <summary>A thread was given a name.</summary>
/// <remarks>
/// Hook 0x0548. Source: MOF ThreadSetName, real files.
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
