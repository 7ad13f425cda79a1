namespace Tracer.Simulator.Engine;

/// <summary>Threads that wait, are woken, take turns and leave their CPU.</summary>
internal sealed class ThreadDispatcher(MachineState state, CpuAccounts accounts, ThreadPlacement placement, StackTaking stacks)
{
    private const int LowestRealTimePriority = 16;

    public void Signal(KernelEvent subject, byte boost)
    {
        if (state.Active is null || state.Active.Top.Irql > Irql.Dispatch)
        {
            throw new InvalidOperationException("Only code of a CPU at DISPATCH_LEVEL or below signals; an ISR queues a DPC.");
        }

        Wake(subject, boost);
    }

    /// <summary>The thread goes on that has waited longest for an event, or the next that waits.</summary>
    public void Wake(KernelEvent subject, byte boost, TimerTick? timer = null)
    {
        if (subject.Give() is { } thread)
        {
            Wake(thread, boost, subject.Beat, timer);
        }
    }

    /// <summary>The wait of a thread is over: it is made ready.</summary>
    /// <param name="beat">What its turns follow; null for nothing.</param>
    /// <param name="timer">The timer that ends the wait; null for none.</param>
    public void Wake(SimulatedThread thread, byte boost, ExpectedBeat? beat = null, TimerTick? timer = null)
    {
        Cpu waker = state.Active!;
        if (thread.BasePriority < LowestRealTimePriority)
        {
            thread.Priority = Math.Max(thread.Priority, Math.Min(LowestRealTimePriority - 1, thread.BasePriority + boost));
        }

        thread.QuantumUsedNs = 0;
        thread.WokenNs = state.NowNs;
        thread.LastWokenNs = state.NowNs;
        thread.Late = timer is { PeriodNs: > 0 } && state.NowNs - timer.TickNs >= state.Options.ThresholdNs ? timer : null;
        thread.WokenBy = state.Records(Recording.DpcQueue) && waker.Top is { Kind: FrameKind.Dpc, EnqueuedNs: >= 0 } dpc
            ? new WakingDpc(waker, dpc.EnqueuedNs, dpc.StartNs, dpc.Dpc!, dpc.IsDeferrable) : null;
        if (state.Records(Recording.ReadyThread))
        {
            waker.Top.LeftNs = state.NowNs;
            bool isFromDpc = waker.Top.Kind is FrameKind.Dpc or FrameKind.TimerExpiry;
            state.Log.ReadyThread(state.NowNs, waker.Index, thread.Id, (sbyte)boost, isFromDpc, stacks.Stack(waker, Recording.ReadyStacks));
        }

        if (thread.Priority >= state.Options.MinimumPriority)
        {
            accounts.AccountIdle();
        }

        state.Truth.Jobs.Woken(thread, WakerOf(waker, timer), beat, state.NowNs);
        if (thread.OnCpu is not null)
        {
            // Its CPU is still switching away from it and finds it ready when it looks for the next one.
            thread.State = ThreadState.Ready;
            return;
        }

        placement.Place(thread, isPreempted: false);
    }

    /// <summary>The current thread waits for an event, or goes on at once where that is signalled already.</summary>
    public void WaitFor(Cpu cpu, Frame top, KernelEvent subject, in Step step)
    {
        RefuseWait(cpu, top);
        top.Code = step.Code ?? top.Code;
        if (!subject.TryTake())
        {
            subject.AddWaiting(cpu.Current);
            Leave(cpu, step, new ThreadPhase(step.Kind == StepKind.HeldWait ? PhaseKind.IsHeld : PhaseKind.Waits, state.NowNs)
            {
                Cause = (step.Subject as HeldWait)?.Cause,
            });
        }
    }

    /// <summary>The current thread takes a lock, or waits until it is its turn.</summary>
    public void TakeLock(Cpu cpu, Frame top, ThreadLock taken, in Step step)
    {
        RefuseWait(cpu, top);
        top.Code = step.Code ?? top.Code;
        if (taken.Holder is null)
        {
            taken.Take(cpu.Current, state.NowNs);
            return;
        }

        taken.AddWaiting(cpu.Current);
        Leave(cpu, step, new ThreadPhase(PhaseKind.Waits, state.NowNs) { Lock = taken });
    }

    /// <summary>The current thread gives a lock back, and makes ready whose turn is next.</summary>
    public void GiveLock(Cpu cpu, ThreadLock given, byte boost)
    {
        if (given.Holder != cpu.Current)
        {
            throw new InvalidOperationException("Only the holder of a lock gives it back.");
        }

        if (given.GiveBack(state.NowNs) is { } next)
        {
            Wake(next, boost);
        }
    }

    /// <summary>It waits for what somebody answers for: a wait that follows a wake-up at once is part of the same delay.</summary>
    public void WaitHeld(Cpu cpu, Frame top, HeldWait wait, in Step step)
    {
        SimulatedThread thread = cpu.Current;
        WaitFor(cpu, top, wait.Event, step);
        if (thread.State == ThreadState.Waiting)
        {
            accounts.AccountIdle();
            state.Truth.Holds.Begin(thread, cpu, wait.Cause, state.NowNs);
        }
    }

    /// <summary>Does a step that only threads have.</summary>
    public static void DoThreadStep(Cpu cpu, Frame top, in Step step)
    {
        if (top.Kind != FrameKind.Thread)
        {
            throw new InvalidOperationException($"Only threads do {step.Kind}.");
        }

        switch (step.Kind)
        {
            case StepKind.Yield:
                cpu.Current.WaitReason = WaitReason.YieldExecution;
                cpu.IsTurnOver = cpu.Queue.Best(cpu.Index, cpu.Current.Priority) is not null;
                break;
            default:
                throw new InvalidOperationException($"Nobody does {step.Kind}.");
        }
    }

    /// <summary>The current thread has ended.</summary>
    public void End(Cpu cpu)
    {
        accounts.Account(cpu);
        state.Truth.Jobs.Stops(cpu.Current, cpu, state.NowNs);
        LeaveCpu(cpu, ThreadState.Terminated, WaitReason.Executive);
    }

    private static void RefuseWait(Cpu cpu, Frame top)
    {
        if (top.Kind != FrameKind.Thread || top.Irql >= Irql.Dispatch || top.IsMasked)
        {
            throw new InvalidOperationException($"Only threads wait, and below DISPATCH_LEVEL: CPU {cpu.Index} is in a {top.Kind}.");
        }
    }

    /// <summary>Who ends a wait now.</summary>
    private static Waker WakerOf(Cpu cpu, TimerTick? timer)
    {
        Frame top = cpu.Top;
        return new Waker(cpu)
        {
            Timer = timer,
            Thread = top.Kind == FrameKind.Thread ? top.Thread : null,
            Dpc = top.Kind == FrameKind.Dpc
                ? new WakingDpc(cpu, top.EnqueuedNs < 0 ? top.StartNs : top.EnqueuedNs, top.StartNs, top.Dpc!, top.IsDeferrable) : null,
        };
    }

    /// <summary>The current thread waits: for its next turn, or where the step says so inside of what it does.</summary>
    private void Leave(Cpu cpu, in Step step, ThreadPhase wait)
    {
        accounts.Account(cpu);
        state.Truth.Jobs.Waits(cpu.Current, cpu, wait, step.Kind is StepKind.Wait or StepKind.Sleep, state.NowNs);
        LeaveCpu(cpu, ThreadState.Waiting, step.Detail);
    }

    /// <summary>The current thread stops running: it waits or has ended.</summary>
    private void LeaveCpu(Cpu cpu, ThreadState left, byte reason)
    {
        cpu.Current.State = left;
        cpu.Current.WaitReason = reason;
        PushDispatcher(cpu);
    }

    /// <summary>Starts the dispatcher where another thread is to run; false where the current one goes on.</summary>
    public bool TryDispatch(Cpu cpu)
    {
        if (cpu.IsQuantumEnd)
        {
            cpu.IsQuantumEnd = false;
            cpu.IsTurnOver = EndQuantum(cpu);
        }

        if (cpu.NextThread is null && !cpu.IsTurnOver)
        {
            return false;
        }

        PushDispatcher(cpu);
        return true;
    }

    /// <summary>The dispatcher has run: another thread goes on, or the same one.</summary>
    public void SwitchThreads(Cpu cpu)
    {
        SimulatedThread old = cpu.Current;
        SimulatedThread? next = cpu.NextThread;
        bool isTurnOver = cpu.IsTurnOver;
        cpu.NextThread = null;
        cpu.IsTurnOver = false;
        if (old.State == ThreadState.Running && !old.IsIdleThread)
        {
            next ??= isTurnOver ? ThreadPlacement.Take(cpu, cpu, old.Priority) : null;
            if (next is null)
            {
                return;
            }

            bool isPreempted = next.Priority > old.Priority;
            byte preempted = cpu.IsPreemptedByItself ? WaitReason.Preempted : WaitReason.DispatchInterrupt;
            old.WaitReason = isPreempted ? preempted : isTurnOver ? WaitReason.QuantumEnd : old.WaitReason;
            old.State = placement.FindsIdleCpu(old) ? ThreadState.Standby : ThreadState.Ready;
            Switch(cpu, old, next);
            placement.Place(old, isPreempted);
            return;
        }

        bool isReadyAgain = old.State == ThreadState.Ready;
        next ??= ThreadPlacement.Take(cpu, cpu, isReadyAgain ? old.Priority + 1 : 0);
        if (isReadyAgain && (next is null || next.Priority <= old.Priority))
        {
            old.State = ThreadState.Running;
            accounts.AccountIdle();
            state.Truth.Jobs.Runs(old, cpu, state.NowNs);
            old.WokenNs = -1;
            old.Held.Forget();
            if (next is not null)
            {
                placement.Place(next, isPreempted: true);
            }

            return;
        }

        next ??= (cpu.Power.IsParked ? null : placement.FromElsewhere(cpu)) ?? cpu.Idle;
        if (next == old)
        {
            return;
        }

        Switch(cpu, old, next);
        if (isReadyAgain)
        {
            placement.Place(old, isPreempted: false);
        }
    }

    private void PushDispatcher(Cpu cpu) => cpu.Push(
        new Frame(FrameKind.Dispatcher, Irql.Dispatch, state.Options.Kernel.Dispatcher) { RemainingNs = state.Options.SwitchCostNs },
        state.NowNs);

    /// <summary>A quantum is used up: a boost decays, and where another thread is as important its turn has come.</summary>
    private static bool EndQuantum(Cpu cpu)
    {
        SimulatedThread thread = cpu.Current;
        if (thread.IsIdleThread || thread.State != ThreadState.Running)
        {
            return false;
        }

        thread.QuantumUsedNs = 0;
        if (thread.BasePriority < LowestRealTimePriority)
        {
            thread.Priority = thread.IsStarvedLift ? thread.BasePriority : Math.Max(thread.BasePriority, thread.Priority - 1);
            thread.IsStarvedLift = false;
        }

        return cpu.Queue.Best(cpu.Index, thread.Priority) is not null;
    }

    private void Switch(Cpu cpu, SimulatedThread old, SimulatedThread next)
    {
        long waitedSince = Math.Max(next.SwitchedOutNs, 0);
        if (old.State is ThreadState.Ready or ThreadState.Standby && old.Phases.Last is { Kind: PhaseKind.Runs })
        {
            accounts.Account(cpu);
            state.Truth.Jobs.IsPreempted(old, cpu, state.NowNs);
        }

        cpu.SwitchTo(next);
        next.State = ThreadState.Running;
        next.LastCpu = cpu.Index;
        old.SwitchedOutNs = state.NowNs;
        if (state.Records(Recording.ContextSwitch))
        {
            var change = new SimulatedSwitch
            {
                NewThreadId = next.Id,
                OldThreadId = old.Id,
                NewPriority = next.Priority,
                OldPriority = old.Priority,
                OldState = (byte)(old.IsIdleThread ? ThreadState.Running : old.State),
                OldWaitReason = old.IsIdleThread ? (byte)0 : old.WaitReason,
                OldIdealProcessor = old.IdealCpu,
                NewWaitTicks = next.IsIdleThread ? 0 : (uint)((state.NowNs - waitedSince) / state.Options.ClockIntervalNs),
                PreviousCState = old.IsIdleThread ? cpu.LastSleepState : (byte)0,
            };
            state.Log.ContextSwitch(state.NowNs, cpu.Index, change, stacks.Stack(cpu, Recording.SwitchStacks));
        }

        if (next.IsIdleThread)
        {
            return;
        }

        if (next.WokenNs >= 0 || next.Job is not null)
        {
            accounts.AccountIdle();
        }

        state.Truth.Jobs.Runs(next, cpu, state.NowNs);
        if (next.WokenNs >= 0)
        {
            state.Truth.Dispatched(next, cpu, state.NowNs);
            next.WokenNs = -1;
        }
    }
}
