namespace Tracer.Analysis.Machine;

/// <summary>
/// Predicts when the profile interrupt of one CPU is due: a fixed interval after the last sample that was on time. Where the trace does not
/// give the interval it is learnt from the samples, as the shortest distance that is frequent.
/// </summary>
internal sealed class SampleClock
{
    /// <summary>Number of distances between samples from which an unknown interval is learnt.</summary>
    private const int Learnt = 48;

    /// <summary>After this many intervals without a sample the phase of the samples counts as unknown.</summary>
    private const int PhaseIntervals = 200;

    /// <summary>Number of samples after which the jitter margin is computed anew.</summary>
    private const int JitterLearnt = 256;

    /// <summary>Number of equal histogram buckets between no deviation and <see cref="ToleranceTicks"/>.</summary>
    private const int JitterBuckets = 64;

    /// <summary>One sample in this many may be an outlier, which the jitter margin ignores.</summary>
    private const int OutlierOf = 100;

    /// <summary>
    /// The margin is this many times the largest deviation apart from outliers: later samples are not explained by jitter.
    /// </summary>
    private const double TimesJitter = 4;

    private readonly List<long> _distances = [];
    private readonly List<(long Ticks, long Interval)> _intervals = [];
    private readonly int[] _jitter = new int[JitterBuckets];
    private readonly long _leastToleranceTicks;
    private int _jitterCount;
    private long _intervalTicks;
    private long _lastTicks = long.MinValue;
    private long _strayTicks = long.MinValue;
    private long _toleranceTicks;

    /// <param name="intervalTicks">The interval in ticks; 0 where it is unknown.</param>
    /// <param name="leastToleranceTicks">A sample that is late by less than this counts as on time, in ticks.</param>
    public SampleClock(long intervalTicks, long leastToleranceTicks)
    {
        _leastToleranceTicks = leastToleranceTicks;
        SetInterval(long.MinValue, intervalTicks);
    }

    /// <summary>The interval in ticks; 0 where it is unknown or not learnt yet.</summary>
    public long IntervalTicks => _intervalTicks;

    /// <summary>Lateness of a sample, in ticks, above which it is evidence by itself.</summary>
    public long ToleranceTicks => _toleranceTicks;

    /// <summary>
    /// Lateness of a sample of this CPU, in ticks, that exceeds its usual jitter; at most <see cref="ToleranceTicks"/>. It is evidence
    /// where samples of other CPUs are late at the same time.
    /// </summary>
    public long JitterTicks { get; private set; }

    /// <summary>The interval at a time that has been reached, in ticks; 0 where it was unknown, and where no samples were taken.</summary>
    public long IntervalAt(long ticks)
    {
        int after = SortedSearch.FirstNot(0, _intervals.Count, (_intervals, ticks), static (at, i) => at._intervals[i].Ticks <= at.ticks);
        return _intervals[Math.Max(0, after - 1)].Interval;
    }

    /// <summary><see cref="ToleranceTicks"/> at a time that has been reached, in ticks.</summary>
    public long ToleranceAt(long ticks) => ToleranceOf(IntervalAt(ticks));

    /// <summary>Sets a new interval; 0 where sampling stops.</summary>
    /// <param name="ticks">From when on, in ticks.</param>
    public void SetInterval(long ticks, long intervalTicks)
    {
        if (_intervals.Count == 0 || _intervals[^1].Interval != intervalTicks)
        {
            _intervals.Add((ticks, intervalTicks));
        }

        _intervalTicks = intervalTicks;
        _toleranceTicks = ToleranceOf(intervalTicks);
        JitterTicks = _toleranceTicks;
        Array.Clear(_jitter);
        _jitterCount = 0;
        _lastTicks = long.MinValue;
    }

    /// <summary>Takes over what intervals another clock has had since.</summary>
    /// <param name="other">A clock that began as this one did, and only it has changed.</param>
    public void Follow(SampleClock other)
    {
        for (int i = _intervals.Count; i < other._intervals.Count; i++)
        {
            _intervals.Add(other._intervals[i]);
        }
    }

    public void Sampled(long ticks)
    {
        if (_intervalTicks == 0 && _lastTicks != long.MinValue)
        {
            Learn(ticks, ticks - _lastTicks);
        }

        if (_intervalTicks <= 0 || _lastTicks == long.MinValue || ticks - _lastTicks > PhaseIntervals * _intervalTicks)
        {
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
            return;
        }

        long deviation = Deviation(ticks, _lastTicks, _intervalTicks);
        if (deviation <= _toleranceTicks)
        {
            LearnJitter(deviation);
        }

        if (deviation <= JitterTicks)
        {
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
        }
        else if (_strayTicks != long.MinValue && ticks - _strayTicks >= _intervalTicks / 2
            && Deviation(ticks, _strayTicks, _intervalTicks) <= JitterTicks)
        {
            // Two samples that agree with each other but not with the beat: the timer was restarted, as it is after idling.
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
        }
        else
        {
            _strayTicks = ticks;
        }
    }

    /// <summary>
    /// Time of the last sample that was on time, in ticks, from which the beat is counted; long.MinValue where there is none.
    /// </summary>
    public long BeatTicks => _lastTicks;

    /// <summary>Whether a time is on the beat given by another time.</summary>
    /// <param name="beatTicks">An earlier time on the beat.</param>
    /// <param name="intervalTicks">The interval of the beat, in ticks; with 0 no time is on it.</param>
    /// <param name="marginTicks">Largest allowed distance from the beat.</param>
    public static bool IsOnBeat(long ticks, long beatTicks, long intervalTicks, long marginTicks) =>
        intervalTicks > 0 && ticks >= beatTicks && Deviation(ticks, beatTicks, intervalTicks) <= marginTicks;

    /// <summary>Whether a sample may have been due but did not come before a time: if not, <see cref="FirstMissed"/> finds none.</summary>
    public bool MayMissUntil(long toTicks) =>
        _intervalTicks > 0 && _lastTicks != long.MinValue && toTicks - _lastTicks > _intervalTicks + JitterTicks;

    /// <summary>When the first sample was due that should lie between two times but does not; null where none was due.</summary>
    /// <param name="fromTicks">The last record before the gap.</param>
    /// <param name="toTicks">The first record after the gap.</param>
    public long? FirstMissed(long fromTicks, long toTicks)
    {
        if (!MayMissUntil(toTicks))
        {
            return null;
        }

        long due;
        if (fromTicks - _lastTicks > PhaseIntervals * _intervalTicks)
        {
            due = fromTicks + _intervalTicks; // Due by then at the latest.
        }
        else
        {
            // A sample that was due just before the last record may be that record, or may come just after it.
            long beats = Math.Max(1, (fromTicks - _lastTicks - JitterTicks + _intervalTicks - 1) / _intervalTicks);
            due = _lastTicks + (beats * _intervalTicks);
            if (due < fromTicks)
            {
                due += _intervalTicks;
            }
        }

        return due + JitterTicks < toTicks ? due : null;
    }

    private static long Deviation(long ticks, long beatTicks, long intervalTicks)
    {
        ulong distance = ticks >= beatTicks ? unchecked((ulong)ticks - (ulong)beatTicks) : unchecked((ulong)beatTicks - (ulong)ticks);
        long past = (long)(distance % (ulong)intervalTicks);
        return Math.Min(past, intervalTicks - past);
    }

    private long ToleranceOf(long intervalTicks) => Math.Max(_leastToleranceTicks, intervalTicks / 8);

    private void Learn(long ticks, long distance)
    {
        if (distance <= 0)
        {
            return;
        }

        _distances.Add(distance);
        if (_distances.Count >= Learnt)
        {
            _distances.Sort();
            SetInterval(ticks, _distances[Learnt / 3]);
            _distances.Clear();
        }
    }

    private void LearnJitter(long deviation)
    {
        _jitter[Math.Min(JitterBuckets - 1, deviation * JitterBuckets / Math.Max(1, _toleranceTicks))]++;
        if (++_jitterCount < JitterLearnt)
        {
            return;
        }

        int beyond = 0;
        int bucket = JitterBuckets - 1;
        for (; bucket > 0 && (beyond + _jitter[bucket]) * OutlierOf <= JitterLearnt; bucket--)
        {
            beyond += _jitter[bucket];
        }

        double usual = (bucket + 1.0) * _toleranceTicks / JitterBuckets;
        JitterTicks = Math.Clamp((long)(TimesJitter * usual), Math.Min(_leastToleranceTicks * 3 / 2, _toleranceTicks), _toleranceTicks);
        // Earlier samples count half: jitter changes with the load.
        for (int i = 0; i < JitterBuckets; i++)
        {
            _jitter[i] /= 2;
        }

        _jitterCount = JitterLearnt / 2;
    }
}
