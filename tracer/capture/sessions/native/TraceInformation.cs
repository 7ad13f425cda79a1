using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Tracer.Capture.Sessions.Native;

/// <summary>Which setting TraceSetInformation and TraceQueryInformation mean; values of TRACE_QUERY_INFO_CLASS in evntrace.h.</summary>
internal enum TraceInformationClass : uint
{
    /// <summary>Kernel events with stacks: an array of <see cref="ClassicEventId"/>, which replaces the one before.</summary>
    TraceStackTracingInfo = 3,

    /// <summary>Kernel events of a session: PERFINFO_GROUPMASK, <see cref="KernelMasks"/>.</summary>
    TraceSystemTraceEnableFlagsInfo = 4,

    /// <summary>Sampling interval of the machine: <see cref="TraceProfileInterval"/>; the handle is 0.</summary>
    TraceSampledProfileIntervalInfo = 5,

    /// <summary>How many sessions may run: a u32; can be queried only, and the handle is not used.</summary>
    TraceMaxLoggersQuery = 19,
}

/// <summary>CLASSIC_EVENT_ID: names a kernel event.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ClassicEventId
{
    public Guid EventGuid;

    public byte Type;

    /// <summary>Zero.</summary>
    public ReservedBytes Reserved;

    /// <summary>Seven bytes.</summary>
    [InlineArray(7)]
    public struct ReservedBytes
    {
        private byte _first;
    }
}

[StructLayout(LayoutKind.Sequential)]
internal struct TraceProfileInterval
{
    /// <summary>What samples: 0 is the timer.</summary>
    public uint Source;

    /// <summary>From one sample to the next, in units of 100 ns.</summary>
    public uint Interval;
}

/// <summary>ENABLE_TRACE_PARAMETERS, version 2: how a provider's events go into a session.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct EnableTraceParameters
{
    /// <summary>ENABLE_TRACE_PARAMETERS_VERSION_2.</summary>
    public uint Version;

    /// <summary>EVENT_ENABLE_PROPERTY_*: extended data.</summary>
    public uint EnableProperty;

    /// <summary>Zero.</summary>
    public uint ControlFlags;

    public Guid SourceId;

    public nint EnableFilterDesc;

    public uint FilterDescCount;
}
