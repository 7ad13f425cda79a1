using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>Idle states: which one a CPU without work enters, and how long it takes to come back.</summary>
internal sealed class IdleSleep(MachineState state)
{
    /// <summary>A CPU without work enters the deepest idle state that its last idle time was long enough for.</summary>
    public void Enter(Cpu cpu)
    {
        IdleState? deepest = null;
        foreach (IdleState candidate in state.Options.IdleStates)
        {
            if (deepest is null || candidate.WorthNs <= cpu.LastSleepNs)
            {
                deepest = candidate;
            }
        }

        if (deepest is null)
        {
            return;
        }

        cpu.Sleep = deepest;
        cpu.SleepSinceNs = state.NowNs;
        if (state.Records(Recording.Idle))
        {
            state.Log.IdleEnter(state.NowNs, cpu.Index, deepest.Number);
        }
    }

    /// <summary>An interrupt wakes the CPU: it needs the exit latency before it runs again.</summary>
    public void Leave(Cpu cpu)
    {
        cpu.LastSleepNs = state.NowNs - cpu.SleepSinceNs;
        cpu.LastSleepState = (byte)cpu.Sleep!.Number;
        var frame = new Frame(FrameKind.IdleExit, Irql.High, state.Options.Kernel.Idle) { RemainingNs = ExitLatencyOf(cpu) };
        cpu.Push(frame, state.NowNs);
    }

    public void HasLeft(Cpu cpu)
    {
        if (state.Records(Recording.Idle))
        {
            state.Log.IdleExit(state.NowNs, cpu.Index, cpu.Sleep!.Number);
            state.Log.IdleExitLatency(state.NowNs, cpu.Index, cpu.Sleep.Number, cpu.Power.ExitNs);
        }

        cpu.Sleep = null;
    }

    private long ExitLatencyOf(Cpu cpu)
    {
        IdleState sleep = cpu.Sleep!;
        cpu.Power.Exits ??= state.Random($"idle exits {cpu.Index}");
        Spread? latency = cpu.IsWokenByStall ? state.Options.ResumeFromStall
            : sleep.ExitLatencyOfIdleMachine is Spread deep && state.IsMachineIdle() ? deep
            : sleep.ExitLatency;
        cpu.IsWokenByStall = false;
        state.OccasionNow = Occasion.Of((ulong)cpu.Index, (ulong)state.NowNs);
        if (latency is null)
        {
            cpu.Power.ExitNs = sleep.ExitLatencyNs;
        }
        else if (latency != cpu.Power.LastLatency || !cpu.Power.Exits.Happens(state.Options.ExitPersistence))
        {
            cpu.Power.ExitNs = latency.Next(cpu.Power.Exits);
        }

        state.OccasionNow = 0;
        cpu.Power.LastLatency = latency;
        return cpu.Power.ExitNs;
    }
}
