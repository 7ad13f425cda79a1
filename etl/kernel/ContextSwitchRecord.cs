using System.Runtime.CompilerServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A processor switches from one thread to another. The stack of the event belongs to the new thread.</summary>
/// <remarks>
/// Hook 0x0524. Source: WMI_CONTEXTSWAP of ntwmi.h, MOF CSwitch_V1 to CSwitch_V4; versions 2 and 5 were confirmed on real files, version 4
/// on bytes that the unit tests of snail-server print. The same for both pointer widths.
/// <code>
/// at    type       field
/// 0     u32        NewThreadId
/// 4     u32        OldThreadId
/// 8     i8         NewThreadPriority
/// 9     i8         OldThreadPriority
/// 10    u8         PreviousCState where the old thread is idle, else OldThreadRank (version 1: NewThreadQuantum)
/// 11    i8         NewThreadPriorityDecrement (version 1: OldThreadQuantum)
/// 12    i8         OldThreadWaitReason
/// 13    u8         bit 0 OldThreadWaitMode; version 3: bits 1, 2 BAM flags; version 4 on: bits 1-3 old, 4-6 new QoS level
/// 14    u8         OldThreadState
/// 15    u8         OldThreadIdealProcessor
/// 16    u32        NewThreadWaitTime (version 2 on)
/// 20    i32        OldThreadRemainingQuantum (version 2 on)
/// 24    u32        unknown (version 5, 28 bytes)
/// </code>
/// </remarks>
public readonly ref struct ContextSwitchRecord : IKernelRecord<ContextSwitchRecord>
{
    private const int FirstVersionBytes = 16;
    private const int Bytes = 24;

    private readonly RecordPayload _payload;
    private readonly int _version;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private ContextSwitchRecord(in EtlEvent traceEvent)
    {
        _payload = RecordPayload.WithoutPointers(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Thread that runs from now on; 0 is idle.</summary>
    public uint NewThreadId => _payload.UInt32(0);

    /// <summary>Thread that ran until now; 0 is idle.</summary>
    public uint OldThreadId => _payload.UInt32(4);

    /// <summary>Priority of the new thread.</summary>
    public sbyte NewThreadPriority => _payload.Int8(8);

    /// <summary>Priority of the old thread.</summary>
    public sbyte OldThreadPriority => _payload.Int8(9);

    /// <summary>Idle state that the processor was in; null where the old thread is not idle, and in version 1.</summary>
    public byte? PreviousCState => HasWaitTime && OldThreadId == 0 ? _payload.UInt8(10) : null;

    /// <summary>Rank of the old thread; null where it is idle, and in version 1.</summary>
    public byte? OldThreadRank => HasWaitTime && OldThreadId != 0 ? _payload.UInt8(10) : null;

    /// <summary>Quantum of the new thread; version 1 only.</summary>
    public sbyte? NewThreadQuantum => HasWaitTime ? null : _payload.Int8(10);

    /// <summary>How far the new thread's priority has to sink to its base; null in version 1.</summary>
    public sbyte? NewThreadPriorityDecrement => HasWaitTime ? _payload.Int8(11) : null;

    /// <summary>Quantum of the old thread; version 1 only.</summary>
    public sbyte? OldThreadQuantum => HasWaitTime ? null : _payload.Int8(11);

    /// <summary>What the old thread waits for; meant only where its state is <see cref="KernelThreadState.Waiting"/>.</summary>
    public WaitReason OldThreadWaitReason => (WaitReason)_payload.Int8(12);

    /// <summary>Where the old thread waits.</summary>
    public ThreadWaitMode OldThreadWaitMode => (ThreadWaitMode)(_payload.UInt8(13) & 1);

    /// <summary>Flags of the background activity moderator for the old thread; version 3 only.</summary>
    public byte? BamFlags => _version == 3 ? (byte)((_payload.UInt8(13) >> 1) & 3) : null;

    /// <summary>Quality-of-service level of the old thread; null before version 4.</summary>
    public byte? OldThreadQosLevel => _version >= 4 ? (byte)((_payload.UInt8(13) >> 1) & 7) : null;

    /// <summary>Quality-of-service level of the new thread; null before version 4.</summary>
    public byte? NewThreadQosLevel => _version >= 4 ? (byte)((_payload.UInt8(13) >> 4) & 7) : null;

    /// <summary>What becomes of the old thread.</summary>
    public KernelThreadState OldThreadState => (KernelThreadState)_payload.UInt8(14);

    /// <summary>Ideal processor of the old thread, the low eight bits of its index.</summary>
    public byte OldThreadIdealProcessor => _payload.UInt8(15);

    /// <summary>How long the new thread waited, in clock ticks (usually 15.6 ms each); null in version 1.</summary>
    public uint? NewThreadWaitTime => HasWaitTime ? _payload.UInt32(16) : null;

    /// <summary>What the old thread had left of its quantum, in units of 1,024 cycles; null in version 1.</summary>
    public int? OldThreadRemainingQuantum => HasWaitTime ? _payload.Int32(20) : null;

    /// <summary>Four bytes that Windows 11 appends in version 5, of unknown meaning; null where they are missing.</summary>
    public uint? Unknown24 => _version >= 5 && _payload.Length >= Bytes + 4 ? _payload.UInt32(Bytes) : null;

    private bool HasWaitTime => _version >= 2;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(in EtlEvent traceEvent, out ContextSwitchRecord record)
    {
        record = new ContextSwitchRecord(in traceEvent);
        return record._payload.Length >= (record.HasWaitTime ? Bytes : FirstVersionBytes);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("NewThreadId", FieldValue.Unsigned(NewThreadId));
        fields.Field("OldThreadId", FieldValue.Unsigned(OldThreadId));
        fields.Field("NewThreadPriority", FieldValue.Signed(NewThreadPriority));
        fields.Field("OldThreadPriority", FieldValue.Signed(OldThreadPriority));
        if (HasWaitTime)
        {
            fields.Field(OldThreadId == 0 ? "PreviousCState" : "OldThreadRank", FieldValue.Unsigned(_payload.UInt8(10)));
            fields.Field("NewThreadPriorityDecrement", FieldValue.Signed(_payload.Int8(11)));
        }
        else
        {
            fields.Field("NewThreadQuantum", FieldValue.Signed(_payload.Int8(10)));
            fields.Field("OldThreadQuantum", FieldValue.Signed(_payload.Int8(11)));
        }

        fields.Field("OldThreadWaitReason", NamedNumber<WaitReason>.Of((ulong)OldThreadWaitReason));
        fields.Field("OldThreadWaitMode", NamedNumber<ThreadWaitMode>.Of((ulong)OldThreadWaitMode));
        if (BamFlags is byte bamFlags)
        {
            fields.Field("BamFlags", FieldValue.Hexadecimal(bamFlags));
        }

        if (_version >= 4)
        {
            fields.Field("OldThreadQosLevel", FieldValue.Unsigned(OldThreadQosLevel.GetValueOrDefault()));
            fields.Field("NewThreadQosLevel", FieldValue.Unsigned(NewThreadQosLevel.GetValueOrDefault()));
        }

        fields.Field("OldThreadState", NamedNumber<KernelThreadState>.Of((ulong)OldThreadState));
        fields.Field("OldThreadIdealProcessor", FieldValue.Unsigned(OldThreadIdealProcessor));
        if (HasWaitTime)
        {
            fields.Field("NewThreadWaitTime", FieldValue.Unsigned(NewThreadWaitTime.GetValueOrDefault()));
            fields.Field("OldThreadRemainingQuantum", FieldValue.Signed(OldThreadRemainingQuantum.GetValueOrDefault()));
        }

        if (Unknown24 is uint unknown)
        {
            fields.Field("Unknown24", FieldValue.Hexadecimal(unknown));
        }
    }
}
