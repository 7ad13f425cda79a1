namespace Tracer.Analysis.Facts;

/// <summary>
/// Converts the clock of a probe into the clock of the trace. Between moments that are known in both clocks it interpolates linearly;
/// before the first and after the last one it uses the nominal rates.
/// </summary>
internal sealed class ProbeClock
{
    /// <summary>Most moments that are kept: one per second for three weeks.</summary>
    private const int MaximumTimes = 1 << 21;

    private readonly List<(long Logged, long Clock, long Ticks)> _times = [];
    private long[] _clock = [];
    private long[] _ticks = [];

    /// <summary>How many moments were dropped because a clock went back or there were too many.</summary>
    public long Dropped { get; private set; }

    /// <summary>Whether the clock can be converted.</summary>
    public bool HasTimes => _clock.Length > 0;

    public void Add(long loggedTicks, ulong clock, long ticks)
    {
        if (clock > long.MaxValue || _times.Count == MaximumTimes)
        {
            Dropped++;
            return;
        }

        _times.Add((loggedTicks, (long)clock, ticks));
    }

    /// <summary>
    /// Sorts the moments; conversion works afterwards. A moment at which either clock stood still or went back is dropped.
    /// </summary>
    public void Complete()
    {
        _times.Sort();
        var clock = new List<long>();
        var ticks = new List<long>();
        foreach ((_, long oneClock, long oneTicks) in _times)
        {
            if (clock.Count > 0 && (oneClock <= clock[^1] || oneTicks <= ticks[^1]))
            {
                Dropped += oneClock == clock[^1] && oneTicks == ticks[^1] ? 0 : 1;
                continue;
            }

            clock.Add(oneClock);
            ticks.Add(oneTicks);
        }

        _clock = [.. clock];
        _ticks = [.. ticks];
        _times.Clear();
    }

    /// <summary>The trace's ticks at a moment of the probe's clock, to the nearest.</summary>
    /// <returns>The ticks; null where no moment is known or the result exceeds 64 bits.</returns>
    public long? TicksAt(ulong clock, ulong clockHz, long ticksPerSecond)
    {
        if (!HasTimes || clock > long.MaxValue)
        {
            return null;
        }

        int at = Array.BinarySearch(_clock, (long)clock);
        at = at < 0 ? ~at - 1 : at;
        bool isBetween = at >= 0 && at + 1 < _clock.Length;
        int from = Math.Max(at, 0);
        Int128 multiplier = isBetween ? _ticks[from + 1] - (Int128)_ticks[from] : ticksPerSecond;
        Int128 divisor = isBetween ? _clock[from + 1] - (Int128)_clock[from] : clockHz;
        Int128 product = ((Int128)(long)clock - _clock[from]) * multiplier;
        Int128 half = divisor / 2;
        Int128 ticks = _ticks[from] + ((product + (product < 0 ? -half : half)) / divisor);
        return ticks > long.MinValue && ticks < long.MaxValue ? (long)ticks : null;
    }
}
