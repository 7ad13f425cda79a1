namespace Tracer.Contract;

/// <summary>
/// Whether a report that somebody else may have written has what its readers count on: the serializer holds fields to what they may be, and
/// says nothing of what stands in lists.
/// </summary>
internal static class LatencyReportCheck
{
    /// <summary>What is wrong with a report, as a sentence; null where nothing is.</summary>
    public static string? Problem(LatencyReport report) =>
        HasHole(report.Traces) ? Hole("traces")
        : report.Traces.Count == 0 && (report.RunTimes ?? []).Count == 0 ? "It names no trace."
        : HasHole(report.System) ? Hole("system")
        : report.System.Any(row => row.Values.Count != report.Traces.Count) ? "A row of 'system' has not one value for each trace."
        : HasHole(report.Distributions) ? Hole("distributions")
        : HasHole(report.Callbacks) || report.Callbacks.Any(one => HasHole(one.Bins)) ? Hole("callbacks")
        : report.Callbacks.Any(one => one.Bins.Count == 0 || one.Count < 1) ? "A thread of 'callbacks' has no interval."
        : HasHole(report.LeftOut) ? Hole("leftOut")
        : HasHole(report.Missing) ? Hole("missing")
        : HasHole(report.Warnings) ? Hole("warnings")
        : report.RunTimes is { } runs && (HasHole(runs) || runs.Any(one => HasHole(one.Percentiles) || HasHole(one.Buckets)))
            ? Hole("runTimes")
        : report.Forecasts is { } forecasts && (HasHole(forecasts) || forecasts.Any(HasHole)) ? Hole("forecasts")
        : null;

    private static bool HasHole(LatencyForecast forecast) =>
        HasHole(forecast.WorstCases)
        || HasHole(forecast.Sentences)
        || HasHole(forecast.Applications)
        || forecast.Applications.Any(one => HasHole(one.Curve))
        || HasHole(forecast.Tasks)
        || HasHole(forecast.SelfTests);

    private static bool HasHole<T>(IReadOnlyList<T> list)
        where T : class => list.Any(one => one is null);

    private static string Hole(string list) => $"In '{list}' something is null where nothing may be.";
}
