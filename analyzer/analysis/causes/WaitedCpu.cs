using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Finds the CPU that a victim waited for, and what that CPU did meanwhile: the one that ran it, or where that was free, the one that made
/// it ready, ran it last, or is its ideal one.
/// </summary>
internal sealed class WaitedCpu
{
    /// <summary>Above every thread priority (0 to 31): used for the wait for an interrupt or DPC, which no thread can delay.</summary>
    public const int AboveThreads = 32;

    private readonly EpisodeAnalysisSettings _settings;
    private readonly MachineState _machine;
    private readonly CpuHistories _cpus;
    private readonly Accounting _accounting;
    private readonly MeasuredWait _measured;
    private readonly WorkBudget _budget;

    public WaitedCpu(
        EpisodeAnalysisSettings settings, MachineState machine, Accounting accounting, MeasuredWait measured, WorkBudget budget)
    {
        _settings = settings;
        _machine = machine;
        _cpus = machine.Cpus;
        _accounting = accounting;
        _measured = measured;
        _budget = budget;
    }

    /// <summary>Sets the CPU that the victim waited for, and the parts that explain the latency.</summary>
    /// <param name="cpu">The CPU on which the delay was measured.</param>
    /// <returns>The CPU.</returns>
    public CpuHistory Find(CpuHistory cpu, EpisodeCandidate candidate)
    {
        candidate.Causes = CausesOn(cpu, candidate);
        if (candidate.Probe == ProbeKind.Thread && IsMostlyFree(candidate, candidate.Causes))
        {
            // The CPU that ran the thread was free most of the time. Before that the thread may have been on the deferred ready list or in
            // the ready queue of another CPU.
            _ = TryOther(candidate, candidate.Delay.ReadyCpu, IsDeferredOn(candidate))
                || TryOther(candidate, candidate.Delay.LastCpu, MayUse(candidate, candidate.Delay.LastCpu))
                || TryOther(candidate, candidate.Delay.IdealCpu, MayUse(candidate, candidate.Delay.IdealCpu));
            cpu = _cpus[candidate.Cpu]!;
        }

        if (candidate is { Path: { } path, Delay.Holds.Count: 0 }
            && 2 * (candidate.ReadyTicks - candidate.FromTicks) >= candidate.LatencyTicks && _cpus[path.DpcCpu] is { } waited)
        {
            // The victim's DPC waited for most of the time, so that the DPC's CPU is the one to look at.
            candidate.Cpu = path.DpcCpu;
            cpu = waited;
        }

        return cpu;
    }

    /// <summary>
    /// From when a thread that one CPU made ready can be dispatched on another: after the ISR or DPC that made it ready returned.
    /// </summary>
    public static long DispatchedFrom(CpuHistory by, CpuHistory on, long readyTicks)
    {
        long from = readyTicks;
        for (long number = by == on ? -1 : by.FirstEndingFrom(readyTicks + 1); number >= 0; number = by.OuterOf(number))
        {
            LevelSpan span = by.Spans[number];
            from = span.StartTicks <= readyTicks ? Math.Max(from, span.EndTicks) : from;
        }

        return from;
    }

    /// <summary>
    /// When the CPU could first learn of the victim. If an ISR or DPC of another CPU made the victim ready, that is after its return.
    /// </summary>
    private long CalledAt(CpuHistory cpu, EpisodeCandidate candidate) => _machine.Cpu(candidate.Delay.ReadyCpu) is { } by
        ? DispatchedFrom(by, cpu, candidate.ReadyTicks)
        : candidate.ReadyTicks;

    /// <summary>Whether the CPU's work explains less than half of the time since the victim became ready.</summary>
    private static bool IsMostlyFree(EpisodeCandidate candidate, IReadOnlyList<CauseShare> causes) =>
        (CauseShare.Sum(causes) - CauseShare.Sum(candidate.Before)) * 2 < candidate.ToTicks - candidate.ReadyTicks;

    /// <summary>Whether the victim's affinity allows a CPU, as far as is known.</summary>
    private bool MayUse(EpisodeCandidate candidate, int cpu) => candidate.ThreadId is { } thread
        && (_settings.AffinityOf(thread, candidate.ToTicks) is not { } affinity || ((affinity >> cpu) & 1) != 0);

    /// <summary>
    /// Whether the victim may have waited for the CPU that made it ready. Either it may run there; or the ISR or DPC that made it ready ran
    /// on for most of the wait, and threads are dispatched to other CPUs only after it returns.
    /// </summary>
    private bool IsDeferredOn(EpisodeCandidate candidate)
    {
        if (MayUse(candidate, candidate.Delay.ReadyCpu))
        {
            return true;
        }

        long ready = candidate.ReadyTicks;
        return _machine.Cpu(candidate.Delay.ReadyCpu) is { } by && _cpus[candidate.Cpu] is { } on
            && 2 * (DispatchedFrom(by, on, ready) - ready) >= candidate.ToTicks - ready;
    }

    private bool TryOther(EpisodeCandidate candidate, int other, bool isPossible)
    {
        if (!isPossible || _machine.IsOneCpuOnly || other == candidate.Cpu || _machine.Cpu(other) is not { } cpu
            || (_settings.Cpus is not null && !_settings.Cpus.Contains(other))
            || _machine.Losses.Overlaps(other, candidate.FromTicks, candidate.ToTicks))
        {
            return false;
        }

        List<CauseShare> causes = MayUse(candidate, other)
            ? CausesOn(cpu, candidate)
            : CausesOfDeferral(cpu, _cpus[candidate.Cpu]!, candidate);
        if (IsMostlyFree(candidate, causes))
        {
            return false;
        }

        candidate.Causes = causes;
        candidate.Cpu = other;
        return true;
    }

    private List<CauseShare> CausesOn(CpuHistory cpu, EpisodeCandidate candidate)
    {
        if (candidate.Delay.Wakeup is { } wakeup)
        {
            return _measured.CausesOf(cpu, candidate, wakeup);
        }

        int priority = candidate.Probe == ProbeKind.Thread ? candidate.Priority : AboveThreads;
        return [.. candidate.Before, .. CausesFrom(candidate.ReadyTicks, candidate.ToTicks, cpu, candidate, priority)];
    }

    /// <summary>
    /// The victim may not run on the CPU that made it ready: it waited there only until the ISR or DPC returned that had made it ready, and
    /// for its own CPU from then on.
    /// </summary>
    private List<CauseShare> CausesOfDeferral(CpuHistory by, CpuHistory on, EpisodeCandidate candidate)
    {
        long until = Math.Clamp(DispatchedFrom(by, on, candidate.ReadyTicks), candidate.ReadyTicks, candidate.ToTicks);
        return
        [
            .. candidate.Before,
            .. CausesFrom(candidate.ReadyTicks, until, by, candidate, candidate.Priority),
            .. CausesFrom(until, candidate.ToTicks, on, candidate, candidate.Priority),
        ];
    }

    private List<CauseShare> CausesFrom(long fromTicks, long toTicks, CpuHistory cpu, EpisodeCandidate candidate, int priority)
    {
        IdleElsewhere? idle = !_machine.IsOneCpuOnly && candidate is { Probe: ProbeKind.Thread, ThreadId: { } thread }
            && _settings.AffinityOf(thread, candidate.ToTicks) is { } affinity
            ? IdleTimes.Of(_cpus, affinity, cpu.Cpu, fromTicks, toTicks, _settings.LeastIdleTicks, _settings.Parked, _budget)
            : null;
        return _accounting.Of(
            cpu,
            fromTicks,
            toTicks,
            priority,
            cpu.SampleIntervalAt(toTicks),
            candidate.ThreadId,
            idleElsewhere: idle,
            calledTicks: Math.Max(fromTicks, CalledAt(cpu, candidate)));
    }
}
