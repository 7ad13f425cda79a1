namespace Tracer.Forecast;

/// <summary>
/// What was observed of one kind of latency: for how long, how many waits, the maximum of each block of time, and the longest latencies
/// with their times. All that is forecast rests on this.
/// </summary>
public sealed class LatencySeries
{
    internal LatencySeries(
        IReadOnlyList<LatencySession> sessions,
        long waits,
        double sumNs,
        LatencyPeak? longest,
        long? periodNs,
        long blockNs,
        IReadOnlyList<LatencyBlock> blocks,
        long peaksAboveNs,
        IReadOnlyList<LatencyPeak> peaks)
    {
        Sessions = sessions;
        Waits = waits;
        SumNs = sumNs;
        Longest = longest;
        PeriodNs = periodNs;
        BlockNs = blockNs;
        Blocks = blocks;
        PeaksAboveNs = peaksAboveNs;
        Peaks = peaks;
    }

    /// <summary>The sessions, in order and without space between them on the line of time.</summary>
    public IReadOnlyList<LatencySession> Sessions { get; }

    /// <summary>How long was observed, in nanoseconds: all sessions without what was not observed of them.</summary>
    public long ObservedNs => Sessions.Sum(session => session.ObservedNs);

    /// <summary>How many waits were measured.</summary>
    public long Waits { get; }

    /// <summary>The sum of all latencies in nanoseconds.</summary>
    public double SumNs { get; }

    /// <summary>The longest latency; null where none was measured.</summary>
    public LatencyPeak? Longest { get; }

    /// <summary>The period of the waits in nanoseconds; null where they are not periodic, or not all of one period.</summary>
    public long? PeriodNs { get; }

    public long BlockNs { get; }

    /// <summary>The blocks of all sessions, in order of time; empty where they were not kept.</summary>
    public IReadOnlyList<LatencyBlock> Blocks { get; }

    /// <summary>Every latency above this many nanoseconds is among <see cref="Peaks"/>; -1 where all are.</summary>
    public long PeaksAboveNs { get; }

    /// <summary>The longest latencies, in order of time.</summary>
    public IReadOnlyList<LatencyPeak> Peaks { get; }

    /// <summary>The times from one wait to the next.</summary>
    internal WaitSpacing Spacing { get; init; } = new();

    /// <summary>Joins what was measured in several sessions of the same kind, such as several files.</summary>
    /// <param name="parts">The parts; the order of their sessions is kept.</param>
    /// <exception cref="ArgumentException">There is no part.</exception>
    public static LatencySeries Join(IReadOnlyList<LatencySeries> parts)
    {
        ArgumentNullException.ThrowIfNull(parts);
        if (parts.Count < 2)
        {
            return parts.Count == 1 ? parts[0] : throw new ArgumentException("Nothing can be joined to nothing.", nameof(parts));
        }

        long blockNs = parts.Max(part => part.BlockNs);
        long level = parts.Max(part => part.PeaksAboveNs);
        var sessions = new List<LatencySession>();
        var blocks = new List<LatencyBlock>();
        var peaks = new List<LatencyPeak>();
        LatencyPeak? longest = null;
        var spacing = new WaitSpacing();
        long start = 0;
        foreach (LatencySeries part in parts)
        {
            sessions.AddRange(part.Sessions.Select(session => new LatencySession(
                start + session.StartNs, start + session.EndNs, session.ObservedNs)));
            blocks.AddRange(SeriesBlocks.Lengthen(part, blockNs).Select(block => block with { StartNs = start + block.StartNs }));
            peaks.AddRange(part.Peaks.Where(peak => peak.LatencyNs > level).Select(peak => peak with { TimeNs = start + peak.TimeNs }));
            if (part.Longest is { } peak && !(longest?.LatencyNs >= peak.LatencyNs))
            {
                longest = peak with { TimeNs = start + peak.TimeNs };
            }

            spacing.Add(part.Spacing);
            start = sessions[^1].EndNs;
        }

        long? period = parts[0].PeriodNs;
        return new LatencySeries(
            sessions,
            parts.Sum(part => part.Waits),
            parts.Sum(part => part.SumNs),
            longest,
            parts.All(part => part.PeriodNs == period) ? period : null,
            blockNs,
            blocks,
            level,
            peaks)
        {
            Spacing = spacing,
        };
    }

    /// <summary>What was measured before a time and from it on, each a series of its own; without sums and what was not observed.</summary>
    /// <param name="middleNs">The time, at the beginning of a block.</param>
    internal (LatencySeries Before, LatencySeries Behind) Cut(long middleNs) => (Part(0, middleNs), Part(middleNs, long.MaxValue));

    private LatencySeries Part(long fromNs, long toNs)
    {
        LatencyBlock[] blocks = [.. Blocks.Where(block => block.StartNs >= fromNs && block.StartNs < toNs)
            .Select(block => block with { StartNs = block.StartNs - fromNs })];
        LatencyPeak[] peaks = [.. Peaks.Where(peak => peak.TimeNs >= fromNs && peak.TimeNs < toNs)
            .Select(peak => peak with { TimeNs = peak.TimeNs - fromNs })];
        long most = blocks.Length == 0 ? 0 : blocks.Max(block => block.MaximumNs);
        long observed = blocks.Sum(block => block.ObservedNs);
        LatencySession[] sessions = [.. Sessions.Where(session => session.StartNs < toNs && session.EndNs > fromNs)
            .Select(session => new LatencySession(
                Math.Max(0, session.StartNs - fromNs), Math.Min(session.EndNs, toNs) - fromNs, session.ObservedNs))];

        // Blocks tell how much of both halves was observed; of a session that is cut only their sum is right.
        double share = observed / Math.Max(1.0, sessions.Sum(session => session.ObservedNs));
        sessions = [.. sessions.Select(session => session with { ObservedNs = (long)(session.ObservedNs * share) })];
        return new LatencySeries(
            sessions, blocks.Sum(block => block.Waits), 0, most > 0 ? new LatencyPeak(0, most) : null, PeriodNs, BlockNs, blocks,
            PeaksAboveNs, peaks);
    }
}
