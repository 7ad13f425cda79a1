namespace Tracer.Etl;

/// <summary>
/// What the first event of a file says (TRACE_LOGFILE_HEADER, hook 0x0000 version 2; etl-format 4), with raw values as they stand there.
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

    /// <summary>Log layout, major: 1, or 2 with compression, buffers over 1 MiB or more than 256 CPUs.</summary>
    public byte LayoutMajor { get; init; } = 1;

    /// <summary>Log layout, minor.</summary>
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

    /// <summary>
    /// Pointer width of the machine in bytes, 4 or 8; only the default for events, see <see cref="EtlEvent.PointerBytes"/>.
    /// </summary>
    public int PointerBytes { get; init; } = 8;

    /// <summary>Events that the writer says it lost.</summary>
    public uint EventsLost { get; init; }

    /// <summary>Buffers that the writer says it lost.</summary>
    public uint BuffersLost { get; init; }

    /// <summary>Nominal processor speed in MHz.</summary>
    public uint CpuMhz { get; init; }

    /// <summary>When the system started: FILETIME, 100 ns since 1601, UTC.</summary>
    public long BootFileTime { get; init; }

    /// <summary>Time zone: UTC is local time plus so many minutes.</summary>
    public int BiasMinutes { get; init; }

    /// <summary>Name of the session; <c>Relogger</c> in merged files.</summary>
    public string SessionName { get; init; } = "";

    /// <summary>Name of the file when it was written; <c>[multiple files]</c> in merged files.</summary>
    public string FileName { get; init; } = "";
}
