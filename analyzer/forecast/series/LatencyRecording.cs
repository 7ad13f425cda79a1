namespace Tracer.Forecast;

/// <summary>
/// Takes the waits of one session as they are measured and keeps, in bounded memory, what a forecast needs: the maximum and number of each
/// block of time, and the longest latencies with their times.
/// </summary>
/// <remarks>
/// Adding allocates nothing but an occasional larger array. Waits may come a little out of order and from any number of CPUs and threads.
/// </remarks>
public sealed class LatencyRecording
{
    private readonly BlockRecording? _blocks;
    private readonly PeakRecording _peaks;
    private readonly UnobservedRecording _unobserved = new();
    private readonly WaitSpacing _spacing = new();
    private readonly long _startNs;
    private long _waits;
    private double _sumNs;
    private LatencyPeak _longest;
    private long _lastTimeNs;

    /// <param name="startNs">When observation began, in nanoseconds of any clock; all other times of the session are of the same.</param>
    /// <param name="peaks">
    /// At least this many of the longest latencies are kept with their times, if there are so many that differ.
    /// </param>
    /// <param name="hasBlocks">
    /// Whether blocks of time are kept. They take megabytes in a long session, or in one that damaged times make long, and a replay needs
    /// none: leave them out of what there is one of for each CPU.
    /// </param>
    public LatencyRecording(long startNs, int peaks = PeakRecording.DefaultKept, bool hasBlocks = true)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(peaks, 1);
        _startNs = startNs;
        _blocks = hasBlocks ? new BlockRecording() : null;
        _peaks = new PeakRecording(peaks);
    }

    /// <summary>Adds one measured wait.</summary>
    /// <param name="timeNs">When the latency began; before the start counts as the start.</param>
    /// <param name="latencyNs">How long it was; a negative one, which a clock that is not quite in step measures, counts as 0.</param>
    public void Add(long timeNs, long latencyNs)
    {
        long time = Since(timeNs);
        long latency = Math.Max(latencyNs, 0);
        _waits++;
        _sumNs += latency;
        if (latency > _longest.LatencyNs || _waits == 1)
        {
            _longest = new LatencyPeak(time, latency);
        }

        _spacing.Add(time - _lastTimeNs);
        _lastTimeNs = Math.Max(_lastTimeNs, time);
        _blocks?.Add(time, latency);
        _peaks.Add(time, latency);
    }

    /// <summary>Marks a stretch in which nothing could be measured, such as lost buffers. Stretches may overlap.</summary>
    /// <param name="toNs">Where it ends; at or before its beginning marks nothing.</param>
    public void AddUnobserved(long fromNs, long toNs) => _unobserved.Add(Since(fromNs), Since(toNs));

    /// <summary>Ends the session and gives what was kept.</summary>
    /// <param name="endNs">When observation ended; a wait that began later moves the end behind it.</param>
    /// <param name="periodNs">The period of the waits where they are periodic; null where they are not or it is not known.</param>
    public LatencySeries End(long endNs, long? periodNs = null)
    {
        long end = Math.Max(Since(endNs), _lastTimeNs);
        List<(long FromNs, long ToNs)> unobserved = _unobserved.Joined(end);
        _spacing.Add(end - _lastTimeNs);
        IReadOnlyList<LatencyBlock> blocks = _blocks?.End(end, unobserved) ?? []; // Blocks may become longer by this.
        return new LatencySeries(
            [new LatencySession(0, end, end - unobserved.Sum(one => one.ToNs - one.FromNs))],
            _waits,
            _sumNs,
            _waits == 0 ? null : _longest,
            periodNs is > 0 ? periodNs : null,
            _blocks?.LengthNs ?? BlockRecording.FirstLengthNs,
            blocks,
            _peaks.LevelNs,
            _peaks.End())
        {
            Spacing = _spacing,
        };
    }

    /// <summary>A time since the start; what would be negative, or leave the range, stays at its edge.</summary>
    private long Since(long timeNs) => (long)Int128.Clamp((Int128)timeNs - _startNs, 0, BlockRecording.LastNs);
}
