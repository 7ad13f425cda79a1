namespace Tracer.Analysis.Machine;

/// <summary>Adds up for how long a CPU was at ISR or DPC level since its last switch of threads. Times in ticks.</summary>
/// <param name="gapTicks">A longer gap ends a stretch.</param>
internal struct LevelTime(long gapTicks)
{
    private long _ticks;
    private long _longestTicks;
    private long _fromTicks = long.MaxValue;
    private long _toTicks = long.MinValue;

    /// <summary>Adds a routine that returned, after those that it contains.</summary>
    /// <param name="netTicks">Its time without those.</param>
    public void Add(long fromTicks, long toTicks, long netTicks)
    {
        _ticks += netTicks;
        bool continues = _toTicks != long.MinValue && fromTicks - _toTicks <= gapTicks;
        (_fromTicks, _toTicks) = (continues ? Math.Min(_fromTicks, fromTicks) : fromTicks, Math.Max(_toTicks, toTicks));
        _longestTicks = Math.Max(_longestTicks, _toTicks - _fromTicks);
    }

    /// <summary>The time in all and the longest stretch of it, and begins anew.</summary>
    public (long Ticks, long LongestTicks) Take()
    {
        (long, long) taken = (_ticks, _longestTicks);
        (_ticks, _longestTicks, _toTicks) = (0, 0, long.MinValue);
        return taken;
    }
}
