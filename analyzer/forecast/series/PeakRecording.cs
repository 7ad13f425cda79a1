namespace Tracer.Forecast;

/// <summary>Keeps the longest latencies with their times: every one above a level, which rises when there are too many of them.</summary>
internal sealed class PeakRecording(int kept)
{
    /// <summary>
    /// How many are kept unless told otherwise: more than a threshold of the extreme-value theory needs, and few enough for a series per
    /// CPU, priority and process.
    /// </summary>
    public const int DefaultKept = 8192;

    private LatencyPeak[] _peaks = new LatencyPeak[Math.Min(kept * 2, 256)];
    private int _count;

    /// <summary>Every latency above this is kept; -1 while all are.</summary>
    public long LevelNs { get; private set; } = -1;

    /// <summary>Adds a wait; one at or below the level is not looked at.</summary>
    public void Add(long timeNs, long latencyNs)
    {
        if (latencyNs <= LevelNs)
        {
            return;
        }

        if (_count == _peaks.Length)
        {
            if (_count < kept * 2)
            {
                Array.Resize(ref _peaks, Math.Min(kept * 2, _count * 2));
            }
            else
            {
                Raise();
                if (latencyNs <= LevelNs)
                {
                    return;
                }
            }
        }

        _peaks[_count++] = new LatencyPeak(timeNs, latencyNs);
    }

    /// <summary>What was kept, in order of time.</summary>
    public LatencyPeak[] End()
    {
        LatencyPeak[] peaks = _peaks[.._count];
        Array.Sort(peaks, static (one, other) => (one.TimeNs, one.LatencyNs).CompareTo((other.TimeNs, other.LatencyNs)));
        return peaks;
    }

    /// <summary>
    /// Raises the level to the longest latency that does not belong to the <c>kept</c> longest, and drops what is not above it. Latencies
    /// that are equal stay or go together: half of them would be no number that means anything.
    /// </summary>
    private void Raise()
    {
        _peaks.AsSpan(0, _count).Sort(static (one, other) => other.LatencyNs.CompareTo(one.LatencyNs));
        LevelNs = _peaks[kept].LatencyNs;
        int above = kept;
        while (above > 0 && _peaks[above - 1].LatencyNs == LevelNs)
        {
            above--;
        }

        _count = above;
    }
}
