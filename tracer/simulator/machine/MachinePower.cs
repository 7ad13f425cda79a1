using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>Power of the CPUs: how fast they run, whether threads are given to them, how long they take to leave an idle state.</summary>
public sealed partial class Machine
{
    private const int FullSpeedPercent = 100;

    /// <summary>A CPU runs at a part of its speed from now on: all its code takes longer. Leaves a record of the change.</summary>
    /// <param name="cpu">The CPU.</param>
    /// <param name="percent">1 to 100 of its nominal speed.</param>
    public void SetSpeed(int cpu, int percent)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(percent, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, FullSpeedPercent);
        Cpu changed = _cpus[cpu];
        int old = changed.Power.SpeedPercent;
        if (old == percent)
        {
            return;
        }

        Account(changed);
        changed.Power.SpeedPercent = percent;
        changed.StepVersion++;
        changed.StepPlannedNs = -1;
        _log.SpeedChanged(NowNs, cpu, percent, old);
        AskToSettle(changed);
    }

    /// <summary>
    /// Core parking: every so often a look at how busy the CPUs were since the last one. One CPU more is used where those in use were busy
    /// for most of the time, one less where the others could do its work with ease. CPU 0 is never parked.
    /// </summary>
    /// <param name="everyNs">Time between two looks.</param>
    /// <param name="most">Above this part of the time busy one more is used, 0 to 1.</param>
    /// <param name="least">Below it the last one is given up, when the others would stay below it too.</param>
    public void ParkCpus(long everyNs, double most = 0.6, double least = 0.3) =>
        Repeat("core parking", Arrivals.Every(everyNs), _ => LookForCpusToPark(everyNs, most, least));

    private static bool MayPlace(Cpu cpu, SimulatedThread thread, Cpu[] cpus) =>
        thread.MayUse(cpu.Index) && (!cpu.Power.IsParked || !Array.Exists(cpus, other => IsOpenTo(other, thread)));

    private static bool IsOpenTo(Cpu cpu, SimulatedThread thread) => thread.MayUse(cpu.Index) && !cpu.Power.IsParked;

    private bool MayPlace(Cpu cpu, SimulatedThread thread) => !cpu.Power.IsParked || MayPlace(cpu, thread, _cpus);

    /// <summary>Whether an idle CPU is there for a thread; a parked one only for those that may use no other.</summary>
    private bool TakesThreads(Cpu cpu, SimulatedThread thread) => cpu.IsIdle && thread.MayUse(cpu.Index) && MayPlace(cpu, thread);

    /// <summary>The CPU that a thread waits for: its ideal one, or where that is parked the next that is not.</summary>
    private Cpu Home(SimulatedThread thread)
    {
        for (int i = 0; i < _cpus.Length; i++)
        {
            Cpu cpu = _cpus[(thread.IdealCpu + i) % _cpus.Length];
            if (IsOpenTo(cpu, thread))
            {
                return cpu;
            }
        }

        return _cpus[thread.IdealCpu];
    }

    private void LookForCpusToPark(long everyNs, double most, double least)
    {
        int used = 0;
        long busyNs = 0;
        foreach (Cpu cpu in _cpus)
        {
            Account(cpu);
            used += cpu.Power.IsParked ? 0 : 1;
            busyNs += cpu.Power.IsParked ? 0 : cpu.Power.BusyNs;
            cpu.Power.BusyNs = 0;
        }

        if (busyNs > most * everyNs * used && Array.Find(_cpus, cpu => cpu.Power.IsParked) is Cpu parked)
        {
            Unpark(parked);
        }
        else if (used > 1 && busyNs < least * everyNs * (used - 1)
            && Array.FindLast(_cpus, cpu => !cpu.Power.IsParked) is { IsBusy: false, NextThread: null } spare)
        {
            spare.Power.IsParked = true;
            _log.CpuParked(NowNs, 0, spare.Index, isParked: true);
        }
    }

    private void Unpark(Cpu cpu)
    {
        cpu.Power.IsParked = false;
        _log.CpuParked(NowNs, 0, cpu.Index, isParked: false);
        if (cpu.IsIdle && FromElsewhere(cpu) is SimulatedThread thread)
        {
            cpu.NextThread = thread;
            thread.State = ThreadState.Standby;
            Interrupt(cpu);
        }
    }

    /// <summary>How far the code on top has got in a time.</summary>
    private static long Progress(Cpu cpu, Frame top, long elapsedNs)
    {
        cpu.Power.BusyNs += elapsedNs;
        return IsSlowed(cpu, top) ? elapsedNs * cpu.Power.SpeedPercent / FullSpeedPercent : elapsedNs;
    }

    /// <summary>How long the code on top needs for what is left of its step.</summary>
    private static long TimeFor(Cpu cpu, Frame top) => IsSlowed(cpu, top)
        ? ((top.RemainingNs * FullSpeedPercent) + cpu.Power.SpeedPercent - 1) / cpu.Power.SpeedPercent
        : top.RemainingNs;

    private int LostPercent(Cpu cpu, Frame top) =>
        _stall is null && cpu.Power.TakenBy is null && !top.IsMasked && top.Kind != FrameKind.Idle && IsSlowed(cpu, top)
            ? FullSpeedPercent - cpu.Power.SpeedPercent : 0;

    /// <summary>Devices, the way out of an idle state and those that a CPU waits for take the time they take.</summary>
    private static bool IsSlowed(Cpu cpu, Frame top) =>
        cpu.Power.SpeedPercent < FullSpeedPercent && !top.IsStanding && top.Spin is null && top.Kind != FrameKind.IdleExit;

    private long ExitLatencyOf(Cpu cpu)
    {
        IdleState state = cpu.Sleep!;
        cpu.Power.Exits ??= Random($"idle exits {cpu.Index}");
        Spread? latency = cpu.IsWokenByStall ? _options.ResumeFromStall
            : state.ExitLatencyOfIdleMachine is Spread deep && IsMachineIdle() ? deep
            : state.ExitLatency;
        cpu.IsWokenByStall = false;
        OccasionNow = Occasion.Of((ulong)cpu.Index, (ulong)NowNs);
        if (latency is null)
        {
            cpu.Power.ExitNs = state.ExitLatencyNs;
        }
        else if (latency != cpu.Power.LastLatency || !cpu.Power.Exits.Happens(_options.ExitPersistence))
        {
            cpu.Power.ExitNs = latency.Next(cpu.Power.Exits);
        }

        OccasionNow = 0;
        cpu.Power.LastLatency = latency;
        return cpu.Power.ExitNs;
    }
}

/// <summary>What power management and what runs below the system do to a CPU.</summary>
internal sealed class CpuPower
{
    /// <summary>Its speed, of the nominal one.</summary>
    public int SpeedPercent { get; set; } = 100;

    /// <summary>Threads are not given to it, although it idles.</summary>
    public bool IsParked { get; set; }

    /// <summary>How long it ran anything since the last look.</summary>
    public long BusyNs { get; set; }

    /// <summary>How long the exit from an idle state takes that is under way, or took that was last.</summary>
    public long ExitNs { get; set; }

    public RandomSequence? Exits { get; set; }

    /// <summary>What the last exit's latency was drawn from; null where it is always the same.</summary>
    public Spread? LastLatency { get; set; }

    /// <summary>Who has taken it away from the system; null while it runs.</summary>
    public Taking? TakenBy { get; set; }
}

/// <summary>Somebody below the system has a CPU.</summary>
/// <param name="Owner">Who.</param>
/// <param name="Mechanism">What the truth calls that.</param>
internal sealed record Taking(CodeOwner Owner, Mechanism Mechanism);
