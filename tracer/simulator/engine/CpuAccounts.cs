namespace Tracer.Simulator.Engine;

/// <summary>What each CPU has done until now, for the truth and for what its code has left to do.</summary>
internal sealed class CpuAccounts(MachineState state)
{
    /// <summary>The CPUs that wait for others without giving up.</summary>
    public List<Cpu> Spinning { get; } = [];

    /// <summary>Brings progress and history of a CPU up to now; before anything on it changes.</summary>
    public void Account(Cpu cpu)
    {
        long elapsed = state.NowNs - cpu.AccountedNs;
        if (elapsed == 0)
        {
            return;
        }

        Frame top = cpu.Top;
        state.Truth.Account(cpu, cpu.AccountedNs, state.NowNs, Describe(cpu, top) with { LostPercent = LostPercent(cpu, top) });
        if (state.Stall is null && cpu.Power.TakenBy is null && top.Kind != FrameKind.Idle)
        {
            long progress = CpuSpeed.Progress(cpu, top, elapsed);
            top.RemainingNs -= top.Spin is null ? progress : 0;
            if (top.Kind == FrameKind.Thread)
            {
                cpu.Current.QuantumUsedNs += elapsed;
            }
        }

        cpu.AccountedNs = state.NowNs;
    }

    /// <summary>Brings the history of CPUs that idle up to now: before somebody asks which of them were free.</summary>
    public void AccountIdle()
    {
        foreach (Cpu cpu in state.Cpus)
        {
            if (cpu.Top.Kind == FrameKind.Idle)
            {
                Account(cpu);
            }
        }
    }

    /// <summary>Brings the history of CPUs that wait for others up to now; before whom they wait for changes.</summary>
    public void AccountSpinning()
    {
        foreach (Cpu cpu in Spinning)
        {
            Account(cpu);
        }
    }

    private Activity Describe(Cpu cpu, Frame top)
    {
        CodeOwner? owner = top.Code.Owner ?? top.Owner;
        string? routine = top.Code.Routine ?? top.Routine;
        if (state.Stall is not null)
        {
            return new Activity(ActivityKind.Stall, state.Stall.Owner, state.Stall.Code?.Routine, state.Stall.Mechanism, null, 0);
        }

        if (cpu.Power.TakenBy is Taking taking)
        {
            return new Activity(ActivityKind.Masked, taking.Owner, null, taking.Mechanism, null, 0);
        }

        if (top.Spin is not null)
        {
            Activity spin = DescribeSpin(cpu, top);
            if (spin.Kind == ActivityKind.Spin)
            {
                return spin;
            }
        }

        if (IsMasked(top))
        {
            return new Activity(ActivityKind.Masked, owner, routine, null, top.Kind == FrameKind.Thread ? cpu.Current : null, 0);
        }

        return top.Kind switch
        {
            FrameKind.Isr when top.IsEntered => new Activity(ActivityKind.Isr, owner, routine, top.Code.Mechanism, null, 0),
            FrameKind.Dpc when top.IsEntered => new Activity(ActivityKind.Dpc, owner, routine, top.Code.Mechanism, null, 0),
            FrameKind.Thread when top.Overlay is Dpc dpc => new Activity(
                ActivityKind.Thread, top.Code.Owner ?? dpc.Owner, dpc.RoutineName, Mechanism.Thread, cpu.Current, cpu.Current.Priority),
            FrameKind.Thread => new Activity(
                top.Irql >= Irql.Dispatch ? ActivityKind.RaisedThread : ActivityKind.Thread,
                owner, routine, top.Code.Mechanism, cpu.Current, cpu.Current.Priority),
            FrameKind.IdleExit => new Activity(ActivityKind.IdleExit, CodeOwner.Power, null, null, null, 0),
            FrameKind.Idle => new Activity(cpu.Power.IsParked ? ActivityKind.Parked : ActivityKind.Idle, null, null, null, null, 0),
            _ => new Activity(ActivityKind.Overhead, null, null, null, IsOverThread(cpu) ? cpu.Current : null, 0),
        };
    }

    /// <summary>Whether nothing but the kernel's overhead has interrupted the thread of a CPU.</summary>
    private static bool IsOverThread(Cpu cpu)
    {
        for (int depth = 1; depth < cpu.Depth; depth++)
        {
            if (cpu.At(depth) is { Kind: FrameKind.Isr or FrameKind.Dpc, IsEntered: true })
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>What a CPU does that spins: its time is that of whom it waits for; nobody's while the others are about to answer.</summary>
    private static Activity DescribeSpin(Cpu cpu, Frame top)
    {
        Cpu? other = top.Spin is KernelSpinLock { Holder: LockUse use }
            ? use.Cpu
            : (top.Spin as CrossCpuCall)?.Missing.Find(missing => missing.Power.TakenBy is not null || IsMasked(missing.Top));
        if (other is null)
        {
            return default;
        }

        // Who takes the other CPU away keeps all that wait for it; the code there would go on.
        Frame culprit = (top.Spin as KernelSpinLock)?.Holder?.Frame ?? other.Top;
        bool isTaken = other.Power.TakenBy is not null;
        return new Activity(
            ActivityKind.Spin,
            other.Power.TakenBy?.Owner ?? culprit.Code.Owner ?? culprit.Owner,
            isTaken ? null : culprit.Code.Routine ?? culprit.Routine,
            null,
            top.Kind == FrameKind.Thread ? cpu.Current : null,
            0);
    }

    private int LostPercent(Cpu cpu, Frame top) =>
        state.Stall is null && cpu.Power.TakenBy is null && !top.IsMasked && top.Kind != FrameKind.Idle && CpuSpeed.IsSlowed(cpu, top)
            ? CpuSpeed.FullPercent - cpu.Power.SpeedPercent : 0;

    private static bool IsMasked(Frame top) => top.IsClosed || (top.Kind == FrameKind.Thread && top.Irql >= Irql.High);
}
