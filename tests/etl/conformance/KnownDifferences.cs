namespace Tracer.Etl.Tests.Conformance;

/// <param name="Event">The event, in TraceEvent's words.</param>
/// <param name="Explanation">Why the baseline has another value.</param>
/// <param name="Predict">What the baseline must then print: an explanation that predicts another value explains nothing.</param>
internal sealed record KnownDifference(
    string Trace, string Event, string Field, string Explanation, Func<DecodedEvent, string> Predict)
{
    /// <summary>All that are understood. A difference that is not in here fails the test, and so does an entry that never occurs.</summary>
    public static IReadOnlyList<KnownDifference> All { get; } =
    [
        new(
            "perfview-net.4.5.2.x64",
            "KernelTraceControl/ImageID",
            "ProcessID",
            "TraceEvent takes the upper half of the 8-byte ImageSize for the process. Ours equals the process of the event's header.",
            decoded => decoded.Bits("ProcessId") == decoded.ProcessId ? $"{decoded.Bits("ImageSize") >> 32}" : "not the header's process"),
        new(
            "perfview-net.4.5.2.x64",
            "Windows Kernel/DiskIO/FlushBuffers",
            "TID",
            "TraceEvent looks for the thread where HighResResponseTime is. Ours is the thread that the flush's FlushInit names too.",
            decoded => $"{decoded.Bits("HighResResponseTime")}"),
        new(
            "perfview-primitive-types",
            "solar_system/PrimitiveTypesTest",
            "system_time_type",
            "TraceEvent seems to print a SYSTEMTIME's seconds as its milliseconds. Ours equals file_time_type, the same moment.",
            decoded => SecondsTwice(decoded.Find("system_time_type")!.Text, decoded.Find("file_time_type")!.Text)),
    ];

    /// <summary>The entry for a difference; null when it is not understood.</summary>
    public static KnownDifference? Find(string trace, FieldDifference difference) => All.FirstOrDefault(known =>
        known.Trace == trace
        && known.Event == difference.Event
        && known.Field == difference.Field
        && BaselineValue.IsSameText(difference.Expected, known.Predict(difference.Decoded)));

    private static string SecondsTwice(string systemTime, string fileTime)
    {
        var time = DateTime.ParseExact(systemTime, "yyyy-MM-ddTHH:mm:ss.fff", CultureInfo.InvariantCulture);
        return fileTime.StartsWith(systemTime, StringComparison.Ordinal)
            ? time.ToString("yy/MM/dd HH:mm:ss.", CultureInfo.InvariantCulture) + $"{time.Second:D3}000"
            : "not the moment of file_time_type";
    }
}
