namespace Tracer.Simulator.Engine;

/// <summary>On which CPU a ready thread goes on, or in whose queue it waits, as the dispatcher of NT decides it.</summary>
internal sealed class ThreadPlacement(MachineState state)
{
    /// <summary>Gives a ready thread to a CPU: an idle one, one that runs less important code, else a queue.</summary>
    public void Place(SimulatedThread thread, bool isPreempted)
    {
        Cpu? target = IdleCpu(thread);
        SimulatedThread? displaced = null;
        if (target is null)
        {
            Cpu home = Home(thread);
            Cpu last = state.Cpus[thread.LastCpu];
            target = CanPreempt(home, thread) ? home : CanPreempt(last, thread) && MayPlace(last, thread) ? last : null;
            displaced = target?.NextThread;
        }

        if (target is null)
        {
            thread.State = ThreadState.Ready;
            thread.ReadySinceNs = state.NowNs;
            Home(thread).Queue.Add(thread, isPreempted);
            return;
        }

        target.NextThread = thread;
        target.IsPreemptedByItself = target == state.Active && target.Top.Kind == FrameKind.Thread;
        thread.State = ThreadState.Standby;
        state.Interrupt(target);
        if (displaced is not null)
        {
            Place(displaced, isPreempted: true);
        }
    }

    /// <summary>Whether a thread that another one displaces goes on at once on an idle CPU.</summary>
    public bool FindsIdleCpu(SimulatedThread thread) => IdleCpu(thread) is not null;

    /// <summary>The CPU in whose queue a ready thread stands: its ideal one, or while that is parked another; null for none.</summary>
    public Cpu? WaitsAt(SimulatedThread thread)
    {
        for (int i = 0; thread.State == ThreadState.Ready && i < state.Cpus.Length; i++)
        {
            Cpu cpu = state.Cpus[(thread.IdealCpu + i) % state.Cpus.Length];
            if (cpu.Queue.Has(thread))
            {
                return cpu;
            }
        }

        return null;
    }

    /// <summary>Takes the best thread of a CPU's queue that another CPU may run, of a least priority; null where there is none.</summary>
    public static SimulatedThread? Take(Cpu cpu, Cpu from, int leastPriority)
    {
        SimulatedThread? best = from.Queue.Best(cpu.Index, leastPriority);
        if (best is not null)
        {
            from.Queue.Remove(best);
        }

        return best;
    }

    /// <summary>A CPU with nothing to do takes a ready thread that waits for another one, where the machine's Windows lets it.</summary>
    public SimulatedThread? FromElsewhere(Cpu cpu)
    {
        if (!state.Options.TakesFromOtherQueues)
        {
            return null;
        }

        Cpu? from = null;
        SimulatedThread? best = null;
        for (int i = 1; i < state.Cpus.Length; i++)
        {
            Cpu other = state.Cpus[(cpu.Index + i) % state.Cpus.Length];
            SimulatedThread? candidate = other.Queue.Best(cpu.Index, best is null ? 0 : best.Priority + 1);
            if (candidate is not null)
            {
                best = candidate;
                from = other;
            }
        }

        if (best is not null)
        {
            from!.Queue.Remove(best);
        }

        return best;
    }

    /// <summary>
    /// An idle CPU that the thread may use: its ideal one, its last one, this one, then any. A CPU whose idle thread is current counts
    /// as idle even while a DPC runs there: NT looks at threads only.
    /// </summary>
    private Cpu? IdleCpu(SimulatedThread thread)
    {
        if (TakesThreads(state.Cpus[thread.IdealCpu], thread))
        {
            return state.Cpus[thread.IdealCpu];
        }

        if (TakesThreads(state.Cpus[thread.LastCpu], thread))
        {
            return state.Cpus[thread.LastCpu];
        }

        if (state.Active is not null && TakesThreads(state.Active, thread))
        {
            return state.Active;
        }

        foreach (Cpu cpu in state.Cpus)
        {
            if (TakesThreads(cpu, thread))
            {
                return cpu;
            }
        }

        return null;
    }

    /// <summary>A CPU that is about to switch takes the thread unless one as important waits in its queue.</summary>
    private static bool CanPreempt(Cpu cpu, SimulatedThread thread) => cpu.NextThread is not null
        ? thread.Priority > cpu.NextThread.Priority
        : cpu.Current.State != ThreadState.Running ? cpu.Queue.Best(cpu.Index, thread.Priority) is null
        : thread.Priority > cpu.Current.Priority;

    /// <summary>Whether an idle CPU is there for a thread; a parked one only for those that may use no other.</summary>
    private bool TakesThreads(Cpu cpu, SimulatedThread thread) => cpu.IsIdle && thread.MayUse(cpu.Index) && MayPlace(cpu, thread);

    private bool MayPlace(Cpu cpu, SimulatedThread thread) => !cpu.Power.IsParked || MayPlace(cpu, thread, state.Cpus);

    private static bool MayPlace(Cpu cpu, SimulatedThread thread, Cpu[] cpus) =>
        thread.MayUse(cpu.Index) && (!cpu.Power.IsParked || !Array.Exists(cpus, other => IsOpenTo(other, thread)));

    private static bool IsOpenTo(Cpu cpu, SimulatedThread thread) => thread.MayUse(cpu.Index) && !cpu.Power.IsParked;

    /// <summary>The CPU that a thread waits for: its ideal one, or where that is parked the next that is not.</summary>
    private Cpu Home(SimulatedThread thread)
    {
        for (int i = 0; i < state.Cpus.Length; i++)
        {
            Cpu cpu = state.Cpus[(thread.IdealCpu + i) % state.Cpus.Length];
            if (IsOpenTo(cpu, thread))
            {
                return cpu;
            }
        }

        return state.Cpus[thread.IdealCpu];
    }
}
