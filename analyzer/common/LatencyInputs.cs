using System.Text.Json;
using Tracer.Analysis;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common.Copies;
using Tracer.AnalyzerCommand.Common.Texts;
using Tracer.AnalyzerShared.Forecasts;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>
/// Reads what <c>analyzer latency</c> is given: traces, which it measures, its own JSON, which it adds, and texts of other programs, which
/// it puts beside them.
/// </summary>
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
    /// <param name="interference">Learns from each trace what would delay a graph; null where nobody asked.</param>
    /// <param name="copies">Inputs that hold what others hold: they are left out, and the user has been told.</param>
    /// <returns>What was measured; null where an input could not be read, which the user has then been told.</returns>
    public static LatencyMerge? Read(
        IReadOnlyList<string> paths, LatencyRequest request, ForecastSeries series, bool isForecast,
        InterferenceRecording? interference, TextWriter error, out IReadOnlyList<InputCopy> copies)
    {
        var all = new LatencyMerge(request);
        copies = [];
        try
        {
            TextReport[] texts = [.. paths.Where(TextReport.Is).Select(TextReport.Read)];
            foreach (TextReport text in texts)
            {
                all.Add(text.RunTimes, text.Notes);
            }

            paths = [.. paths.Except(texts.Select(text => text.Path))];
            copies = [.. RecordedContent.Among([.. paths.Where(path => !IsReport(path))]).Copies];
            HashSet<string> left = [.. copies.Select(copy => copy.Path)];
            InputCopy[] told = paths.Any(IsReport) ? Told([.. paths.Where(path => !left.Contains(path))], request) : [];
            copies = [.. copies, .. told];
            left.UnionWith(told.Select(copy => copy.Path));
            InputCopy.Tell(copies, error);
            foreach (string path in paths.Where(path => !left.Contains(path)))
            {
                if (IsReport(path))
                {
                    LatencyReport report = ReadJson(path);
                    if (all.Add(report) is { } problem)
                    {
                        throw new IOException($"{path}: {problem}; write it again with 'analyzer latency TRACE --format json'");
                    }

                    series.Add(report);
                }
                else
                {
                    all.Add(Measured(path, request, series.Next(isForecast), error, interference));
                    if (texts.Length > 0)
                    {
                        all.Add(RunTimesOf(path), []);
                    }
                }
            }
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            error.WriteLine($"analyzer: {failure.Message}");
            return null;
        }

        return all;
    }

    /// <summary>Which inputs hold latencies that others hold, too, as far as what they say of their recordings tells.</summary>
    private static InputCopy[] Told(string[] paths, LatencyRequest request)
    {
        if (paths is [_])
        {
            return [];
        }

        List<ToldLatencies> told = [];
        foreach (string path in paths.Where(path => path != TraceArgument.StandardInput))
        {
            told.Add(IsReport(path)
                ? new ToldLatencies(path, ReadJson(path))
                : new ToldLatencies(path, Measured(path, request, null, TextWriter.Null)));
        }

        return [.. ToldLatencies.Among(told)];
    }

    public static bool IsReport(string path) => path.EndsWith(JsonEnding, StringComparison.OrdinalIgnoreCase);

    private static LatencyFindings Measured(
        string path, LatencyRequest request, ILatencySink? sink, TextWriter error,
        InterferenceRecording? interference = null)
    {
        using EtlReader reader = TraceArgument.Open(path);
        LatencyFindings findings = ReadingProgress.Show(
            path, () => reader.Progress, () => LatencyAnalysis.Measure(path, reader, request, sink, interference));
        DamageWarning.Write(path, reader, error);
        return findings.Trace.Events > 0 ? findings : throw new IOException($"{path}: no event could be read");
    }

    private static IReadOnlyList<ToldRunTimes> RunTimesOf(string path)
    {
        using EtlReader reader = TraceArgument.Open(path);
        BlameResult result = ReadingProgress.Show(path, () => reader.Progress, () =>
            BlameAnalysis.Analyze(path, reader, new BlameRequest { WithUsage = true, WithTables = false }));
        return result.Usage is { } usage ? TraceRunTimes.Of(path, usage) : [];
    }

    private static LatencyReport ReadJson(string path)
    {
        if (new FileInfo(path) is { Exists: true, Length: > MostJson })
        {
            throw new IOException($"{path}: too large for a report of latencies");
        }

        try
        {
            return ReportJson.Read<LatencyReport>(File.ReadAllBytes(path));
        }
        catch (JsonException failure)
        {
            throw new IOException($"{path} is not a report of 'analyzer latency --format json': {failure.Message}");
        }
    }
}
