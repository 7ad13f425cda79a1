using Tracer.Analysis.Latencies;
using Tracer.Forecast;

namespace Tracer.AnalyzerShared.Forecasts;

/// <summary>
/// Keeps of the latencies of several traces what forecasts need: those of threads by group of priorities, because nobody waits at all
/// priorities, and by CPU, for the replay. Of reports it keeps how many were how long, and what they forecast themselves.
/// </summary>
/// <param name="request">What is asked for; reports may hold more.</param>
internal sealed class ForecastSeries(LatencyRequest request)
{
    /// <summary>Traces of a report that are named; of more, their number.</summary>
    private const int MostNamed = 3;

    /// <summary>No report was measured for longer, in nanoseconds; a damaged one may say so.</summary>
    private const long MostReportedNs = long.MaxValue >> 20;

    private readonly SortedDictionary<Key, Session> _sessions = [];
    private readonly List<(IReadOnlyList<LatencyForecast> Forecasts, string? Of)> _stored = [];
    private int _inputs;
    private bool _hasReport;

    /// <summary>Makes what takes the latencies of the next trace.</summary>
    /// <param name="isForecast">Whether a forecast is asked for; else the trace is only counted.</param>
    public ILatencySink? Next(bool isForecast = true)
    {
        _inputs++;
        return isForecast ? new Trace(this) : null;
    }

    /// <summary>Takes a report, whose histograms are known to be readable.</summary>
    public void Add(LatencyReport report)
    {
        ArgumentNullException.ThrowIfNull(report);
        _inputs++;
        _hasReport = true;
        _stored.Add(([.. (report.Forecasts ?? []).Where(one =>
            one.Thread is null ? request.Wants(one.Kind, one.Source) : request.AsksBeats)], NameOf(report.Traces)));
        HashSet<(LatencyKind, LatencySource)> grouped =
            [.. report.Distributions.Where(one => IsGroup(one.Part)).Select(one => (one.Kind, one.Source))];
        foreach (LatencyDistribution one in report.Distributions.Where(one => request.Wants(one.Kind, one.Source)))
        {
            bool isAsked = grouped.Contains((one.Kind, one.Source)) ? IsGroup(one.Part) : one.Part == LatencyPart.All;
            if (isAsked && LatencyDistributions.HistogramOf(one) is { } histogram)
            {
                Session session = SessionOf(new Key(one.Kind, one.Source, one.Part.Group));
                if ((double)session.Histogram.Count + histogram.Count > long.MaxValue / 2)
                {
                    continue; // The merge has refused it.
                }

                session.Histogram.Add(histogram);
                session.ReportedNs += Math.Clamp(report.Measured.Nanoseconds, 0, MostReportedNs);
            }
        }
    }

    /// <summary>All that is forecast, of all traces: by kind, source and group; behind it what reports had forecast before.</summary>
    /// <param name="question">What is asked; null where only what was forecast before is.</param>
    /// <returns>Null where there is nothing.</returns>
    public IReadOnlyList<LatencyForecast>? Forecasts(ForecastQuestion? question)
    {
        List<LatencyForecast> all = question is null ? []
            : _hasReport ? [.. Merged().Select(one => MergedForecast.Of(one, question))]
            : [.. Measured().Select(one => ForecastReport.Of(one, question))];
        foreach ((IReadOnlyList<LatencyForecast> forecasts, string? of) in _stored)
        {
            // Of the only input they are forecasts of the whole report, as they were.
            bool isWhole = _inputs == 1 && question is null;
            all.AddRange(isWhole ? forecasts : forecasts.Select(one => one with { Trace = one.Trace ?? of }));
        }

        return all.Count > 0 || question is not null ? all : null;
    }

    private IEnumerable<MeasuredLatencies> Measured() => _sessions.Select(one => new MeasuredLatencies(
        one.Key.Kind,
        one.Key.Source,
        one.Key.Group,
        new MeasuredTail(LatencySeries.Join(one.Value.Whole), one.Value.Histogram),
        [.. one.Value.PerCpu.Values.Select(series => LatencySeries.Join(series))])
    {
        Thread = one.Key.Thread,
    });

    private IEnumerable<MergedLatencies> Merged() => _sessions.Where(one => one.Key.Thread is null).Select(one => new MergedLatencies(
        one.Key.Kind,
        one.Key.Source,
        one.Key.Group,
        new HistogramTail(one.Value.Histogram, one.Value.ReportedNs + one.Value.Whole.Sum(series => series.ObservedNs))));

    private static bool IsGroup(LatencyPart part) => part.Group is not null && part == new LatencyPart { Group = part.Group };

    private static string? NameOf(IReadOnlyList<TraceSummary> traces)
    {
        if (traces.Count == 0)
        {
            return null;
        }

        string named = string.Join(
            ", ", traces.Take(MostNamed).Select(trace => trace.Path[(trace.Path.LastIndexOfAny(['/', '\\']) + 1)..]));
        return traces.Count > MostNamed ? $"{named} and {Counted.Of(traces.Count - MostNamed, "other")}" : named;
    }

    private Session SessionOf(in Key key)
    {
        if (!_sessions.TryGetValue(key, out Session? session))
        {
            _sessions.Add(key, session = new Session());
        }

        return session;
    }

    private readonly record struct Key(LatencyKind Kind, LatencySource Source, PriorityGroup? Group, string? Thread = null)
        : IComparable<Key>
    {
        public int CompareTo(Key other) =>
            (Kind, Source, Group ?? 0).CompareTo((other.Kind, other.Source, other.Group ?? 0)) is not 0 and var order
                ? order
                : string.CompareOrdinal(Thread, other.Thread);
    }

    private sealed class Session
    {
        public HdrHistogram Histogram { get; } = new(HdrLayout.Latencies);

        public long ReportedNs { get; set; }

        public List<LatencySeries> Whole { get; } = [];

        public SortedDictionary<int, List<LatencySeries>> PerCpu { get; } = [];
    }

    private sealed record Open(LatencyRecording Whole, Dictionary<int, LatencyRecording> PerCpu, HdrHistogram Histogram);

    /// <summary>One trace: a session of its own for each kind, source and group.</summary>
    private sealed class Trace(ForecastSeries all) : ILatencySink
    {
        private readonly Dictionary<Key, Open> _open = [];
        private readonly Dictionary<Key, long> _periods = [];
        private readonly List<(long FromNs, long ToNs)> _gaps = [];
        private long _fromNs;

        public void Begin(long fromNs) => _fromNs = fromNs;

        public void Add(in MeasuredLatency latency)
        {
            bool isOfThread = latency.Priority >= 0;
            var key = new Key(latency.Kind, latency.Source, isOfThread ? LatencyDistributions.GroupOf(latency.Priority) : null);
            if (!_open.TryGetValue(key, out Open? open))
            {
                open = new Open(new LatencyRecording(_fromNs), [], new HdrHistogram(HdrLayout.Latencies));
                _open.Add(key, open);
            }

            open.Whole.Add(latency.StartNs, latency.Nanoseconds);
            open.Histogram.Record(latency.Nanoseconds);
            if (isOfThread && !latency.Kind.IsOfJobs())
            {
                if (!open.PerCpu.TryGetValue(latency.Cpu, out LatencyRecording? cpu))
                {
                    cpu = new LatencyRecording(_fromNs, hasBlocks: false);
                    open.PerCpu.Add(latency.Cpu, cpu);
                }

                cpu.Add(latency.StartNs, latency.Nanoseconds);
            }
        }

        public void AddUnobserved(long fromNs, long toNs) => _gaps.Add((fromNs, toNs));

        public void AddJobs(CallbackIntervals thread, IReadOnlyList<MeasuredJob> jobs)
        {
            string of = all._inputs > 1 ? $" of {thread.Trace}" : "";
            var key = new Key(
                LatencyKind.Response, thread.Source, null, $"{thread.Process ?? "an unknown process"}, tid {thread.Tid}{of}");
            var open = new Open(new LatencyRecording(_fromNs), [], new HdrHistogram(HdrLayout.Latencies));
            if (!_open.TryAdd(key, open))
            {
                return; // An id that was used again.
            }

            _periods.Add(key, thread.Period.Nanoseconds);
            foreach (MeasuredJob job in jobs)
            {
                open.Whole.Add(job.StartNs, job.ResponseNs);
                open.Histogram.Record(job.ResponseNs);
            }
        }

        public void End(long toNs, Func<LatencySource, long?> periodOf)
        {
            foreach ((Key key, (LatencyRecording whole, Dictionary<int, LatencyRecording> perCpu, HdrHistogram histogram)) in _open)
            {
                Session session = all.SessionOf(in key);
                long? period = _periods.TryGetValue(key, out long own) ? own : periodOf(key.Source);
                session.Histogram.Add(histogram);
                session.Whole.Add(Ended(whole, period));
                foreach ((int cpu, LatencyRecording recording) in perCpu)
                {
                    if (!session.PerCpu.TryGetValue(cpu, out List<LatencySeries>? series))
                    {
                        session.PerCpu.Add(cpu, series = []);
                    }

                    series.Add(Ended(recording, period));
                }
            }

            LatencySeries Ended(LatencyRecording recording, long? period)
            {
                foreach ((long from, long to) in _gaps)
                {
                    recording.AddUnobserved(from, to);
                }

                return recording.End(toNs, period);
            }
        }
    }
}
