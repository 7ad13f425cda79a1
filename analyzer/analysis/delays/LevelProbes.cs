using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Delays;

/// <summary>Measures for how long one CPU was kept at ISR or DPC level, and passes on what reaches the threshold.</summary>
internal sealed class LevelProbes(DelaySettings settings, int cpu, IDelaySink delays)
{
    /// <summary>So often a stretch that nothing else ended is looked for, in ns.</summary>
    private const long BetweenEndsNanoseconds = 250_000_000;

    private readonly LevelWatch _levels = new(settings.LevelGapTicks);
    private readonly List<TickSpan> _found = [];
    private long _nextEndTicks = long.MinValue;

    /// <summary>Adds an ISR or DPC that returned.</summary>
    public void Ran(long startTicks, long endTicks)
    {
        _levels.Add(startTicks, endTicks);
        if (endTicks > _nextEndTicks)
        {
            // Without context switches nothing else ends a stretch; a routine seldom lasts a second.
            _nextEndTicks = endTicks + TickRate.TicksOf(BetweenEndsNanoseconds, settings.TicksPerSecond);
            EndBefore(endTicks - settings.TicksPerSecond, endTicks);
        }
    }

    /// <summary>Notes that the CPU was below DPC level at a time: its stretches up to then are complete.</summary>
    public void EndBefore(long ticks) => EndBefore(ticks, ticks);

    /// <summary>Ends all open stretches after the last record.</summary>
    public void Complete() => EndBefore(long.MaxValue, long.MaxValue);

    private void EndBefore(long ticks, long nowTicks)
    {
        _levels.EndBefore(ticks, settings.ThresholdTicks, _found);
        if (_found.Count == 0)
        {
            return;
        }

        foreach (TickSpan level in _found)
        {
            if (settings.WantsLevels)
            {
                var delay = new Delay { Probe = ProbeKind.Level, FromTicks = level.StartTicks, ToTicks = level.EndTicks, Cpu = cpu };
                delays.Add(delay, nowTicks);
            }
        }

        _found.Clear();
    }
}
