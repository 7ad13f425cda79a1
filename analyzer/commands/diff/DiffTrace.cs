using Tracer.Analysis;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Latencies;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.AnalyzerCommand.Common;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>Which latencies are compared with each other.</summary>
/// <param name="Prioritised">Whether threads of the priority asked for waited; null where no thread did.</param>
internal readonly record struct ComparedKey(LatencyKind Kind, LatencySource Source, bool? Prioritised);

/// <summary>What a comparison needs of one trace.</summary>
internal sealed class DiffTrace
{
    private DiffTrace(BlameResult result, IReadOnlyList<DriverFile> drivers, LatencyFindings findings, Slicing slicing)
    {
        Blame = result.Report;
        NothingJudged = result.NothingJudged;
        Activities = result.TimeBins ?? [];
        Drivers = drivers;
        Findings = findings;
        FromNs = slicing.FromNs;
        Latencies = slicing.Latencies;
    }

    /// <summary>Its episodes, culprits, drivers and routines.</summary>
    public BlameReport Blame { get; }

    /// <summary>Why nothing in it can be compared, as the rest of a sentence; null where something can.</summary>
    public string? NothingJudged { get; }

    /// <summary>What its drivers and routines took, by bins of time.</summary>
    public IReadOnlyList<ActivityTimeBins> Activities { get; }

    public IReadOnlyList<DriverFile> Drivers { get; }

    /// <summary>How long was measured, and what limits it.</summary>
    public LatencyFindings Findings { get; }

    /// <summary>When measuring began, in nanoseconds from the header event.</summary>
    public long FromNs { get; }

    public IReadOnlyDictionary<ComparedKey, LatencyTimeBins> Latencies { get; }

    /// <summary>How long was measured, in nanoseconds; above 0.</summary>
    public long MeasuredNs => Findings.Measured.Nanoseconds;

    /// <summary>Reads a trace: for latencies, for its drivers, and for who is to blame.</summary>
    /// <param name="exit">The exit status where it cannot be compared.</param>
    /// <returns>Null where it cannot, which the user has then been told.</returns>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static DiffTrace? Read(string path, BlameRequest request, TraceAnalysis analysis, TextWriter error, out int exit)
    {
        if (analysis.Run(path, request with { WithTimeBins = true }, error, out exit, out _) is not { } result)
        {
            return null;
        }

        exit = ExitCode.Failed;
        return Of(path, () => TraceArgument.Open(path), request, result);
    }

    /// <summary>Reads a trace of a client, whose warnings nobody sees.</summary>
    /// <exception cref="IOException">It cannot be read, or not be compared.</exception>
    public static DiffTrace Of(string path, Func<EtlReader> open, BlameRequest request)
    {
        using EtlReader reader = open();
        BlameResult result = BlameAnalysis.Analyze(path, reader, request with { WithTimeBins = true });
        return result.Report.Trace.Events > 0
            ? Of(path, open, request, result)
            : throw new IOException($"{path}: no event could be read");
    }

    private static DiffTrace Of(string path, Func<EtlReader> open, BlameRequest request, BlameResult result)
    {
        var slicing = new Slicing(request.MinPriority);
        LatencyFindings findings;
        using (EtlReader reader = open())
        {
            findings = ReadingProgress.Show(path, () => reader.Progress, () =>
                LatencyAnalysis.Measure(path, reader, new LatencyRequest { Splits = [] }, slicing));
        }

        if (findings.Measured <= Duration.Zero)
        {
            throw new IOException(findings.Warnings is [{ } why, ..]
                ? $"{path} cannot be compared: {why}"
                : $"{path} cannot be compared: its first and last event are of the same time; record for longer");
        }

        using (EtlReader reader = open())
        {
            return new DiffTrace(result, DriverInventory.Read(reader), findings, slicing);
        }
    }

    /// <summary>Puts latencies into bins of time.</summary>
    private sealed class Slicing(int minPriority) : ILatencySink
    {
        private readonly Dictionary<ComparedKey, LatencyTimeBins> _latencies = [];

        public long FromNs { get; private set; }

        public IReadOnlyDictionary<ComparedKey, LatencyTimeBins> Latencies => _latencies;

        public void Begin(long fromNs) => FromNs = fromNs;

        public void Add(in MeasuredLatency latency)
        {
            var key = new ComparedKey(latency.Kind, latency.Source, latency.Priority < 0 ? null : latency.Priority >= minPriority);
            if (!_latencies.TryGetValue(key, out LatencyTimeBins? bins))
            {
                _latencies.Add(key, bins = new LatencyTimeBins(FromNs));
            }

            bins.Add(latency.StartNs, latency.Nanoseconds);
        }

        public void AddUnobserved(long fromNs, long toNs)
        {
            // What was lost is no latency, and its time is short beside a block; the trace's own warnings tell of it.
        }

        public void End(long toNs, Func<LatencySource, long?> periodOf)
        {
            // The length is among the findings.
        }
    }
}
