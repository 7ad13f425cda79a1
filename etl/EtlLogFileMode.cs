namespace Tracer.Etl;

/// <summary>
/// LogFileMode bits of the log-file header that matter to a reader (EVENT_TRACE_*_MODE of evntrace.h); others are kept as they are.
/// </summary>
[Flags]
public enum EtlLogFileMode : uint
{
    /// <summary>No bit.</summary>
    None = 0,

    /// <summary>Buffers follow each other from first to last.</summary>
    Sequential = 0x1,

    /// <summary>The file is a ring behind the header buffer: the oldest buffer has the smallest sequence number.</summary>
    Circular = 0x2,

    /// <summary>Parts were appended; sequence numbers restart in each.</summary>
    Append = 0x4,

    /// <summary>One of a series of files.</summary>
    NewFile = 0x8,

    /// <summary>The file was allocated in advance; its unused part is filler.</summary>
    Preallocate = 0x20,

    /// <summary>The session delivered in real time as well.</summary>
    RealTime = 0x100,

    /// <summary>A snapshot of a ring in memory.</summary>
    Buffering = 0x400,

    /// <summary>A session inside one process.</summary>
    PrivateLogger = 0x800,

    /// <summary>MaximumFileSize counts KiB, not MiB.</summary>
    SizeInKb = 0x2000,

    /// <summary>The file was written by a relogger or a merge.</summary>
    Relog = 0x10000,

    /// <summary>A system logger: it receives kernel events.</summary>
    SystemLogger = 0x2000000,

    /// <summary>Buffers may be compressed.</summary>
    Compressed = 0x4000000,

    /// <summary>One stream for all CPUs: the CPU of an event is unknown.</summary>
    NoPerProcessorBuffering = 0x10000000,
}
