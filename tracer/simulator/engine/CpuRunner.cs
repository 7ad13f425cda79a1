using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>Progress of the code on the CPUs: what is on top runs, step by step.</summary>
internal sealed class CpuRunner(
    MachineState state,
    CpuAccounts accounts,
    ThreadDispatcher dispatcher,
    DpcQueues dpcs,
    TimerQueues timers,
    InterruptDelivery interrupts,
    PeriodicDelivery periodic,
    SpinWaits spins,
    IdleSleep idling,
    StepInterpreter steps)
{
    /// <summary>A CPU that does so much in no time is a program that never yields a step that takes any.</summary>
    private const int MostStepsAtOnce = 100_000;

    /// <summary>Lets all CPUs do what they can do now, those that are asked meanwhile too.</summary>
    public void SettleAll()
    {
        while (state.TryNextToSettle())
        {
            Settle(state.Active!);
        }
    }

    /// <summary>Lets a CPU do all that it can do now, then plans the end of what takes time.</summary>
    private void Settle(Cpu cpu)
    {
        accounts.Account(cpu);
        int done = 0;
        while (state.Stall is null && cpu.Power.TakenBy is null)
        {
            if (++done > MostStepsAtOnce)
            {
                throw new InvalidOperationException($"CPU {cpu.Index} does not get on at {state.NowNs} ns: a program runs in no time.");
            }

            Frame top = cpu.Top;
            if (cpu.Sleep is not null && top.Kind == FrameKind.Idle)
            {
                if (!cpu.IsInterruptPending && !cpu.IsDispatchRequested && cpu.NextThread is null)
                {
                    return;
                }

                idling.Leave(cpu);
            }
            else if (!top.IsClosed && cpu.IsInterruptPending && interrupts.TryServe(cpu, top))
            {
                continue;
            }
            else if (!top.IsClosed && top.Irql < Irql.Dispatch && TryDispatchLevelWork(cpu, top))
            {
                continue;
            }
            else if (top.Kind == FrameKind.Idle)
            {
                idling.Enter(cpu);
                return;
            }
            else if (top.Spin is not null)
            {
                return;
            }
            else if (top.RemainingNs > 0)
            {
                PlanStepEnd(cpu, state.NowNs + CpuSpeed.TimeFor(cpu, top));
                return;
            }
            else
            {
                Advance(cpu, top);
            }
        }
    }

    /// <summary>Starts what is to run at DISPATCH_LEVEL next; false where there is nothing and the thread goes on.</summary>
    private bool TryDispatchLevelWork(Cpu cpu, Frame top)
    {
        if (cpu.IsDispatchRequested || (top.Kind == FrameKind.Idle && cpu.Dpcs.Count > 0))
        {
            if (dpcs.TryStart(cpu))
            {
                return true;
            }

            cpu.IsDispatchRequested = false;
        }

        return dispatcher.TryDispatch(cpu);
    }

    private void PlanStepEnd(Cpu cpu, long timeNs)
    {
        if (cpu.StepPlannedNs != timeNs)
        {
            cpu.StepPlannedNs = timeNs;
            state.Happenings.Add(timeNs, HappeningKind.StepEnd, cpu, ++cpu.StepVersion);
        }
    }

    /// <summary>The step of what is on top is done: takes the next, or what it was for happens.</summary>
    private void Advance(Cpu cpu, Frame top)
    {
        switch (top.Kind)
        {
            case FrameKind.Dispatcher:
                cpu.Pop();
                dispatcher.SwitchThreads(cpu);
                break;
            case FrameKind.TimerExpiry:
                timers.Expire(cpu);
                cpu.Pop();
                break;
            case FrameKind.IdleExit:
                cpu.Pop();
                idling.HasLeft(cpu);
                break;
            case FrameKind.Isr or FrameKind.Dpc when !top.IsEntered:
                interrupts.Enter(cpu, top);
                break;
            case FrameKind.Ipi:
                cpu.Pop();
                spins.AnswerCalls(cpu);
                break;
            case FrameKind.Clock or FrameKind.Profile:
                periodic.Advance(cpu, top);
                break;
            case var _ when top.IsStanding:
                accounts.AccountSpinning();
                top.IsStanding = false;
                break;
            default:
                state.OccasionNow = top.Occasion == 0 ? 0 : Occasion.Of(top.Occasion, ++top.StepsTaken);
                if (top.Steps!.MoveNext())
                {
                    steps.Do(cpu, top, top.Steps.Current);
                }
                else
                {
                    HasEnded(cpu, top);
                }

                state.OccasionNow = 0;
                break;
        }
    }

    private void HasEnded(Cpu cpu, Frame top)
    {
        if (top.IsMasked || (top.Kind == FrameKind.Thread && top.Irql != Irql.Passive))
        {
            throw new InvalidOperationException("Code ended with interrupts masked or at raised IRQL.");
        }

        if (top.Kind == FrameKind.Thread)
        {
            dispatcher.End(cpu);
        }
        else
        {
            interrupts.Leave(cpu, top);
        }
    }
}
