using System.Runtime.InteropServices;

namespace Tracer.Capture.Sessions.Native;

/// <summary>
/// WNODE_HEADER: the head of every block that goes to StartTrace and ControlTrace. Fields are named as in wmistr.h; where that has a union,
/// the widest member. Tests compare sizes and offsets with the SDK's headers, for 64 and 32 bits.
/// </summary>
[StructLayout(LayoutKind.Sequential)]
internal struct WnodeHeader
{
    /// <summary>Bytes of the whole block, names included.</summary>
    public uint BufferSize;

    public uint ProviderId;

    /// <summary>Out: handle of the session.</summary>
    public ulong HistoricalContext;

    /// <summary>Out: reserved.</summary>
    public long TimeStamp;

    /// <summary>The session's GUID; all zero lets Windows make one.</summary>
    public Guid Guid;

    /// <summary>Clock of the time stamps: 1 is the performance counter.</summary>
    public uint ClientContext;

    /// <summary>WNODE_FLAG_TRACED_GUID.</summary>
    public uint Flags;
}

/// <summary>EVENT_TRACE_PROPERTIES: what a session is to be, and how it is doing. Fields are named as in evntrace.h.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EventTraceProperties
{
    public WnodeHeader Wnode;

    /// <summary>KiB of one buffer.</summary>
    public uint BufferSize;

    /// <summary>Buffers allocated at the start; the whole ring where nothing is written out.</summary>
    public uint MinimumBuffers;

    public uint MaximumBuffers;

    /// <summary>MiB of the file; 0 is no limit.</summary>
    public uint MaximumFileSize;

    public uint LogFileMode;

    /// <summary>Seconds after which a partly filled buffer is delivered; 0 is when it is full.</summary>
    public uint FlushTimer;

    /// <summary>EVENT_TRACE_FLAG_*: kernel events.</summary>
    public uint EnableFlags;

    /// <summary>Not used.</summary>
    public int AgeLimit;

    /// <summary>Out: buffers allocated.</summary>
    public uint NumberOfBuffers;

    /// <summary>Out: buffers not in use.</summary>
    public uint FreeBuffers;

    /// <summary>Out: events that found no buffer.</summary>
    public uint EventsLost;

    /// <summary>Out: buffers filled.</summary>
    public uint BuffersWritten;

    /// <summary>Out: buffers that could not be written to the file.</summary>
    public uint LogBuffersLost;

    /// <summary>Out: buffers that a real-time reader was too slow for.</summary>
    public uint RealTimeBuffersLost;

    /// <summary>Out: thread that writes.</summary>
    public nint LoggerThreadId;

    /// <summary>Bytes from the start of the block to the file's name; 0 is no file.</summary>
    public uint LogFileNameOffset;

    /// <summary>Bytes from the start of the block to the session's name.</summary>
    public uint LoggerNameOffset;
}
