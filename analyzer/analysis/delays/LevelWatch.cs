using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Delays;

/// <summary>
/// Watches one CPU for stretches at ISR or DPC level: routines that follow each other with gaps of at most <see cref="LevelGap"/>.
/// Routines become known at their end, so that a stretch grows backwards when an outer routine returns. A context switch ends a stretch,
/// because none happens at these levels.
/// </summary>
internal sealed class LevelWatch
{
    /// <summary>Most stretches of one CPU that may still grow.</summary>
    private const int MostOpen = 4096;

    private readonly long _gapTicks;
    private readonly List<(long StartTicks, long EndTicks)> _open = [];

    /// <param name="gapTicks">A gap longer than this ends a stretch, in ticks.</param>
    public LevelWatch(long gapTicks) => _gapTicks = gapTicks;

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

    /// <summary>Returns the stretches that end before a time, because no later record reaches back beyond it.</summary>
    /// <param name="leastTicks">Shorter stretches are not returned.</param>
    /// <param name="found">Receives the stretches, in order of time.</param>
    public void EndBefore(long ticks, long leastTicks, List<TickSpan> found)
    {
        if (_open.Count == 0)
        {
            return;
        }

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
