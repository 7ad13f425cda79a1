namespace Tracer.Etl;

/// <summary>
/// What the first event of a file says (TRACE_LOGFILE_HEADER of evntrace.h, hook 0x0000 version 2), with raw values as they stand there.
/// A reader gives it; a writer takes it.
/// </summary>
public sealed record EtlFileHeader
{
    /// <summary>The clock of all time stamps: from StartTime, PerfFreq, ReservedFlags and the header event's own time stamp.</summary>
    public required TraceClock Clock { get; init; }

    /// <summary>
    /// Logical processors; 1 where the session had one stream for all (<see cref="EtlLogFileMode.NoPerProcessorBuffering"/>).
    /// </summary>
    public required int ProcessorCount { get; init; }

    /// <summary>Session buffer size in bytes, uncompressed: 64 KiB is usual.</summary>
    public int BufferBytes { get; init; } = 64 * 1024;

    /// <summary>Operating system version, major: 6 or 10.</summary>
    public byte OsMajor { get; init; } = 10;

    /// <summary>Operating system version, minor.</summary>
    public byte OsMinor { get; init; }

    /// <summary>
    /// Log layout, major (SubVersion): 1, or 2 with compression, buffers over 1 MiB or more than 256 CPUs. A writer
    /// raises it where the file needs that.
    /// </summary>
    public byte LayoutMajor { get; init; } = 1;

    /// <summary>Log layout, minor (SubMinorVersion): 5 in layout 1, 0 in layout 2.</summary>
    public byte LayoutMinor { get; init; } = 5;

    /// <summary>Build number of the operating system (ProviderVersion).</summary>
    public int OsBuild { get; init; }

    /// <summary>
    /// When the file was closed: FILETIME, 100 ns since 1601, UTC. 0 if it never was; may precede the last event of a merged file.
    /// </summary>
    public long EndFileTime { get; init; }

    /// <summary>Interval of the system clock, in units of 100 ns; 156,250 is usual.</summary>
    public uint TimerResolution100ns { get; init; } = 156_250;

    /// <summary>Limit of the file's size: MiB, or KiB with <see cref="EtlLogFileMode.SizeInKb"/>; 0 is none.</summary>
    public uint MaximumFileSize { get; init; }

    /// <summary>How the file was written.</summary>
    public EtlLogFileMode Mode { get; init; } = EtlLogFileMode.Sequential;

    /// <summary>Buffers that the writer says it wrote, this one included; stale or 0 if it never closed the file.</summary>
    public uint BuffersWritten { get; init; }

    /// <summary>Buffers that the session started with; 1 in every file seen.</summary>
    public uint StartBuffers { get; init; } = 1;

    /// <summary>
    /// Pointer width of the machine in bytes, 4 or 8; only the default for events, see <see cref="EtlEvent.PointerBytes"/>.
    /// </summary>
    public int PointerBytes { get; init; } = 8;

    /// <summary>Events that the writer says it lost.</summary>
    public uint EventsLost { get; init; }

    /// <summary>Buffers that the writer says it lost.</summary>
    public uint BuffersLost { get; init; }

    /// <summary>
    /// Nominal processor speed in MHz. Other readers divide by it, so that a written file must not say 0; the rate of
    /// <see cref="TraceClockKind.CpuCycles"/>.
    /// </summary>
    public uint CpuMhz { get; init; } = 1000;

    /// <summary>When the system started: FILETIME, 100 ns since 1601, UTC.</summary>
    public long BootFileTime { get; init; }

    /// <summary>Time zone of the machine.</summary>
    public EtlTimeZone TimeZone { get; init; } = EtlTimeZone.Utc;

    /// <summary>
    /// Number of the hardware timer behind the clock interrupt; stands where LoggerName was a pointer once. 0 in relogged files.
    /// </summary>
    public ulong InterruptTimerSource { get; init; }

    /// <summary>Number of the hardware timer behind the performance counter, stands where LogFileName was a pointer once.</summary>
    public ulong CounterTimerSource { get; init; }

    /// <summary>
    /// Rate of the performance counter in Hz (PerfFreq) where it is not the rate of <see cref="Clock"/>: with another clock, or where the
    /// file says 0 or less. Null otherwise.
    /// </summary>
    public long? PerformanceFrequency { get; init; }

    /// <summary>
    /// What the file calls its clock (ReservedFlags) where that is none of <see cref="TraceClockKind"/>; <see cref="Clock"/> then takes it
    /// for the performance counter. Null otherwise.
    /// </summary>
    public uint? UnknownClockKind { get; init; }

    /// <summary>Whether the file names the rate of its clock; where not, <see cref="Clock"/> assumes 10 MHz.</summary>
    public bool IsClockRateKnown => Clock.Kind switch
    {
        TraceClockKind.SystemTime => true,
        TraceClockKind.CpuCycles => CpuMhz > 0,
        _ => PerformanceFrequency is null or > 0,
    };

    /// <summary>
    /// Whether the file says what its time stamps count, and how fast: without that they tell an order and no time. A kind of 0 is the
    /// performance counter, which a session has that asks for no clock (ClientContext of WNODE_HEADER).
    /// </summary>
    public bool IsClockKnown => IsClockRateKnown && UnknownClockKind is null or 0;

    /// <summary>Name of the session; <c>Relogger</c> in merged files.</summary>
    public string SessionName { get; init; } = "";

    /// <summary>Name of the file when it was written; <c>[multiple files]</c> in merged files.</summary>
    public string FileName { get; init; } = "";
}
