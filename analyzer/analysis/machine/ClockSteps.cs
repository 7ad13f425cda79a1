using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Measures the resolution of a trace's time stamps. The system time advances only with the clock interrupt, by 1 or 15.6 ms: many events
/// then share one time stamp, and no two time stamps lie closer together. Events of a CPU must come in order of time.
/// </summary>
/// <param name="mostTicks">Longer steps are too coarse for the analysis, in ticks.</param>
internal sealed class ClockSteps(long mostTicks)
{
    /// <summary>Fewest steps by which the resolution is judged: fewer prove nothing.</summary>
    private const int FewestSteps = 50;

    /// <summary>
    /// At most one step in this many may be short in a coarse clock: damage, or a change of the system time, causes a few.
    /// </summary>
    private const int ShortOf = 20;

    /// <summary>
    /// Least percentage of events that share the previous event's time stamp for a clock to count as coarse; decides only where the clock
    /// is not the system time and ought to be fine.
    /// </summary>
    private const int SamePercent = 80;

    private readonly DurationCounts _steps = new();
    private long _latestTicks = long.MaxValue;
    private long _events;
    private long _short;

    /// <summary>The least step that is not short, in ticks.</summary>
    private long _least = long.MaxValue;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
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
                _least = Math.Min(_least, step);
            }
        }

        _latestTicks = ticks;
    }

    /// <summary>Adds what another CPU's events showed.</summary>
    public void Add(ClockSteps other)
    {
        _steps.Add(other._steps);
        _events += other._events;
        _short += other._short;
        _least = Math.Min(_least, other._least);
    }

    /// <summary>
    /// The step of the clock in ticks if it is too coarse for the analysis; null if it is not, or if too few events tell.
    /// </summary>
    public long? Coarse(bool isSystemTime)
    {
        long steps = _steps.Count + _short;
        bool isShared = 100 * (_events - steps) >= SamePercent * _events;
        if (steps < FewestSteps || _short * ShortOf > steps || !(isSystemTime || isShared))
        {
            return null;
        }

        // Longer steps are several of the clock's at once; a few shorter ones are damage. Counts know a step to 1.6 %, the least exactly.
        long usual = _steps.Percentile(10);
        return Math.Max(1, _least >= usual - (usual / 32) ? _least : usual);
    }
}
