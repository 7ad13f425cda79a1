namespace Tracer.Simulator.Engine;

/// <summary>Priorities that change while threads wait or run.</summary>
internal sealed class ThreadPriorities(MachineState state, CpuAccounts accounts, ThreadPlacement placement)
{
    /// <summary>How often the balance set manager looks for starving threads.</summary>
    private const long BalanceNs = 1_000_000_000;

    /// <summary>A thread that has been ready for so long starves.</summary>
    private const long StarvedNs = 4_000_000_000;

    private const int StarvedPriority = 15;

    /// <summary>It lifts so many threads at a time and leaves the others to the next time.</summary>
    private const int MostLifted = 10;

    /// <summary>Sets the base priority of a thread, as KeSetPriorityThread does it, wherever it waits or runs.</summary>
    /// <param name="priority">1 to 31.</param>
    public void SetPriority(SimulatedThread thread, int priority)
    {
        ArgumentNullException.ThrowIfNull(thread);
        ArgumentOutOfRangeException.ThrowIfLessThan(priority, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(priority, 31);
        if (state.Records(Recording.Priorities) && state.Active is not null && thread.Priority != priority)
        {
            state.Log.PrioritySet(state.NowNs, state.Active.Index, thread.Id, thread.Priority, priority);
        }

        Cpu? waitsAt = placement.WaitsAt(thread);
        waitsAt?.Queue.Remove(thread);
        if (thread.OnCpu is Cpu running)
        {
            accounts.Account(running);
        }

        thread.BasePriority = priority;
        thread.Priority = priority;
        thread.IsStarvedLift = false;
        if (waitsAt is not null)
        {
            placement.Place(thread, isPreempted: false);
        }
        else if (thread.OnCpu is Cpu cpu && thread.State == ThreadState.Running
            && cpu.NextThread is null && cpu.Queue.Best(cpu.Index, priority + 1) is not null)
        {
            cpu.IsTurnOver = true;
            state.Interrupt(cpu);
        }
    }

    /// <summary>The balance set manager begins its rounds.</summary>
    public void Start() => state.After(BalanceNs, Balance);

    /// <summary>Threads that have been ready for about four seconds run at priority 15 for a quantum.</summary>
    private void Balance(Machine machine)
    {
        state.After(BalanceNs, Balance);
        int lifted = 0;
        foreach (SimulatedThread thread in state.Threads)
        {
            if (thread.State == ThreadState.Ready && thread.Priority < StarvedPriority && lifted < MostLifted
                && state.NowNs - thread.ReadySinceNs >= StarvedNs && placement.WaitsAt(thread) is Cpu waitsAt)
            {
                lifted++;
                Lift(thread, waitsAt);
            }
        }
    }

    private void Lift(SimulatedThread thread, Cpu waitsAt)
    {
        if (state.Records(Recording.Priorities))
        {
            state.Log.AntiStarvationBoost(state.NowNs, 0, thread.Id, waitsAt.Index, thread.Priority);
        }

        waitsAt.Queue.Remove(thread);
        thread.Priority = StarvedPriority;
        thread.QuantumUsedNs = 0;
        thread.IsStarvedLift = true;
        placement.Place(thread, isPreempted: false);
    }
}
