using System.Runtime.CompilerServices;
using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>Where a processor was when the profile timer struck.</summary>
/// <remarks>
/// Hooks 0x0F2E sample, 0x0F47 NMI sample. Version 1 ends after Count. Source: PERFINFO_SAMPLED_PROFILE_INFORMATION of
/// ntwmi.h; version 2 was confirmed on real files, version 1 and NMI samples were not.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        InstructionPointer
/// 8     4     u32        ThreadId
/// 12    8     u16        Count
/// 14    10    u8         Flags (version 2 on)
/// 15    11    u8         Rank (version 2 on)
/// </code>
/// </remarks>
public readonly ref struct SampledProfileRecord : IKernelRecord<SampledProfileRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private SampledProfileRecord(in EtlEvent traceEvent)
    {
        _payload = new RecordPayload(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Address of the interrupted instruction.</summary>
    public ulong InstructionPointer => _payload.Pointer(0);

    /// <summary>Interrupted thread; 0 is idle.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <summary>Samples that this record stands for.</summary>
    public ushort Count => _payload.UInt16(_payload.At(12, 8));

    /// <summary>Bit 0: in a DPC; bit 1: in an ISR; bits 3 to 7: priority of the thread.</summary>
    public byte? Flags => _version >= 2 ? _payload.UInt8(_payload.At(14, 10)) : null;

    /// <summary>Rank of the thread.</summary>
    public byte? Rank => _version >= 2 ? _payload.UInt8(_payload.At(15, 11)) : null;

    /// <summary>Whether the processor was executing a DPC; null before version 2.</summary>
    public bool? IsInDpc => _version >= 2 ? (_payload.UInt8(_payload.At(14, 10)) & 1) != 0 : null;

    /// <summary>Whether the processor was executing an interrupt service routine; null before version 2.</summary>
    public bool? IsInIsr => _version >= 2 ? (_payload.UInt8(_payload.At(14, 10)) & 2) != 0 : null;

    /// <summary>Priority of the interrupted thread, 0 to 31; idle samples have 16; null before version 2.</summary>
    public int? ThreadPriority => _version >= 2 ? _payload.UInt8(_payload.At(14, 10)) >> 3 : null;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool TryRead(in EtlEvent traceEvent, out SampledProfileRecord record)
    {
        record = new SampledProfileRecord(in traceEvent);
        return record._payload.Length >= record._version switch
        {
            >= 2 => record._payload.At(16, 12),
            _ => record._payload.At(14, 10),
        };
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InstructionPointer", FieldValue.CodePointer(InstructionPointer));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("Count", FieldValue.Unsigned(Count));

        if (_version >= 2)
        {
            fields.Field("Flags", FieldValue.Hexadecimal(Flags.GetValueOrDefault()));
            fields.Field("Rank", FieldValue.Unsigned(Rank.GetValueOrDefault()));
        }
    }
}

/// <summary>Where a processor was when a performance counter overflowed.</summary>
/// <remarks>
/// Hook 0x0F2F. Source: PERFINFO_PMC_SAMPLE_INFORMATION of ntwmi.h; confirmed on bytes that the unit tests of snail-server print.
/// <code>
/// @8    @4    type       field
/// 0     0     ptr        InstructionPointer
/// 8     4     u32        ThreadId
/// 12    8     u16        ProfileSource
/// 14    10    u8[2]      reserved
/// </code>
/// </remarks>
public readonly ref struct PmcSampleRecord : IKernelRecord<PmcSampleRecord>
{
    private readonly RecordPayload _payload;

    private PmcSampleRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Address of the interrupted instruction.</summary>
    public ulong InstructionPointer => _payload.Pointer(0);

    /// <summary>Interrupted thread.</summary>
    public uint ThreadId => _payload.UInt32(_payload.At(8, 4));

    /// <summary>Number of the counter.</summary>
    public ushort ProfileSource => _payload.UInt16(_payload.At(12, 8));

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out PmcSampleRecord record)
    {
        record = new PmcSampleRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(16, 12);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("InstructionPointer", FieldValue.CodePointer(InstructionPointer));
        fields.Field("ThreadId", FieldValue.Unsigned(ThreadId));
        fields.Field("ProfileSource", FieldValue.Unsigned(ProfileSource));
    }
}

/// <summary>The interval between samples of one source: set, at the start or at the end of the collection.</summary>
/// <remarks>
/// Hooks 0x0F48 set, 0x0F49 start, 0x0F4A end. Version 3 adds the name. Source: MOF SampledProfileInterval_V3; versions 2 and
/// 3 of start and end were confirmed on real files.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        Source
/// 4     4     u32        NewInterval
/// 8     8     u32        OldInterval
/// 12    12    wz         SourceName (version 3 on)
/// </code>
/// </remarks>
public readonly ref struct SampleIntervalRecord : IKernelRecord<SampleIntervalRecord>
{
    private readonly RecordPayload _payload;
    private readonly int _version;

    private SampleIntervalRecord(in EtlEvent traceEvent)
    {
        _payload = RecordPayload.WithoutPointers(in traceEvent);
        _version = traceEvent.Version;
    }

    /// <summary>Source of the samples; 0 is the timer.</summary>
    public uint Source => _payload.UInt32(0);

    /// <summary>Interval from now on: units of 100 ns for the timer, events for a counter.</summary>
    public uint NewInterval => _payload.UInt32(4);

    /// <summary>Interval before, in the same unit.</summary>
    public uint OldInterval => _payload.UInt32(8);

    /// <summary>Name of the source, UTF-16; empty before version 3.</summary>
    public ReadOnlySpan<byte> SourceName => _version >= 3 ? _payload.Utf16(12, out _) : default;

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out SampleIntervalRecord record)
    {
        record = new SampleIntervalRecord(in traceEvent);
        return record._payload.Length >= 12;
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("Source", FieldValue.Unsigned(Source));
        fields.Field("NewInterval", FieldValue.Unsigned(NewInterval));
        fields.Field("OldInterval", FieldValue.Unsigned(OldInterval));

        if (_version >= 3)
        {
            fields.Field("SourceName", FieldValue.Utf16Text(SourceName));
        }
    }
}
