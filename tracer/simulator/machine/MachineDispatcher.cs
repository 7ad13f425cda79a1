namespace Tracer.Simulator;

/// <summary>Threads: who runs where and when, as the dispatcher of NT decides it.</summary>
public sealed partial class Machine
{
    private const int LowestRealTimePriority = 16;

    /// <summary>Signals an event from code of a CPU at DISPATCH_LEVEL or below.</summary>
    /// <param name="subject">The event.</param>
    /// <param name="boost">What is added to the priority of the thread that goes on, while it is below 16.</param>
    public void Signal(KernelEvent subject, byte boost = 1)
    {
        ArgumentNullException.ThrowIfNull(subject);
        if (_active is null || _active.Top.Irql > Irql.Dispatch)
        {
            throw new InvalidOperationException("Only code of a CPU at DISPATCH_LEVEL or below signals; an ISR queues a DPC.");
        }

        Wake(subject, boost);
    }

    private void Wake(KernelEvent subject, byte boost, LateTimer? late = null)
    {
        SimulatedThread? thread = subject.Give();
        if (thread is null)
        {
            return;
        }

        Cpu waker = _active!;
        if (thread.BasePriority < LowestRealTimePriority)
        {
            thread.Priority = Math.Max(thread.Priority, Math.Min(LowestRealTimePriority - 1, thread.BasePriority + boost));
        }

        thread.QuantumUsedNs = 0;
        thread.WokenNs = NowNs;
        thread.LastWokenNs = NowNs;
        thread.Late = late;
        thread.WokenBy = Records(Recording.DpcQueue) && waker.Top is { Kind: FrameKind.Dpc, EnqueuedNs: >= 0 } dpc
            ? new WakingDpc(waker, dpc.EnqueuedNs, dpc.StartNs, dpc.Dpc!, dpc.IsDeferrable) : null;
        if (Records(Recording.ReadyThread))
        {
            waker.Top.LeftNs = NowNs;
            bool isFromDpc = waker.Top.Kind is FrameKind.Dpc or FrameKind.TimerExpiry;
            _log.ReadyThread(NowNs, waker.Index, thread.Id, (sbyte)boost, isFromDpc, Stack(waker, Recording.ReadyStacks));
        }

        if (thread.OnCpu is not null)
        {
            // Its CPU is still switching away from it and finds it ready when it looks for the next one.
            thread.State = ThreadState.Ready;
            return;
        }

        Place(thread, isPreempted: false);
    }

    /// <summary>Gives a ready thread to a CPU: an idle one, one that runs less important code, else a queue.</summary>
    private void Place(SimulatedThread thread, bool isPreempted)
    {
        Cpu? target = IdleCpu(thread);
        SimulatedThread? displaced = null;
        if (target is null)
        {
            target = CanPreempt(Home(thread), thread) ? Home(thread)
                : CanPreempt(_cpus[thread.LastCpu], thread) && MayPlace(_cpus[thread.LastCpu], thread) ? _cpus[thread.LastCpu]
                : null;
            displaced = target?.NextThread;
        }

        if (target is null)
        {
            thread.State = ThreadState.Ready;
            thread.ReadySinceNs = NowNs;
            Home(thread).Queue.Add(thread, isPreempted);
            return;
        }

        target.NextThread = thread;
        thread.State = ThreadState.Standby;
        Interrupt(target);
        if (displaced is not null)
        {
            Place(displaced, isPreempted: true);
        }
    }

    /// <summary>
    /// An idle CPU that the thread may use: its ideal one, its last one, this one, then any. A CPU whose idle thread is current counts
    /// as idle even while a DPC runs there: NT looks at threads only.
    /// </summary>
    private Cpu? IdleCpu(SimulatedThread thread)
    {
        if (TakesThreads(_cpus[thread.IdealCpu], thread))
        {
            return _cpus[thread.IdealCpu];
        }

        if (TakesThreads(_cpus[thread.LastCpu], thread))
        {
            return _cpus[thread.LastCpu];
        }

        if (_active is not null && TakesThreads(_active, thread))
        {
            return _active;
        }

        foreach (Cpu cpu in _cpus)
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

    /// <summary>Starts the dispatcher where another thread is to run; false where the current one goes on.</summary>
    private bool TryDispatch(Cpu cpu)
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

    private void PushDispatcher(Cpu cpu) => cpu.Push(
        new Frame(FrameKind.Dispatcher, Irql.Dispatch, _options.Kernel.Dispatcher) { RemainingNs = _options.SwitchCostNs }, NowNs);

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

    /// <summary>The current thread stops running: it waits or has ended.</summary>
    private void LeaveCpu(Cpu cpu, ThreadState state, byte reason)
    {
        cpu.Current.State = state;
        cpu.Current.WaitReason = reason;
        PushDispatcher(cpu);
    }

    private void WaitFor(Cpu cpu, Frame top, KernelEvent subject, in Step step)
    {
        if (top.Kind != FrameKind.Thread || top.Irql >= Irql.Dispatch || top.IsMasked)
        {
            throw new InvalidOperationException("Only threads wait, and below DISPATCH_LEVEL.");
        }

        top.Code = step.Code ?? top.Code;
        if (!subject.TryTake())
        {
            subject.AddWaiting(cpu.Current);
            LeaveCpu(cpu, ThreadState.Waiting, step.Detail);
        }
    }

    private void DoThreadStep(Cpu cpu, Frame top, in Step step)
    {
        if (top.Kind != FrameKind.Thread)
        {
            throw new InvalidOperationException($"Only threads do {step.Kind}.");
        }

        switch (step.Kind)
        {
            case StepKind.SetPriority:
                cpu.Current.BasePriority = (int)step.Number;
                cpu.Current.Priority = (int)step.Number;
                cpu.IsTurnOver = cpu.Queue.Best(cpu.Index, cpu.Current.Priority + 1) is not null;
                break;
            case StepKind.Yield:
                cpu.Current.WaitReason = WaitReason.YieldExecution;
                cpu.IsTurnOver = cpu.Queue.Best(cpu.Index, cpu.Current.Priority) is not null;
                break;
            case StepKind.Exit:
                LeaveCpu(cpu, ThreadState.Terminated, WaitReason.Executive);
                break;
            default:
                throw new InvalidOperationException($"Nobody does {step.Kind}.");
        }
    }

    /// <summary>The dispatcher has run: another thread goes on, or the same one.</summary>
    private void SwitchThreads(Cpu cpu)
    {
        SimulatedThread old = cpu.Current;
        SimulatedThread? next = cpu.NextThread;
        bool isTurnOver = cpu.IsTurnOver;
        cpu.NextThread = null;
        cpu.IsTurnOver = false;
        if (old.State == ThreadState.Running && !old.IsIdleThread)
        {
            next ??= isTurnOver ? Take(cpu, cpu, old.Priority) : null;
            if (next is null)
            {
                return;
            }

            bool isPreempted = next.Priority > old.Priority;
            old.WaitReason = isPreempted ? WaitReason.Preempted : isTurnOver ? WaitReason.QuantumEnd : old.WaitReason;
            old.State = ThreadState.Ready;
            Switch(cpu, old, next);
            Place(old, isPreempted);
            return;
        }

        bool isReadyAgain = old.State == ThreadState.Ready;
        next ??= Take(cpu, cpu, isReadyAgain ? old.Priority + 1 : 0);
        if (isReadyAgain && (next is null || next.Priority <= old.Priority))
        {
            old.State = ThreadState.Running;
            old.WokenNs = -1;
            old.Held.Forget();
            if (next is not null)
            {
                Place(next, isPreempted: true);
            }

            return;
        }

        next ??= (cpu.Power.IsParked ? null : FromElsewhere(cpu)) ?? cpu.Idle;
        if (next == old)
        {
            return;
        }

        Switch(cpu, old, next);
        if (isReadyAgain)
        {
            Place(old, isPreempted: false);
        }
    }

    private static SimulatedThread? Take(Cpu cpu, Cpu from, int leastPriority)
    {
        SimulatedThread? best = from.Queue.Best(cpu.Index, leastPriority);
        if (best is not null)
        {
            from.Queue.Remove(best);
        }

        return best;
    }

    /// <summary>A CPU with nothing to do takes a ready thread that waits for another one, where the machine's Windows lets it.</summary>
    private SimulatedThread? FromElsewhere(Cpu cpu)
    {
        if (!_options.TakesFromOtherQueues)
        {
            return null;
        }

        Cpu? from = null;
        SimulatedThread? best = null;
        for (int i = 1; i < _cpus.Length; i++)
        {
            Cpu other = _cpus[(cpu.Index + i) % _cpus.Length];
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

    private void Switch(Cpu cpu, SimulatedThread old, SimulatedThread next)
    {
        long waitedSince = Math.Max(next.SwitchedOutNs, 0);
        cpu.SwitchTo(next);
        next.State = ThreadState.Running;
        next.LastCpu = cpu.Index;
        old.SwitchedOutNs = NowNs;
        if (Records(Recording.ContextSwitch))
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
                NewWaitTicks = next.IsIdleThread ? 0 : (uint)((NowNs - waitedSince) / _options.ClockIntervalNs),
                PreviousCState = old.IsIdleThread ? cpu.LastSleepState : (byte)0,
            };
            _log.ContextSwitch(NowNs, cpu.Index, change, Stack(cpu, Recording.SwitchStacks));
        }

        if (next.WokenNs >= 0)
        {
            AccountIdle();
            _truth.Dispatched(next, cpu, NowNs);
            next.WokenNs = -1;
        }
    }

    private void EnterSleep(Cpu cpu)
    {
        IdleState? state = null;
        foreach (IdleState candidate in _options.IdleStates)
        {
            if (state is null || candidate.WorthNs <= cpu.LastSleepNs)
            {
                state = candidate;
            }
        }

        if (state is null)
        {
            return;
        }

        cpu.Sleep = state;
        cpu.SleepSinceNs = NowNs;
        if (Records(Recording.Idle))
        {
            _log.IdleEnter(NowNs, cpu.Index, state.Number);
        }
    }

    private void LeaveSleep(Cpu cpu)
    {
        cpu.LastSleepNs = NowNs - cpu.SleepSinceNs;
        cpu.LastSleepState = (byte)cpu.Sleep!.Number;
        var frame = new Frame(FrameKind.IdleExit, Irql.High, _options.Kernel.Idle) { RemainingNs = ExitLatencyOf(cpu) };
        cpu.Push(frame, NowNs);
    }

    private void HasLeftSleep(Cpu cpu)
    {
        if (Records(Recording.Idle))
        {
            _log.IdleExit(NowNs, cpu.Index, cpu.Sleep!.Number);
            _log.IdleExitLatency(NowNs, cpu.Index, cpu.Sleep.Number, cpu.Power.ExitNs);
        }

        cpu.Sleep = null;
    }
}
