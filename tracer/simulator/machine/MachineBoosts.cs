namespace Tracer.Simulator;

/// <summary>Priorities that change while threads wait or run.</summary>
public sealed partial class Machine
{
    /// <summary>How often the balance set manager looks for starving threads.</summary>
    private const long BalanceNs = 1_000_000_000;

    /// <summary>A thread that has been ready for so long starves.</summary>
    private const long StarvedNs = 4_000_000_000;

    private const int StarvedPriority = 15;

    /// <summary>It lifts so many threads at a time and leaves the others to the next time.</summary>
    private const int MostLifted = 10;

    /// <summary>Sets the base priority of a thread, as KeSetPriorityThread does it, wherever it waits or runs.</summary>
    /// <param name="thread">The thread.</param>
    /// <param name="priority">1 to 31.</param>
    public void SetPriority(SimulatedThread thread, int priority)
    {
        ArgumentNullException.ThrowIfNull(thread);
        ArgumentOutOfRangeException.ThrowIfLessThan(priority, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(priority, 31);
        if (Records(Recording.Priorities) && _active is not null && thread.Priority != priority)
        {
            _log.PrioritySet(NowNs, _active.Index, thread.Id, thread.Priority, priority);
        }

        Cpu? waitsAt = WaitsAt(thread);
        waitsAt?.Queue.Remove(thread);
        if (thread.OnCpu is Cpu running)
        {
            Account(running);
        }

        thread.BasePriority = priority;
        thread.Priority = priority;
        thread.IsStarvedLift = false;
        if (waitsAt is not null)
        {
            Place(thread, isPreempted: false);
        }
        else if (thread.OnCpu is Cpu cpu && thread.State == ThreadState.Running
            && cpu.NextThread is null && cpu.Queue.Best(cpu.Index, priority + 1) is not null)
        {
            cpu.IsTurnOver = true;
            Interrupt(cpu);
        }
    }

    private void StartBalancing() => After(BalanceNs, Balance);

    /// <summary>Threads that have been ready for about four seconds run at priority 15 for a quantum.</summary>
    private static void Balance(Machine machine)
    {
        machine.After(BalanceNs, Balance);
        int lifted = 0;
        foreach (SimulatedThread thread in machine._threads)
        {
            if (thread.State == ThreadState.Ready && thread.Priority < StarvedPriority && lifted < MostLifted
                && machine.NowNs - thread.ReadySinceNs >= StarvedNs && machine.WaitsAt(thread) is Cpu waitsAt)
            {
                lifted++;
                machine.Lift(thread, waitsAt);
            }
        }
    }

    private void Lift(SimulatedThread thread, Cpu waitsAt)
    {
        if (Records(Recording.Priorities))
        {
            _log.AntiStarvationBoost(NowNs, 0, thread.Id, waitsAt.Index, thread.Priority);
        }

        waitsAt.Queue.Remove(thread);
        thread.Priority = StarvedPriority;
        thread.QuantumUsedNs = 0;
        thread.IsStarvedLift = true;
        Place(thread, isPreempted: false);
    }

    /// <summary>The CPU in whose queue a ready thread stands: its ideal one, or while that is parked another; null for none.</summary>
    private Cpu? WaitsAt(SimulatedThread thread)
    {
        for (int i = 0; thread.State == ThreadState.Ready && i < _cpus.Length; i++)
        {
            Cpu cpu = _cpus[(thread.IdealCpu + i) % _cpus.Length];
            if (cpu.Queue.Has(thread))
            {
                return cpu;
            }
        }

        return null;
    }
}
