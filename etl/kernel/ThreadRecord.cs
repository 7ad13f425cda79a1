using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>A thread began or ended, or was there when the trace began or ended.</summary>
/// <remarks>
/// Hooks 0x0501 start, 0x0502 end, 0x0503 and 0x0504 rundown. Source: WMI_EXTENDED_THREAD_INFORMATION of
/// ntwmi.h, MOF Thread_TypeGroup1; version 3 was confirmed on real files, version 4 on bytes that the unit tests of snail-server print.
/// Version 0 has the two ids in the other order and nothing else; the end record of version 1 has the ids alone.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        ProcessId
/// 4     4     u32        ThreadId
/// 8     8     ptr        StackBase
/// 16    12    ptr        StackLimit
/// 24    16    ptr        UserStackBase
/// 32    20    ptr        UserStackLimit
/// 40    24    ptr        StartAddr (versions 1 and 2), Affinity (version 3 on)
/// 48    28    ptr        Win32StartAddr
/// 56    32    i8         WaitMode (version 1)
/// 56    32    ptr        TebBase (version 2 on)
/// 64    36    u32        SubProcessTag (version 2 on)
/// 68    40    u8[4]      BasePriority, PagePriority, IoPriority, Flags (version 3 on)
/// 72    44    wz         ThreadName (version 3 on; absent on Windows 8)
/// </code>
/// </remarks>
public readonly ref struct ThreadRecord : IKernelRecord<ThreadRecord>
{
    private const byte End = 2;

    private readonly RecordPayload _payload;
    private readonly int _version;
    private readonly bool _hasStacks;

    private ThreadRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
        _hasStacks = _version >= 2 || (_version == 1 && traceEvent.Opcode != End);
    }

    /// <summary>Process of the thread.</summary>
    public uint ProcessId => _payload.UInt32(_version == 0 ? 4 : 0);

    /// <summary>The thread.</summary>
    public uint ThreadId => _payload.UInt32(_version == 0 ? 0 : 4);

    /// <summary>Start of its kernel stack: the highest address.</summary>
    public ulong? StackBase => _hasStacks ? _payload.Pointer(8) : null;

    /// <summary>End of its kernel stack: the lowest address.</summary>
    public ulong? StackLimit => _hasStacks ? _payload.Pointer(_payload.At(16, 12)) : null;

    /// <summary>Start of its user stack: the highest address.</summary>
    public ulong? UserStackBase => _hasStacks ? _payload.Pointer(_payload.At(24, 16)) : null;

    /// <summary>End of its user stack: the lowest address.</summary>
    public ulong? UserStackLimit => _hasStacks ? _payload.Pointer(_payload.At(32, 20)) : null;

    /// <summary>Address at which it began; null from version 3 on.</summary>
    public ulong? StartAddr => _hasStacks && _version < 3 ? _payload.Pointer(_payload.At(40, 24)) : null;

    /// <summary>Processors that it may use; null before version 3.</summary>
    public ulong? Affinity => _version >= 3 ? _payload.Pointer(_payload.At(40, 24)) : null;

    /// <summary>Address at which the program meant it to begin.</summary>
    public ulong? Win32StartAddr => _hasStacks ? _payload.Pointer(_payload.At(48, 28)) : null;

    /// <summary>Where it waits; version 1 only.</summary>
    public sbyte? WaitMode => _hasStacks && _version == 1 ? _payload.Int8(_payload.At(56, 32)) : null;

    /// <summary>Address of its environment block; null before version 2.</summary>
    public ulong? TebBase => _version >= 2 ? _payload.Pointer(_payload.At(56, 32)) : null;

    /// <summary>Tag of the service it works for, 0 for none; null before version 2.</summary>
    public uint? SubProcessTag => _version >= 2 ? _payload.UInt32(_payload.At(64, 36)) : null;

    /// <summary>Base priority; null before version 3.</summary>
    public sbyte? BasePriority => _version >= 3 ? _payload.Int8(_payload.At(68, 40)) : null;

    /// <summary>Page priority; null before version 3.</summary>
    public byte? PagePriority => _version >= 3 ? _payload.UInt8(_payload.At(69, 41)) : null;

    /// <summary>I/O priority; null before version 3.</summary>
    public byte? IoPriority => _version >= 3 ? _payload.UInt8(_payload.At(70, 42)) : null;

    /// <summary>Flags as the kernel gives them; null before version 3.</summary>
    public byte? Flags => _version >= 3 ? _payload.UInt8(_payload.At(71, 43)) : null;

    /// <summary>Whether the record has room for a name: false before Windows 10.</summary>
    public bool HasThreadName => _version >= 3 && _payload.Length > _payload.At(72, 44);

    /// <summary>Name of the thread, UTF-16; empty where it has none.</summary>
    public ReadOnlySpan<byte> ThreadName => HasThreadName ? _payload.Utf16(_payload.At(72, 44), out _) : default;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out ThreadRecord record)
    {
        record = new ThreadRecord(in traceEvent);
        RecordPayload payload = record._payload;
        return payload.Length >= record._version switch
        {
            >= 3 => payload.At(72, 44),
            2 => payload.At(68, 40),
            _ => record._hasStacks ? payload.At(57, 33) : 8,
        };
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("ProcessId", FieldValue.Unsigned(ProcessId));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        if (!_hasStacks)
        {
            return;
        }

        fields.Field("StackBase", FieldValue.Pointer(StackBase.GetValueOrDefault()));
        fields.Field("StackLimit", FieldValue.Pointer(StackLimit.GetValueOrDefault()));
        fields.Field("UserStackBase", FieldValue.Pointer(UserStackBase.GetValueOrDefault()));
        fields.Field("UserStackLimit", FieldValue.Pointer(UserStackLimit.GetValueOrDefault()));
        if (StartAddr is ulong startAddress)
        {
            fields.Field("StartAddr", FieldValue.CodePointer(startAddress));
        }

        if (Affinity is ulong affinity)
        {
            fields.Field("Affinity", FieldValue.Hexadecimal(affinity));
        }

        fields.Field("Win32StartAddr", FieldValue.CodePointer(Win32StartAddr.GetValueOrDefault()));
        if (WaitMode is sbyte waitMode)
        {
            fields.Field("WaitMode", NamedNumber<ThreadWaitMode>.Of((ulong)waitMode));
        }

        if (_version >= 2)
        {
            fields.Field("TebBase", FieldValue.Pointer(TebBase.GetValueOrDefault()));
            fields.Field("SubProcessTag", FieldValue.Unsigned(SubProcessTag.GetValueOrDefault()));
        }

        if (_version >= 3)
        {
            fields.Field("BasePriority", FieldValue.Signed(BasePriority.GetValueOrDefault()));
            fields.Field("PagePriority", FieldValue.Unsigned(PagePriority.GetValueOrDefault()));
            fields.Field("IoPriority", FieldValue.Unsigned(IoPriority.GetValueOrDefault()));
            fields.Field("Flags", FieldValue.Hexadecimal(Flags.GetValueOrDefault()));
        }

        if (HasThreadName)
        {
            fields.Field("ThreadName", FieldValue.Utf16Text(ThreadName));
        }
    }
}
