namespace Tracer.Analysis;

/// <summary>
/// How finely the time stamps of a trace are divided. The system time moves on with the clock interrupt only, by 1 or 15.6 ms: many events
/// then share one stamp, and no two stamps lie closer together. Takes the events in the order of time.
/// </summary>
/// <param name="mostTicks">Steps longer than this are too long for what is asked, in ticks.</param>
internal sealed class ClockSteps(long mostTicks)
{
    /// <summary>Fewer steps tell nothing.</summary>
    private const int FewestSteps = 50;

    /// <summary>One step in so many may be short by damage, or where somebody set the time.</summary>
    private const int ShortOf = 20;

    /// <summary>Of a clock that should be fine so many events share the stamp of the one before, in percent, where it is coarse.</summary>
    private const int SamePercent = 80;

    private readonly DurationCounts _steps = new();
    private long _latestTicks = long.MaxValue;
    private long _events;
    private long _short;

    /// <summary>An event was logged.</summary>
    /// <param name="ticks">When, in ticks.</param>
    public void Take(long ticks)
    {
        _events++;
        if (ticks > _latestTicks)
        {
            long step = ticks - _latestTicks;
            if (step <= mostTicks)
            {
                _short++;
            }
            else
            {
                _steps.Add(step);
            }
        }

        _latestTicks = ticks;
    }

    /// <summary>
    /// The step of the clock where it is too long for what is asked, in ticks; null where it is not, or too few events tell.
    /// </summary>
    /// <param name="isSystemTime">Whether the trace's clock is the system time.</param>
    public long? Coarse(bool isSystemTime)
    {
        long steps = _steps.Count + _short;
        bool isShared = 100 * (_events - steps) >= SamePercent * _events;
        return steps >= FewestSteps && _short * ShortOf <= steps && (isSystemTime || isShared) ? Math.Max(1, _steps.Percentile(10)) : null;
    }
}
