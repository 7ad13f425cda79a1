using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>How code on the CPUs gets on: what is on top runs, step by step.</summary>
public sealed partial class Machine
{
    /// <summary>A CPU that does so much in no time is a program that never yields a step that takes any.</summary>
    private const int MostStepsAtOnce = 100_000;

    private void AskToSettle(Cpu cpu)
    {
        if (!cpu.IsQueuedToSettle)
        {
            cpu.IsQueuedToSettle = true;
            _toSettle.Enqueue(cpu);
        }
    }

    private void SettleAll()
    {
        while (_toSettle.TryDequeue(out Cpu? cpu))
        {
            cpu.IsQueuedToSettle = false;
            _active = cpu;
            Settle(cpu);
            _active = null;
        }
    }

    /// <summary>Brings progress and history of a CPU up to now; before anything on it changes.</summary>
    private void Account(Cpu cpu)
    {
        long elapsed = NowNs - cpu.AccountedNs;
        if (elapsed == 0)
        {
            return;
        }

        Frame top = cpu.Top;
        _truth.Account(cpu, cpu.AccountedNs, NowNs, Describe(cpu, top) with { LostPercent = LostPercent(cpu, top) });
        if (_stall is null && cpu.Power.TakenBy is null && top.Kind != FrameKind.Idle)
        {
            long progress = Progress(cpu, top, elapsed);
            top.RemainingNs -= top.Spin is null ? progress : 0;
            if (top.Kind == FrameKind.Thread)
            {
                cpu.Current.QuantumUsedNs += elapsed;
            }
        }

        cpu.AccountedNs = NowNs;
    }

    /// <summary>Brings the history of CPUs that idle up to now: before somebody asks which of them were free.</summary>
    private void AccountIdle()
    {
        foreach (Cpu cpu in _cpus)
        {
            if (cpu.Top.Kind == FrameKind.Idle)
            {
                Account(cpu);
            }
        }
    }

    private Activity Describe(Cpu cpu, Frame top)
    {
        CodeOwner? owner = top.Code.Owner ?? top.Owner;
        string? routine = top.Code.Routine ?? top.Routine;
        if (_stall is not null)
        {
            return new Activity(ActivityKind.Stall, _stall.Owner, _stall.Code?.Routine, _stall.Mechanism, null, 0);
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
            return new Activity(ActivityKind.Masked, owner, routine, null, null, 0);
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
            _ => default,
        };
    }

    private static bool IsMasked(Frame top) => top.IsClosed || (top.Kind == FrameKind.Thread && top.Irql >= Irql.High);

    /// <summary>Lets a CPU do all that it can do now, then plans the end of what takes time.</summary>
    private void Settle(Cpu cpu)
    {
        Account(cpu);
        int steps = 0;
        while (_stall is null && cpu.Power.TakenBy is null)
        {
            if (++steps > MostStepsAtOnce)
            {
                throw new InvalidOperationException($"CPU {cpu.Index} does not get on at {NowNs} ns: a program runs in no time.");
            }

            Frame top = cpu.Top;
            if (cpu.Sleep is not null && top.Kind == FrameKind.Idle)
            {
                if (!cpu.IsInterruptPending && !cpu.IsDispatchRequested && cpu.NextThread is null)
                {
                    return;
                }

                LeaveSleep(cpu);
            }
            else if (!top.IsClosed && cpu.IsInterruptPending && TryInterrupt(cpu, top))
            {
                continue;
            }
            else if (!top.IsClosed && top.Irql < Irql.Dispatch && TryDispatchLevelWork(cpu, top))
            {
                continue;
            }
            else if (top.Kind == FrameKind.Idle)
            {
                EnterSleep(cpu);
                return;
            }
            else if (top.Spin is not null)
            {
                return;
            }
            else if (top.RemainingNs > 0)
            {
                PlanStepEnd(cpu, NowNs + TimeFor(cpu, top));
                return;
            }
            else
            {
                Advance(cpu, top);
            }
        }
    }

    private void PlanStepEnd(Cpu cpu, long timeNs)
    {
        if (cpu.StepPlannedNs != timeNs)
        {
            cpu.StepPlannedNs = timeNs;
            _happenings.Add(timeNs, HappeningKind.StepEnd, cpu, ++cpu.StepVersion);
        }
    }

    /// <summary>The step of what is on top is done: takes the next, or what it was for happens.</summary>
    private void Advance(Cpu cpu, Frame top)
    {
        switch (top.Kind)
        {
            case FrameKind.Dispatcher:
                cpu.Pop();
                SwitchThreads(cpu);
                break;
            case FrameKind.TimerExpiry:
                ExpireTimers(cpu);
                cpu.Pop();
                break;
            case FrameKind.IdleExit:
                cpu.Pop();
                HasLeftSleep(cpu);
                break;
            case FrameKind.Isr or FrameKind.Dpc when !top.IsEntered:
                EnterRoutine(cpu, top);
                break;
            case FrameKind.Ipi:
                cpu.Pop();
                AnswerCalls(cpu);
                break;
            case FrameKind.Clock or FrameKind.Profile:
                AdvancePeriodic(cpu, top);
                break;
            case var _ when top.IsStanding:
                AccountSpinning();
                top.IsStanding = false;
                break;
            default:
                OccasionNow = top.Occasion == 0 ? 0 : Occasion.Of(top.Occasion, ++top.StepsTaken);
                if (top.Steps!.MoveNext())
                {
                    Do(cpu, top, top.Steps.Current);
                }
                else
                {
                    HasEnded(cpu, top);
                }

                OccasionNow = 0;
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
            LeaveCpu(cpu, ThreadState.Terminated, WaitReason.Executive);
        }
        else
        {
            LeaveRoutine(cpu, top);
        }
    }

    private void Do(Cpu cpu, Frame top, in Step step)
    {
        if (TrySilence(cpu, top, in step))
        {
            return;
        }

        switch (step.Kind)
        {
            case StepKind.Run:
                AccountSpinning();
                top.Code = step.Code!;
                top.RemainingNs = step.Number;
                break;
            case StepKind.Wait:
                WaitFor(cpu, top, (KernelEvent)step.Subject!, step);
                break;
            case StepKind.Sleep:
                var timer = new KernelTimer(cpu.Index, null, null, null);
                SetTimer(timer, EndOf(step.Number));
                WaitFor(cpu, top, timer.Expired, step);
                break;
            case StepKind.Signal:
                Signal((KernelEvent)step.Subject!, step.Detail);
                break;
            case StepKind.Queue:
                QueueDpc((Dpc)step.Subject!);
                break;
            case StepKind.SetIrql:
                AccountSpinning();
                top.Irql = step.Number == Irql.Passive ? LowestIrql(top) : (int)step.Number;
                break;
            case StepKind.Mask or StepKind.Unmask:
                AccountSpinning();
                top.IsMasked = step.Kind == StepKind.Mask;
                break;
            case StepKind.AcquireSpinLock:
                AcquireSpinLock(cpu, top, (KernelSpinLock)step.Subject!, step.Code!);
                break;
            case StepKind.ReleaseSpinLock:
                ReleaseSpinLock(cpu, top, (KernelSpinLock)step.Subject!);
                break;
            case StepKind.CallOtherCpus:
                CallOtherCpus(cpu, top, step.Code!);
                break;
            case StepKind.DeviceAccess:
                AccountSpinning();
                top.Code = step.Code!;
                top.RemainingNs = step.Number;
                top.IsStanding = true;
                break;
            case StepKind.HeldWait:
                WaitHeld(cpu, top, (HeldWait)step.Subject!, step);
                break;
            case StepKind.Stall:
                top.Code = step.Code!;
                BeginStall(new Stall(step.Code!.Owner ?? top.Owner!, step.Code), step.Number);
                break;
            case StepKind.WdfCallback:
                if (Records(Recording.Wdf))
                {
                    _log.WdfCallback(NowNs, cpu.Index, step.Detail == 1, unchecked((ulong)step.Number));
                }

                break;
            case StepKind.FirmwareMethod:
                if (Records(Recording.FirmwareMethods))
                {
                    _log.FirmwareMethod(NowNs, cpu.Index, cpu.Current.Id, (string)step.Subject!, step.Number == 1);
                }

                break;
            case StepKind.Act:
                ((Action<Machine>)step.Subject!)(this);
                break;
            default:
                DoThreadStep(cpu, top, step);
                break;
        }
    }

    private static int LowestIrql(Frame frame) => frame.Kind switch
    {
        FrameKind.Isr => frame.Line!.Irql,
        FrameKind.Dpc => Irql.Dispatch,
        _ => Irql.Passive,
    };
}
