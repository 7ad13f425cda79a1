using Tracer.Analysis.Report;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Diff;

/// <summary>
/// The blocks of time that are drawn from: equal parts of the traces, or whole traces where there are many, so that what differs from one
/// run to the next is in the intervals.
/// </summary>
internal sealed class DiffBlocks
{
    /// <summary>
    /// From so many traces a side on each is a block: dealing out 6 and 6 leaves 924 ways, and so chance below a hundredth.
    /// </summary>
    public const int LeastTraces = 6;

    /// <summary>
    /// The shorter side has at least so many blocks where its bins allow: few enough that a block is long beside a burst.
    /// </summary>
    private const int Fewest = 24;

    /// <summary>The longest trace has at most so many blocks: memory stays bounded where the other side is much shorter.</summary>
    private const int Most = 4096;

    private readonly long? _lengthNs;

    public DiffBlocks(IReadOnlyList<DiffTrace> old, IReadOnlyList<DiffTrace> now)
    {
        if (Math.Min(old.Count, now.Count) >= LeastTraces)
        {
            return;
        }

        long shorter = Math.Min(old.Sum(trace => trace.MeasuredNs), now.Sum(trace => trace.MeasuredNs));
        long length = LatencyTimeBins.FirstLengthNs;
        while (shorter / (2 * length) >= Fewest)
        {
            length *= 2;
        }

        long longest = old.Concat(now).Max(trace => trace.MeasuredNs);
        while (longest / length >= Most)
        {
            length *= 2;
        }

        foreach (LatencyTimeBins bins in old.Concat(now).SelectMany(trace => trace.Latencies.Values))
        {
            length = Math.Max(length, bins.LengthNs);
        }

        foreach (ActivityTimeBins bins in old.Concat(now).SelectMany(trace => trace.Activities))
        {
            length = Math.Max(length, bins.LengthNs);
        }

        _lengthNs = length;
    }

    /// <summary>How long a block is; null where traces are the blocks.</summary>
    public Duration? Length => _lengthNs is { } length ? new Duration(length) : null;

    public int Count(IReadOnlyList<DiffTrace> traces) => traces.Sum(Count);

    public CountedBlock[] Counts(IReadOnlyList<DiffTrace> traces, Func<DiffTrace, IEnumerable<Duration>> startsOf) =>
    [
        .. traces.SelectMany(trace =>
        {
            int count = Count(trace);
            long length = _lengthNs ?? trace.MeasuredNs;
            long[] counts = new long[count];
            foreach (Duration start in startsOf(trace))
            {
                counts[Math.Clamp((start.Nanoseconds - trace.FromNs) / length, 0, count - 1)]++;
            }

            return counts.Select((number, i) => new CountedBlock(Seconds(trace, i, count), number));
        }),
    ];

    public LateBlock[] Late(IReadOnlyList<DiffTrace> traces, Func<DiffTrace, IEnumerable<Episode>> episodesOf) =>
    [
        .. traces.SelectMany(trace =>
        {
            int count = Count(trace);
            long length = _lengthNs ?? trace.MeasuredNs;
            List<double>[] late = [.. Enumerable.Range(0, count).Select(_ => new List<double>())];
            foreach (Episode episode in episodesOf(trace))
            {
                late[Math.Clamp((episode.Start.Nanoseconds - trace.FromNs) / length, 0, count - 1)].Add(episode.Latency.Nanoseconds);
            }

            return late.Select((latencies, i) => new LateBlock(Seconds(trace, i, count), latencies));
        }),
    ];

    /// <summary>What a driver or routine took, in microseconds by block.</summary>
    /// <param name="binsOf">Its bins of one; null where it did not run.</param>
    public CountedBlock[] Microseconds(IReadOnlyList<DiffTrace> traces, Func<DiffTrace, ActivityTimeBins?> binsOf) =>
    [
        .. traces.SelectMany(trace =>
        {
            double[] sums = new double[Count(trace)];
            ActivityTimeBins? bins = binsOf(trace);
            for (int i = 0; i < (bins?.Nanoseconds.Count ?? 0); i++)
            {
                Int128 block = (Int128)i * bins!.LengthNs / (_lengthNs ?? long.MaxValue);
                sums[(int)Int128.Min(sums.Length - 1, block)] += bins.Nanoseconds[i];
            }

            return sums.Select((sum, i) => new CountedBlock(Seconds(trace, i, sums.Length), (long)(sum / 1000)));
        }),
    ];

    public HdrHistogram[] Latencies(IReadOnlyList<DiffTrace> traces, ComparedKey key) =>
    [
        .. traces.SelectMany(trace =>
        {
            int count = Count(trace);
            return trace.Latencies.TryGetValue(key, out LatencyTimeBins? bins)
                ? bins.Blocks(_lengthNs ?? bins.LengthNs, count)
                : [.. Enumerable.Range(0, count).Select(_ => new HdrHistogram(HdrLayout.Latencies))];
        }),
    ];

    private double Seconds(DiffTrace trace, int block, int count)
    {
        long length = _lengthNs ?? trace.MeasuredNs;
        return (block < count - 1 ? length : trace.MeasuredNs - (count - 1) * length) / 1e9;
    }

    /// <summary>A rest of less than half a block belongs to the block before it.</summary>
    private int Count(DiffTrace trace) =>
        _lengthNs is { } length ? (int)Math.Max(1, (trace.MeasuredNs + length / 2) / length) : 1;
}
