using System.Runtime.InteropServices;

namespace Tracer.Capture.Sessions.Native;

/// <summary>EVENT_FILTER_DESCRIPTOR: one filter of a provider in a session.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EventFilterDescriptor
{
    /// <summary>Address of the filter's data.</summary>
    public ulong Ptr;

    /// <summary>Bytes of them.</summary>
    public uint Size;

    /// <summary>EVENT_FILTER_TYPE_EVENT_ID.</summary>
    public uint Type;
}

/// <summary>Head of EVENT_FILTER_EVENT_ID; so many u16 ids follow.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EventFilterEventId
{
    /// <summary>1: these ids only.</summary>
    public byte FilterIn;

    /// <summary>Zero.</summary>
    public byte Reserved;

    /// <summary>How many ids.</summary>
    public ushort Count;
}
