using Tracer.Etl.Decoding;

namespace Tracer.Etl.Kernel;

/// <summary>First event of every file: what the session was, and the facts that turn ticks into time (TRACE_LOGFILE_HEADER).</summary>
/// <remarks>
/// Hook 0x0000, SYSTEM header; the header type tells which form. Source: kernel-events 12 (etl-format 4); status V in both widths.
/// <code>
/// @8    @4    type       field
/// 0     0     u32        BufferSize
/// 4     4     u8         MajorVersion
/// 5     5     u8         MinorVersion
/// 6     6     u8         SubVersion
/// 7     7     u8         SubMinorVersion
/// 8     8     u32        ProviderVersion
/// 12    12    u32        NumberOfProcessors
/// 16    16    i64        EndTime
/// 24    24    u32        TimerResolution
/// 28    28    u32        MaximumFileSize
/// 32    32    u32        LogFileMode
/// 36    36    u32        BuffersWritten
/// 40    40    u32        StartBuffers
/// 44    44    u32        PointerSize
/// 48    48    u32        EventsLost
/// 52    52    u32        CpuSpeedInMHz
/// 56    56    ptr        LoggerName
/// 64    60    ptr        LogFileName
/// 72    64    i32        Bias
/// 76    68    u16[32]    StandardName
/// 140   132   u16[8]     StandardDate
/// 156   148   i32        StandardBias
/// 160   152   u16[32]    DaylightName
/// 224   216   u16[8]     DaylightDate
/// 240   232   i32        DaylightBias
/// 244   236   u8[4]      reserved
/// 248   240   i64        BootTime
/// 256   248   i64        PerfFreq
/// 264   256   i64        StartTime
/// 272   264   u32        ReservedFlags
/// 276   268   u32        BuffersLost
/// 280   272   wz         SessionName
/// +     +     wz         FileName
/// </code>
/// </remarks>
public readonly ref struct LogFileHeaderRecord : IKernelRecord<LogFileHeaderRecord>
{
    private readonly RecordPayload _payload;

    private LogFileHeaderRecord(in EtlEvent traceEvent) => _payload = new RecordPayload(in traceEvent);

    /// <summary>Size of a session buffer in bytes, uncompressed.</summary>
    public uint BufferSize => _payload.UInt32(0);

    /// <summary>Operating system version, major.</summary>
    public byte MajorVersion => _payload.UInt8(4);

    /// <summary>Operating system version, minor.</summary>
    public byte MinorVersion => _payload.UInt8(5);

    /// <summary>Log layout, major.</summary>
    public byte SubVersion => _payload.UInt8(6);

    /// <summary>Log layout, minor.</summary>
    public byte SubMinorVersion => _payload.UInt8(7);

    /// <summary>Build number of the operating system.</summary>
    public uint ProviderVersion => _payload.UInt32(8);

    /// <summary>Logical processors; 1 where the session had one stream for all.</summary>
    public uint NumberOfProcessors => _payload.UInt32(12);

    /// <summary>When the file was closed: FILETIME, 100 ns since 1601, UTC; 0 if it never was.</summary>
    public long EndTime => _payload.Int64(16);

    /// <summary>Interval of the system clock in units of 100 ns.</summary>
    public uint TimerResolution => _payload.UInt32(24);

    /// <summary>Limit of the file's size: MiB, or KiB where the mode says so.</summary>
    public uint MaximumFileSize => _payload.UInt32(28);

    /// <summary>Mode bits, see <see cref="EtlLogFileMode"/>.</summary>
    public uint LogFileMode => _payload.UInt32(32);

    /// <summary>Buffers in the file, this one included; stale where the file was never closed.</summary>
    public uint BuffersWritten => _payload.UInt32(36);

    /// <summary>Buffers of the header: 1.</summary>
    public uint StartBuffers => _payload.UInt32(40);

    /// <summary>Pointer width of the machine in bytes.</summary>
    public uint PointerSize => _payload.UInt32(44);

    /// <summary>Events that the session lost.</summary>
    public uint EventsLost => _payload.UInt32(48);

    /// <summary>Nominal speed of the processors in MHz.</summary>
    public uint CpuSpeedInMHz => _payload.UInt32(52);

    /// <summary>No pointer since Windows 7: number of the timer source behind the clock interrupt.</summary>
    public ulong LoggerName => _payload.Pointer(56);

    /// <summary>No pointer since Windows 7: number of the timer source behind the performance counter.</summary>
    public ulong LogFileName => _payload.Pointer(_payload.At(64, 60));

    /// <summary>Minutes to add to local time to get UTC.</summary>
    public int Bias => _payload.Int32(_payload.At(72, 64));

    /// <summary>Name of standard time, UTF-16; often a reference to a resource.</summary>
    public ReadOnlySpan<byte> StandardName => _payload.FixedUtf16(_payload.At(76, 68), 32);

    /// <summary>When standard time begins: SYSTEMTIME, 16 bytes.</summary>
    public ReadOnlySpan<byte> StandardDate => _payload.Slice(_payload.At(140, 132), 16);

    /// <summary>Further minutes during standard time.</summary>
    public int StandardBias => _payload.Int32(_payload.At(156, 148));

    /// <summary>Name of daylight saving time, UTF-16.</summary>
    public ReadOnlySpan<byte> DaylightName => _payload.FixedUtf16(_payload.At(160, 152), 32);

    /// <summary>When daylight saving time begins: SYSTEMTIME, 16 bytes.</summary>
    public ReadOnlySpan<byte> DaylightDate => _payload.Slice(_payload.At(224, 216), 16);

    /// <summary>Further minutes during daylight saving time.</summary>
    public int DaylightBias => _payload.Int32(_payload.At(240, 232));

    /// <summary>When the system started: FILETIME, 100 ns since 1601, UTC.</summary>
    public long BootTime => _payload.Int64(_payload.At(248, 240));

    /// <summary>Rate of the performance counter in ticks per second.</summary>
    public long PerfFreq => _payload.Int64(_payload.At(256, 248));

    /// <summary>When this event was logged: FILETIME, 100 ns since 1601, UTC.</summary>
    public long StartTime => _payload.Int64(_payload.At(264, 256));

    /// <summary>The clock of all time stamps; 0 before Vista.</summary>
    public TraceClockKind ReservedFlags => (TraceClockKind)_payload.UInt32(_payload.At(272, 264));

    /// <summary>Buffers that the session lost.</summary>
    public uint BuffersLost => _payload.UInt32(_payload.At(276, 268));

    /// <summary>Name of the session, UTF-16.</summary>
    public ReadOnlySpan<byte> SessionName => _payload.Utf16(_payload.At(280, 272), out _);

    /// <summary>Name of the file when it was written, UTF-16.</summary>
    public ReadOnlySpan<byte> FileName => _payload.Utf16Nth(_payload.At(280, 272), 1);

    /// <inheritdoc/>
    public static bool TryRead(in EtlEvent traceEvent, out LogFileHeaderRecord record)
    {
        record = new LogFileHeaderRecord(in traceEvent);
        return record._payload.Length >= record._payload.At(280, 272);
    }

    /// <inheritdoc/>
    public void WriteFields(IFieldSink fields)
    {
        fields.Field("BufferSize", FieldValue.Unsigned(BufferSize));
        fields.Field("MajorVersion", FieldValue.Unsigned(MajorVersion));
        fields.Field("MinorVersion", FieldValue.Unsigned(MinorVersion));
        fields.Field("SubVersion", FieldValue.Unsigned(SubVersion));
        fields.Field("SubMinorVersion", FieldValue.Unsigned(SubMinorVersion));
        fields.Field("ProviderVersion", FieldValue.Unsigned(ProviderVersion));
        fields.Field("NumberOfProcessors", FieldValue.Unsigned(NumberOfProcessors));
        fields.Field("EndTime", FieldValue.FileTime(EndTime));
        fields.Field("TimerResolution", FieldValue.Unsigned(TimerResolution));
        fields.Field("MaximumFileSize", FieldValue.Unsigned(MaximumFileSize));
        fields.Field("LogFileMode", FieldValue.Hexadecimal(LogFileMode));
        fields.Field("BuffersWritten", FieldValue.Unsigned(BuffersWritten));
        fields.Field("StartBuffers", FieldValue.Unsigned(StartBuffers));
        fields.Field("PointerSize", FieldValue.Unsigned(PointerSize));
        fields.Field("EventsLost", FieldValue.Unsigned(EventsLost));
        fields.Field("CpuSpeedInMHz", FieldValue.Unsigned(CpuSpeedInMHz));
        fields.Field("LoggerName", FieldValue.Pointer(LoggerName));
        fields.Field("LogFileName", FieldValue.Pointer(LogFileName));
        fields.Field("Bias", FieldValue.Signed(Bias));
        fields.Field("StandardName", FieldValue.Utf16Text(StandardName));
        fields.Field("StandardDate", FieldValue.SystemTime(StandardDate));
        fields.Field("StandardBias", FieldValue.Signed(StandardBias));
        fields.Field("DaylightName", FieldValue.Utf16Text(DaylightName));
        fields.Field("DaylightDate", FieldValue.SystemTime(DaylightDate));
        fields.Field("DaylightBias", FieldValue.Signed(DaylightBias));
        fields.Field("BootTime", FieldValue.FileTime(BootTime));
        fields.Field("PerfFreq", FieldValue.Signed(PerfFreq));
        fields.Field("StartTime", FieldValue.FileTime(StartTime));
        fields.Field("ReservedFlags", NamedNumber<TraceClockKind>.Of((ulong)ReservedFlags));
        fields.Field("BuffersLost", FieldValue.Unsigned(BuffersLost));
        fields.Field("SessionName", FieldValue.Utf16Text(SessionName));
        fields.Field("FileName", FieldValue.Utf16Text(FileName));
    }
}
