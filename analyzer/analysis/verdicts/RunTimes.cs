using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Verdicts;

/// <summary>The runs of a driver's ISRs, or of its DPCs. Times in ticks.</summary>
internal sealed class RunTimes
{
    private long _blackoutTicks;

    /// <summary>The lengths net of what interrupted the runs, but with blackouts of the machine.</summary>
    public DurationCounts Counts { get; } = new();

    /// <summary>The runs on each CPU, without blackouts of the machine.</summary>
    public PerCpuRuns PerCpu { get; } = new();

    /// <summary>The total time, without blackouts of the machine.</summary>
    public long TotalTicks => Counts.TotalTicks - _blackoutTicks;

    /// <summary>The longest run, without blackouts of the machine.</summary>
    public long MaxTicks { get; private set; }

    /// <summary>Their time by bins, with blackouts of the machine; null where those are not kept.</summary>
    public RunTimeBins? TimeBins { get; private set; }

    /// <summary>The longest run; null for none.</summary>
    public LongRun? Longest { get; private set; }

    /// <param name="longest">The longest of them, each with how much of it the machine stood still.</param>
    public void Add(RoutineCount counted, IReadOnlyList<(LongRun Run, long BlackoutTicks)> longest)
    {
        Counts.Add(counted.Times);
        long above = Math.Max(0, counted.Longest.CompleteAboveTicks);
        long most = above;
        foreach ((LongRun run, long stopped) in longest)
        {
            _blackoutTicks += stopped;
            most = Math.Max(most, run.NetTicks - stopped);
            if (Longest is null || run.NetTicks - stopped > MaxTicks)
            {
                Longest = run;
                MaxTicks = run.NetTicks - stopped;
            }
        }

        if (counted.TimeBins is { } bins)
        {
            (TimeBins ??= bins.Empty()).Add(bins);
        }

        MaxTicks = Math.Max(MaxTicks, most);
        AddPerCpu(counted.PerCpu, longest, above);
    }

    private void AddPerCpu(PerCpuRuns counted, IReadOnlyList<(LongRun Run, long BlackoutTicks)> longest, long completeAbove)
    {
        Dictionary<int, (long Stopped, long Most)> ofCpu = [];
        foreach ((LongRun run, long stopped) in longest)
        {
            (long sum, long most) = ofCpu.GetValueOrDefault(run.Cpu);
            ofCpu[run.Cpu] = (sum + stopped, Math.Max(most, run.NetTicks - stopped));
        }

        foreach (CpuRun runs in counted.All)
        {
            (long stopped, long most) = ofCpu.GetValueOrDefault(runs.Cpu);
            PerCpu.Add(runs with
            {
                Ticks = runs.Ticks - stopped,
                MaxTicks = Math.Max(most, Math.Min(runs.MaxTicks, completeAbove)),
            });
        }
    }
}
