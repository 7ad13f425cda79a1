using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Delays;

/// <summary>Measures for how long each CPU was kept at ISR or DPC level, and passes on what reaches the threshold.</summary>
/// <param name="cpus">Upper limit of the number of CPUs.</param>
internal sealed class LevelProbes(DelaySettings settings, int cpus, IDelaySink delays)
{
    private readonly LevelWatch?[] _levels = new LevelWatch?[cpus];
    private readonly List<TickSpan> _found = [];
    private long _nextEndTicks = long.MinValue;

    /// <summary>Adds an ISR or DPC that returned.</summary>
    public void Ran(int cpu, long startTicks, long endTicks)
    {
        LevelWatch levels = _levels[cpu] ??= new LevelWatch(settings.LevelGapTicks);
        levels.Add(startTicks, endTicks);
        if (endTicks > _nextEndTicks)
        {
            // Without context switches nothing else ends a stretch; a routine seldom lasts a second.
            _nextEndTicks = endTicks + (settings.TicksPerSecond / 4);
            for (int other = 0; other < _levels.Length; other++)
            {
                EndBefore(other, endTicks - settings.TicksPerSecond);
            }
        }
    }

    /// <summary>Ends all open stretches after the last record.</summary>
    public void Complete()
    {
        for (int cpu = 0; cpu < _levels.Length; cpu++)
        {
            EndBefore(cpu, long.MaxValue);
        }
    }

    /// <summary>Notes that a CPU was below DPC level at a time: its stretches up to then are complete.</summary>
    public void EndBefore(int cpu, long ticks)
    {
        if (_levels[cpu] is not { } levels)
        {
            return;
        }

        levels.EndBefore(ticks, settings.ThresholdTicks, _found);
        if (_found.Count == 0)
        {
            return;
        }

        foreach (TickSpan level in _found)
        {
            if (settings.WantsLevels)
            {
                delays.Add(new Delay { Probe = ProbeKind.Level, FromTicks = level.StartTicks, ToTicks = level.EndTicks, Cpu = cpu });
            }
        }

        _found.Clear();
    }
}
