namespace Tracer.Analysis.Causes;

/// <summary>All blackouts of a trace, sorted by start, to find those that overlap a stretch of time.</summary>
internal sealed class BlackoutsByStart
{
    private readonly Blackout[] _sorted;

    /// <summary>For each blackout the latest end of all blackouts up to it, in ticks; ends a query early.</summary>
    private readonly long[] _latestTicks;

    public BlackoutsByStart(IEnumerable<Blackout> blackouts)
    {
        _sorted = [.. blackouts.OrderBy(blackout => blackout.FromTicks)];
        _latestTicks = new long[_sorted.Length];
        long latest = long.MinValue;
        for (int i = 0; i < _sorted.Length; i++)
        {
            _latestTicks[i] = latest = Math.Max(latest, _sorted[i].ToTicks);
        }
    }

    /// <summary>The blackouts that overlap a stretch, in ticks, the latest first.</summary>
    public IEnumerable<Blackout> Touching(long fromTicks, long toTicks)
    {
        int low = SortedSearch.FirstNot(0, _sorted.Length, (_sorted, toTicks), static (at, i) => at._sorted[i].FromTicks < at.toTicks);

        for (int i = low - 1; i >= 0 && _latestTicks[i] > fromTicks; i--)
        {
            if (_sorted[i].ToTicks > fromTicks)
            {
                yield return _sorted[i];
            }
        }
    }
}
