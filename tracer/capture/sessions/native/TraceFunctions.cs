using System.Runtime.InteropServices;

namespace Tracer.Capture.Sessions.Native;

/// <summary>The tracing functions of Windows (evntrace.h), each with the Win32 code as result.</summary>
internal static unsafe partial class TraceFunctions
{
    public const string Library = "advapi32.dll";

    [LibraryImport(Library, EntryPoint = "StartTraceW", StringMarshalling = StringMarshalling.Utf16)]
    public static partial uint StartTrace(out ulong traceId, string name, EventTraceProperties* properties);

    /// <summary>Queries, stops or flushes a session, by handle or by name.</summary>
    [LibraryImport(Library, EntryPoint = "ControlTraceW", StringMarshalling = StringMarshalling.Utf16)]
    public static partial uint ControlTrace(ulong traceId, string? name, EventTraceProperties* properties, uint controlCode);

    /// <summary>Describes all sessions that the caller may see.</summary>
    [LibraryImport(Library, EntryPoint = "QueryAllTracesW")]
    public static partial uint QueryAllTraces(EventTraceProperties** blocks, uint blockCount, out uint sessionCount);

    /// <summary>Changes a setting of a session, or of the machine where the handle is 0.</summary>
    [LibraryImport(Library)]
    public static partial uint TraceSetInformation(ulong traceId, TraceInformationClass information, void* data, uint bytes);

    /// <summary>Reads a setting back. Wine has no such function: answered as one that is not implemented.</summary>
    public static uint TraceQueryInformation(
        ulong traceId, TraceInformationClass information, void* data, uint bytes, out uint returnedBytes)
    {
        try
        {
            return QueryInformation(traceId, information, data, bytes, out returnedBytes);
        }
        catch (EntryPointNotFoundException)
        {
            returnedBytes = 0;
            return EtwError.CallNotImplemented;
        }
    }

    /// <summary>Takes a provider's events into a session.</summary>
    [LibraryImport(Library)]
    public static partial uint EnableTraceEx2(
        ulong traceId,
        Guid* providerId,
        uint controlCode,
        byte level,
        ulong matchAnyKeyword,
        ulong matchAllKeyword,
        uint timeoutMs,
        EnableTraceParameters* parameters);

    [LibraryImport(Library, EntryPoint = "TraceQueryInformation")]
    private static partial uint QueryInformation(
        ulong traceId, TraceInformationClass information, void* data, uint bytes, out uint returnedBytes);
}
