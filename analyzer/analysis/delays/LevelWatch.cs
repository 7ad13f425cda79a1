namespace Tracer.Analysis;

/// <summary>
/// Watches one CPU for stretches at ISR or DPC level: routines that follow each other without a gap of more than 2 us. Routines become
/// known at their end, so a stretch grows backwards when an outer one returns; a context switch ends it, none runs across.
/// </summary>
internal sealed class LevelWatch
{
    /// <summary>A longer gap ends a stretch at ISR or DPC level, in ns (design, "level").</summary>
    public const long GapNanoseconds = 2_000;

    /// <summary>Stretches of one CPU that may still grow.</summary>
    private const int MostOpen = 4096;

    private readonly long _gapTicks;
    private readonly List<(long StartTicks, long EndTicks)> _open = [];

    /// <summary>Watches.</summary>
    /// <param name="gapTicks">A longer gap ends a stretch, in ticks.</param>
    public LevelWatch(long gapTicks) => _gapTicks = gapTicks;

    /// <summary>Takes a routine.</summary>
    public void Add(long startTicks, long endTicks)
    {
        while (_open.Count > 0 && _open[^1].EndTicks + _gapTicks >= startTicks)
        {
            startTicks = Math.Min(startTicks, _open[^1].StartTicks);
            endTicks = Math.Max(endTicks, _open[^1].EndTicks);
            _open.RemoveAt(_open.Count - 1);
        }

        if (_open.Count >= MostOpen)
        {
            _open.RemoveRange(0, MostOpen / 2);
        }

        _open.Add((startTicks, endTicks));
    }

    /// <summary>Nothing that is still to come reaches back before a time: gives the stretches that end before it.</summary>
    /// <param name="ticks">The time.</param>
    /// <param name="leastTicks">Only stretches of at least this length.</param>
    /// <param name="found">Takes them, by time.</param>
    public void EndBefore(long ticks, long leastTicks, List<TickSpan> found)
    {
        int ended = 0;
        while (ended < _open.Count && _open[ended].EndTicks <= ticks)
        {
            if (_open[ended].EndTicks - _open[ended].StartTicks >= leastTicks)
            {
                found.Add(new TickSpan(_open[ended].StartTicks, _open[ended].EndTicks));
            }

            ended++;
        }

        _open.RemoveRange(0, ended);
    }
}
