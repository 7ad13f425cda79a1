using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>Interrupts: which come through, and the ISRs and DPCs that begin and return.</summary>
internal sealed class InterruptDelivery(MachineState state, TimerQueues timers, DpcQueues dpcs, PeriodicDelivery periodic)
{
    /// <summary>Plans the first clock and profile interrupt of each CPU.</summary>
    public void Start()
    {
        foreach (Cpu cpu in state.Cpus)
        {
            state.Happenings.Add(state.ClockPhaseNs(cpu.Index), HappeningKind.Clock, cpu);
            if (state.Records(Recording.Samples))
            {
                long random = state.Random($"profile {cpu.Index}").NextBelow(state.Options.SampleIntervalNs);
                (long first, long interval) =
                    state.Options.Periodic.ProfileBeat?.Invoke(cpu.Index) ?? (random, state.Options.SampleIntervalNs);
                cpu.ProfileIntervalNs = interval;
                cpu.NextProfileNs = first;
                state.Happenings.Add(first, HappeningKind.Profile, cpu);
            }
        }
    }

    /// <summary>A device interrupts now.</summary>
    public void Raise(Isr isr)
    {
        ArgumentNullException.ThrowIfNull(isr);
        InterruptLine line = isr.Line ?? throw new InvalidOperationException("The ISR is connected to no line.");
        // Two that the ISR finds at once are served as the first.
        isr.Occasion = isr.IsAsserted ? isr.Occasion : state.OccasionNow;
        isr.IsAsserted = true;
        Cpu cpu = state.Cpus[line.NextCpu()];
        cpu.AddPending(line);
        state.AskToSettle(cpu);
    }

    /// <summary>The clock of a CPU strikes; an idle one that has nothing to do with it sleeps on, except for the first.</summary>
    public void ClockIsDue(Cpu cpu)
    {
        state.Happenings.Add(state.NowNs + state.Options.ClockIntervalNs, HappeningKind.Clock, cpu);
        if (cpu.Index == 0 || cpu.IsBusy || cpu.NextThread is not null || cpu.Dpcs.Count > 0 || timers.IsDue(cpu))
        {
            cpu.ClockDueNs = cpu.IsClockPending ? cpu.ClockDueNs : state.NowNs;
            cpu.IsClockPending = true;
            state.AskToSettle(cpu);
        }
    }

    /// <summary>The profile interrupt of a CPU is due; it stays pending while the CPU cannot serve it.</summary>
    public void ProfileIsDue(Cpu cpu)
    {
        cpu.NextProfileNs = state.NowNs + cpu.ProfileIntervalNs;
        state.Happenings.Add(cpu.NextProfileNs, HappeningKind.Profile, cpu);
        if (!cpu.IsProfilePending)
        {
            cpu.IsProfilePending = true;
            cpu.ProfileDueNs = state.NowNs;
            cpu.WasBusyWhenProfileDue = cpu.RunsCode;
        }

        state.AskToSettle(cpu);
    }

    /// <summary>Serves the pending interrupt of the highest level, where one is above what runs.</summary>
    public bool TryServe(Cpu cpu, Frame top)
    {
        if (cpu.IsProfilePending && top.Irql < Irql.High)
        {
            cpu.IsProfilePending = false;
            periodic.ServeProfile(cpu);
            return true;
        }

        if (cpu.IsIpiPending && top.Irql < Irql.Ipi)
        {
            cpu.IsIpiPending = false;
            cpu.Push(new Frame(FrameKind.Ipi, Irql.Ipi, state.Options.Kernel.Ipi) { RemainingNs = state.Options.IpiCostNs }, state.NowNs);
            return true;
        }

        if (cpu.IsClockPending && top.Irql < Irql.Clock)
        {
            cpu.IsClockPending = false;
            ServeClock(cpu);
            return true;
        }

        InterruptLine? line = cpu.TakeLine(top.Irql);
        if (line is null)
        {
            return false;
        }

        PushIsr(cpu, line, 0);
        return true;
    }

    /// <summary>The first instruction of an ISR or DPC.</summary>
    public void Enter(Cpu cpu, Frame top)
    {
        top.IsEntered = true;
        top.StartNs = state.NowNs;
        if (cpu.LevelDepth++ == 0)
        {
            state.Truth.LevelBegins(cpu, state.NowNs);
        }

        if (top.Dpc is not null)
        {
            dpcs.Enter(cpu, top);
            return;
        }

        Isr isr = top.Line!.Chain[top.ChainIndex];
        // An ISR with nobody to share with takes what comes; one of a shared line looks at its device first.
        top.IsMine = isr.IsAsserted || top.Line.Chain.Length == 1;
        // One that finds nothing to do has an occasion of its own each time.
        isr.Occasion = isr.IsAsserted ? isr.Occasion : Occasion.Of(isr.Occasion, 2);
        top.Occasion = isr.Occasion;
        isr.IsAsserted = false;
        top.Steps = (top.IsMine ? isr.Body() : isr.NotMine?.Invoke() ?? []).GetEnumerator();
    }

    /// <summary>An ISR or DPC has returned.</summary>
    public void Leave(Cpu cpu, Frame top)
    {
        cpu.Pop();
        if (--cpu.LevelDepth == 0)
        {
            state.Truth.LevelEnds(cpu, state.NowNs);
        }

        if (top.Dpc is not null)
        {
            dpcs.LogRun(cpu, top);
            return;
        }

        InterruptLine line = top.Line!;
        Isr isr = line.Chain[top.ChainIndex];
        if (state.Records(Recording.Isr))
        {
            state.Log.Isr(top.StartNs, state.NowNs, cpu.Index, isr.Routine, line.Vector, top.IsMine, isr.Message);
        }

        if (!top.IsMine && top.ChainIndex + 1 < line.Chain.Length)
        {
            PushIsr(cpu, line, top.ChainIndex + 1);
            return;
        }

        foreach (Isr other in line.Chain)
        {
            if (other.IsAsserted)
            {
                cpu.AddPending(line);
            }
        }
    }

    private void ServeClock(Cpu cpu)
    {
        cpu.ClockServedNs = state.NowNs;
        if (state.Records(Recording.Clock))
        {
            state.Log.ClockInterrupt(state.NowNs, cpu.Index, cpu.Index == 0);
        }

        if (timers.IsDue(cpu))
        {
            cpu.IsTimerExpiryPending = true;
            cpu.IsDispatchRequested = true;
        }

        if (cpu.Dpcs.Count > 0)
        {
            cpu.IsDispatchRequested = true;
        }

        if (!cpu.Current.IsIdleThread && cpu.Current.QuantumUsedNs >= state.Options.QuantumNs)
        {
            cpu.IsQuantumEnd = true;
        }

        periodic.PushClock(cpu);
    }

    private void PushIsr(Cpu cpu, InterruptLine line, int chainIndex)
    {
        Isr isr = line.Chain[chainIndex];
        cpu.Push(
            new Frame(FrameKind.Isr, line.Irql, state.Options.Kernel.InterruptEntry)
            {
                RemainingNs = state.Options.InterruptEntryNs,
                Line = line,
                ChainIndex = chainIndex,
                Owner = isr.Owner,
                Routine = isr.RoutineName,
            },
            state.NowNs);
    }
}
