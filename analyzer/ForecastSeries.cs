using Tracer.Analysis;
using Tracer.Contract;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// Keeps of the latencies of several traces what forecasts need: those of threads by group of priorities, because nobody waits at all
/// priorities, and by CPU, for the replay.
/// </summary>
internal sealed class ForecastSeries
{
    private readonly SortedDictionary<Key, Session> _sessions = [];

    /// <summary>Makes what takes the latencies of the next trace.</summary>
    public ILatencySink Next() => new Trace(this);

    /// <summary>What was measured, of all traces: by kind, source and group.</summary>
    public IEnumerable<MeasuredLatencies> Measured() => _sessions.Select(one => new MeasuredLatencies(
        one.Key.Kind,
        one.Key.Source,
        one.Key.Group,
        new MeasuredTail(LatencySeries.Join(one.Value.Whole), one.Value.Histogram),
        [.. one.Value.PerCpu.Values.Select(series => LatencySeries.Join(series))]));

    private readonly record struct Key(LatencyKind Kind, LatencySource Source, PriorityGroup? Group) : IComparable<Key>
    {
        public int CompareTo(Key other) => (Kind, Source, Group ?? 0).CompareTo((other.Kind, other.Source, other.Group ?? 0));
    }

    private sealed class Session
    {
        public HdrHistogram Histogram { get; } = new(HdrLayout.Latencies);

        public List<LatencySeries> Whole { get; } = [];

        public SortedDictionary<int, List<LatencySeries>> PerCpu { get; } = [];
    }

    private sealed record Open(LatencyRecording Whole, Dictionary<int, LatencyRecording> PerCpu, HdrHistogram Histogram);

    /// <summary>One trace: a session of its own for each kind, source and group.</summary>
    private sealed class Trace(ForecastSeries all) : ILatencySink
    {
        private readonly Dictionary<Key, Open> _open = [];
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
            if (isOfThread)
            {
                if (!open.PerCpu.TryGetValue(latency.Cpu, out LatencyRecording? cpu))
                {
                    cpu = new LatencyRecording(_fromNs);
                    open.PerCpu.Add(latency.Cpu, cpu);
                }

                cpu.Add(latency.StartNs, latency.Nanoseconds);
            }
        }

        public void AddGap(long fromNs, long toNs) => _gaps.Add((fromNs, toNs));

        public void End(long toNs)
        {
            foreach ((Key key, (LatencyRecording whole, Dictionary<int, LatencyRecording> perCpu, HdrHistogram histogram)) in _open)
            {
                if (!all._sessions.TryGetValue(key, out Session? session))
                {
                    all._sessions.Add(key, session = new Session());
                }

                session.Histogram.Add(histogram);
                session.Whole.Add(Ended(whole));
                foreach ((int cpu, LatencyRecording recording) in perCpu)
                {
                    if (!session.PerCpu.TryGetValue(cpu, out List<LatencySeries>? series))
                    {
                        session.PerCpu.Add(cpu, series = []);
                    }

                    series.Add(Ended(recording));
                }
            }

            LatencySeries Ended(LatencyRecording recording)
            {
                foreach ((long from, long to) in _gaps)
                {
                    recording.AddGap(from, to);
                }

                return recording.End(toNs);
            }
        }
    }
}
