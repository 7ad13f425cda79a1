namespace Tracer.Simulator.Engine;

/// <summary>Power management: how fast CPUs run, and which of them threads are given to.</summary>
internal sealed class PowerManagement(MachineState state, CpuAccounts accounts, ThreadPlacement placement)
{
    /// <summary>A CPU runs at a part of its speed from now on: all its code takes longer. Leaves a record of the change.</summary>
    /// <param name="percent">1 to 100 of its nominal speed.</param>
    public void SetSpeed(int cpu, int percent)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(percent, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(percent, CpuSpeed.FullPercent);
        Cpu changed = state.Cpus[cpu];
        int old = changed.Power.SpeedPercent;
        if (old == percent)
        {
            return;
        }

        accounts.Account(changed);
        changed.Power.SpeedPercent = percent;
        changed.StepVersion++;
        changed.StepPlannedNs = -1;
        state.Log.SpeedChanged(state.NowNs, cpu, percent, old);
        state.AskToSettle(changed);
    }

    /// <summary>
    /// Core parking: every so often a look at how busy the CPUs were since the last one. One CPU more is used where those in use were busy
    /// for most of the time, one less where the others could do its work with ease. CPU 0 is never parked.
    /// </summary>
    /// <param name="most">Above this part of the time busy one more is used, 0 to 1.</param>
    /// <param name="least">Below it the last one is given up, when the others would stay below it too.</param>
    public void ParkCpus(long everyNs, double most = 0.6, double least = 0.3) =>
        state.Repeat("core parking", Arrivals.Every(everyNs), _ => Look(everyNs, most, least));

    private void Look(long everyNs, double most, double least)
    {
        int used = 0;
        long busyNs = 0;
        foreach (Cpu cpu in state.Cpus)
        {
            accounts.Account(cpu);
            used += cpu.Power.IsParked ? 0 : 1;
            busyNs += cpu.Power.IsParked ? 0 : cpu.Power.BusyNs;
            cpu.Power.BusyNs = 0;
        }

        if (busyNs > most * everyNs * used && Array.Find(state.Cpus, cpu => cpu.Power.IsParked) is Cpu parked)
        {
            Unpark(parked);
        }
        else if (used > 1 && busyNs < least * everyNs * (used - 1)
            && Array.FindLast(state.Cpus, cpu => !cpu.Power.IsParked) is { IsBusy: false, NextThread: null } spare)
        {
            spare.Power.IsParked = true;
            state.Log.CpuParked(state.NowNs, 0, spare.Index, isParked: true);
        }
    }

    private void Unpark(Cpu cpu)
    {
        cpu.Power.IsParked = false;
        state.Log.CpuParked(state.NowNs, 0, cpu.Index, isParked: false);
        if (cpu.IsIdle && placement.FromElsewhere(cpu) is SimulatedThread thread)
        {
            cpu.NextThread = thread;
            thread.State = ThreadState.Standby;
            state.Interrupt(cpu);
        }
    }
}
