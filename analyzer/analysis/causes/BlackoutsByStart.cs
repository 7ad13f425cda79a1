namespace Tracer.Analysis;

/// <summary>Finds, among all blackouts of a trace, those that touch a stretch of time.</summary>
internal sealed class BlackoutsByStart
{
    private readonly Blackout[] _sorted;

    /// <summary>The latest end of the blackouts up to each.</summary>
    private readonly long[] _latestTicks;

    /// <summary>Takes all blackouts.</summary>
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

    /// <summary>Those that touch a stretch, the latest first; times in ticks.</summary>
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
