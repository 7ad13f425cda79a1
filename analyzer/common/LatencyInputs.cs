using System.Text.Json;
using Tracer.Analysis.Latencies;
using Tracer.AnalyzerShared.Forecasts;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>Reads what <c>analyzer latency</c> is given: traces, which it measures, and its own JSON, which it adds.</summary>
internal static class LatencyInputs
{
    private const string JsonEnding = ".json";

    /// <summary>Most bytes of JSON that are read.</summary>
    private const long MostJson = 1 << 28;

    /// <summary>What is wrong with the inputs; null where nothing is.</summary>
    public static string? Problem(IReadOnlyList<string> paths)
    {
        HashSet<string> seen = new(OperatingSystem.IsWindows() ? StringComparer.OrdinalIgnoreCase : StringComparer.Ordinal);
        foreach (string path in paths)
        {
            if (!seen.Add(path == TraceArgument.StandardInput ? path : Path.GetFullPath(path)))
            {
                return path == TraceArgument.StandardInput
                    ? "standard input (-) can be read only once"
                    : $"{path} is given twice, and each of its latencies would count twice";
            }
        }

        return null;
    }

    /// <param name="isForecast">Whether one is asked for; else only what reports forecast is kept.</param>
    /// <returns>What was measured; null where an input could not be read, which the user has then been told.</returns>
    public static LatencyMerge? Read(
        IReadOnlyList<string> paths, LatencyRequest request, ForecastSeries series, bool isForecast, TextWriter error)
    {
        var all = new LatencyMerge(request);
        foreach (string path in paths)
        {
            try
            {
                if (IsReport(path))
                {
                    AddJson(path, all, series);
                }
                else
                {
                    ILatencySink? sink = series.Next(isForecast);
                    AddTrace(path, request, sink, all, error);
                }
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                error.WriteLine($"analyzer: {failure.Message}");
                return null;
            }
        }

        return all;
    }

    private static bool IsReport(string path) => path.EndsWith(JsonEnding, StringComparison.OrdinalIgnoreCase);

    private static void AddTrace(string path, LatencyRequest request, ILatencySink? sink, LatencyMerge all, TextWriter error)
    {
        using EtlReader reader = TraceArgument.Open(path);
        LatencyFindings findings = ReadingProgress.Show(
            path, () => reader.Progress, () => LatencyAnalysis.Measure(path, reader, request, sink));
        DamageWarning.Write(path, reader, error);
        if (findings.Trace.Events == 0)
        {
            throw new IOException($"{path}: no event could be read");
        }

        all.Add(findings);
    }

    private static void AddJson(string path, LatencyMerge all, ForecastSeries series)
    {
        if (new FileInfo(path) is { Exists: true, Length: > MostJson })
        {
            throw new IOException($"{path}: too large for a report of latencies");
        }

        try
        {
            LatencyReport report = ReportJson.Read<LatencyReport>(File.ReadAllBytes(path));
            if (all.Add(report) is { } problem)
            {
                throw new IOException($"{path}: {problem}; write it again with 'analyzer latency TRACE --format json'");
            }

            series.Add(report);
        }
        catch (JsonException failure)
        {
            throw new IOException($"{path} is no report of 'analyzer latency --format json': {failure.Message}");
        }
    }
}
