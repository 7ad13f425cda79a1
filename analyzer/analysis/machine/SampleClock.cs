namespace Tracer.Analysis;

/// <summary>
/// When the profile interrupt of one CPU is due: a fixed interval after the last sample that was on time. Where the trace does not tell
/// the interval it is taken from the samples themselves, as the shortest distance that comes often.
/// </summary>
internal sealed class SampleClock
{
    /// <summary>Samples by which the lateness of a CPU is learnt.</summary>
    private const int Learnt = 48;

    /// <summary>Without a sample for so many intervals the phase is no longer known.</summary>
    private const int PhaseIntervals = 200;

    /// <summary>Samples of whose jitter the margin is made anew.</summary>
    private const int JitterLearnt = 256;

    /// <summary>Buckets of equal width from no deviation up to <see cref="ToleranceTicks"/>.</summary>
    private const int JitterBuckets = 64;

    /// <summary>One sample in so many may deviate by more than what the margin is made of.</summary>
    private const int OutlierOf = 100;

    /// <summary>So many times as late as all but the outliers is no jitter.</summary>
    private const double TimesJitter = 4;

    private readonly List<long> _distances = [];
    private readonly int[] _jitter = new int[JitterBuckets];
    private readonly long _leastToleranceTicks;
    private int _jitterCount;
    private long _intervalTicks;
    private long _lastTicks = long.MinValue;
    private long _strayTicks = long.MinValue;
    private long _toleranceTicks;

    /// <summary>Makes a clock.</summary>
    /// <param name="intervalTicks">The interval in ticks; 0 where it is not known.</param>
    /// <param name="leastToleranceTicks">A sample that is late by less is on time, in ticks.</param>
    public SampleClock(long intervalTicks, long leastToleranceTicks)
    {
        _leastToleranceTicks = leastToleranceTicks;
        SetInterval(intervalTicks);
    }

    /// <summary>The interval in ticks; 0 where it is not known (yet).</summary>
    public long IntervalTicks => _intervalTicks;

    /// <summary>How late a sample may be, in ticks, before its lateness alone tells something.</summary>
    public long ToleranceTicks => _toleranceTicks;

    /// <summary>
    /// How late a sample of this CPU is beyond its usual jitter, in ticks; at most <see cref="ToleranceTicks"/>. Where other CPUs' samples
    /// are late together with it, that much tells something.
    /// </summary>
    public long JitterTicks { get; private set; }

    /// <summary>The interval is another from now on, or sampling stops (0).</summary>
    public void SetInterval(long intervalTicks)
    {
        _intervalTicks = intervalTicks;
        _toleranceTicks = Math.Max(_leastToleranceTicks, intervalTicks / 8);
        JitterTicks = _toleranceTicks;
        Array.Clear(_jitter);
        _jitterCount = 0;
        _lastTicks = long.MinValue;
    }

    /// <summary>A sample was taken.</summary>
    public void Sampled(long ticks)
    {
        if (_intervalTicks == 0 && _lastTicks != long.MinValue)
        {
            Learn(ticks - _lastTicks);
        }

        if (_intervalTicks <= 0 || _lastTicks == long.MinValue || ticks - _lastTicks > PhaseIntervals * _intervalTicks)
        {
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
            return;
        }

        long deviation = Deviation(ticks, _lastTicks);
        if (deviation <= _toleranceTicks)
        {
            LearnJitter(deviation);
        }

        if (deviation <= JitterTicks)
        {
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
        }
        else if (_strayTicks != long.MinValue && Deviation(ticks, _strayTicks) <= JitterTicks && ticks - _strayTicks >= _intervalTicks / 2)
        {
            // Two that agree with each other, not with the beat: the timer was set anew, as it is after idling.
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
        }
        else
        {
            _strayTicks = ticks;
        }
    }

    /// <summary>The last sample that was on time, in ticks: the beat is counted from it; long.MinValue where there is none.</summary>
    public long BeatTicks => _lastTicks;

    /// <summary>Whether a time is on the beat that another belongs to.</summary>
    public bool IsOnBeat(long ticks, long beatTicks) => IsOnBeat(ticks, beatTicks, _toleranceTicks);

    /// <summary>Whether a time is on the beat that another belongs to.</summary>
    /// <param name="ticks">The time.</param>
    /// <param name="beatTicks">A time on the beat, before it.</param>
    /// <param name="marginTicks">How far from the beat it may lie.</param>
    public bool IsOnBeat(long ticks, long beatTicks, long marginTicks) =>
        _intervalTicks > 0 && ticks >= beatTicks && Deviation(ticks, beatTicks) <= marginTicks;

    /// <summary>When the first sample that should lie between two times, and does not, was due; null where none had to.</summary>
    /// <param name="fromTicks">The last record before.</param>
    /// <param name="toTicks">The first record after.</param>
    public long? FirstMissed(long fromTicks, long toTicks)
    {
        if (_intervalTicks <= 0 || _lastTicks == long.MinValue || toTicks - _lastTicks <= _intervalTicks + JitterTicks)
        {
            return null;
        }

        long due;
        if (fromTicks - _lastTicks > PhaseIntervals * _intervalTicks)
        {
            due = fromTicks + _intervalTicks; // At the latest.
        }
        else
        {
            // A sample that was due just before the last record may have been that record, or be behind it.
            long beats = Math.Max(1, (fromTicks - _lastTicks - JitterTicks + _intervalTicks - 1) / _intervalTicks);
            due = _lastTicks + (beats * _intervalTicks);
            if (due < fromTicks)
            {
                due += _intervalTicks;
            }
        }

        return due + JitterTicks < toTicks ? due : null;
    }

    private long Deviation(long ticks, long beatTicks)
    {
        ulong distance = ticks >= beatTicks ? unchecked((ulong)ticks - (ulong)beatTicks) : unchecked((ulong)beatTicks - (ulong)ticks);
        long past = (long)(distance % (ulong)_intervalTicks);
        return Math.Min(past, _intervalTicks - past);
    }

    private void Learn(long distance)
    {
        if (distance <= 0)
        {
            return;
        }

        _distances.Add(distance);
        if (_distances.Count >= Learnt)
        {
            _distances.Sort();
            SetInterval(_distances[Learnt / 3]);
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
        // What was learnt before counts half: jitter changes with the load.
        for (int i = 0; i < JitterBuckets; i++)
        {
            _jitter[i] /= 2;
        }

        _jitterCount = JitterLearnt / 2;
    }
}
