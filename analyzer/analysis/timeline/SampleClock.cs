namespace Tracer.Analysis;

/// <summary>
/// When the profile interrupt of one CPU is due: a fixed interval after the last sample that was on time. Where the trace does not tell
/// the interval it is taken from the samples themselves, as the shortest distance that comes often.
/// </summary>
internal sealed class SampleClock
{
    private const int Learnt = 48;

    /// <summary>Without a sample for so many intervals the phase is no longer known.</summary>
    private const int PhaseIntervals = 200;

    private readonly List<long> _distances = [];
    private long _intervalTicks;
    private long _lastTicks = long.MinValue;
    private readonly long _leastToleranceTicks;
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

    /// <summary>How late a sample may be, in ticks, before it counts as late.</summary>
    public long ToleranceTicks => _toleranceTicks;

    /// <summary>The interval is another from now on, or sampling stops (0).</summary>
    public void SetInterval(long intervalTicks)
    {
        _intervalTicks = intervalTicks;
        _toleranceTicks = Math.Max(_leastToleranceTicks, intervalTicks / 8);
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

        if (IsOnBeat(ticks, _lastTicks))
        {
            (_lastTicks, _strayTicks) = (ticks, long.MinValue);
        }
        else if (_strayTicks != long.MinValue && IsOnBeat(ticks, _strayTicks) && ticks - _strayTicks >= _intervalTicks / 2)
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
    public bool IsOnBeat(long ticks, long beatTicks)
    {
        if (_intervalTicks <= 0 || ticks < beatTicks)
        {
            return false;
        }

        long past = (ticks - beatTicks) % _intervalTicks;
        return past <= _toleranceTicks || _intervalTicks - past <= _toleranceTicks;
    }

    /// <summary>When the first sample that should lie between two times, and does not, was due; null where none had to.</summary>
    /// <param name="fromTicks">The last record before.</param>
    /// <param name="toTicks">The first record after.</param>
    public long? FirstMissed(long fromTicks, long toTicks)
    {
        if (_intervalTicks <= 0 || _lastTicks == long.MinValue || toTicks - _lastTicks <= _intervalTicks + _toleranceTicks)
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
            long beats = Math.Max(1, (fromTicks - _lastTicks - _toleranceTicks + _intervalTicks - 1) / _intervalTicks);
            due = _lastTicks + (beats * _intervalTicks);
            if (due < fromTicks)
            {
                due += _intervalTicks;
            }
        }

        return due + _toleranceTicks < toTicks ? due : null;
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
}
