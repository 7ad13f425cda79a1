namespace Tracer.Simulator;

/// <summary>DPCs and timers: what runs at DISPATCH_LEVEL before threads do.</summary>
public sealed partial class Machine
{
    /// <summary>A queue that has grown so long asks for the CPU whatever the importance.</summary>
    private const int MostWaitingDpcs = 4;

    private long _timerOrder;

    /// <summary>Starts what is to run at DISPATCH_LEVEL next; false where there is nothing and the thread goes on.</summary>
    private bool TryDispatchLevelWork(Cpu cpu, Frame top)
    {
        if (cpu.IsDispatchRequested || (top.Kind == FrameKind.Idle && cpu.Dpcs.Count > 0))
        {
            if (TryDpc(cpu))
            {
                return true;
            }

            cpu.IsDispatchRequested = false;
        }

        return TryDispatch(cpu);
    }

    private bool TryDpc(Cpu cpu)
    {
        if (cpu.IsTimerExpiryPending)
        {
            cpu.IsTimerExpiryPending = false;
            var frame = new Frame(FrameKind.TimerExpiry, Irql.Dispatch, _options.Kernel.RetireDpcs)
            {
                RemainingNs = _options.TimerExpiryCostNs,
            };
            cpu.Push(frame, NowNs);
            return true;
        }

        if (cpu.IsThreadedDpcSignalDue)
        {
            cpu.IsThreadedDpcSignalDue = false;
            Wake(cpu.ThreadedDpcEvent, 0);
        }

        if (cpu.ExpiredDpcs.TryDequeue(out Dpc? dpc))
        {
            PushDpc(cpu, dpc, DpcRecordKind.Timer);
            return true;
        }

        if (cpu.Dpcs.First is LinkedListNode<Dpc> first)
        {
            cpu.Dpcs.RemoveFirst();
            first.Value.IsQueued = false;
            PushDpc(cpu, first.Value, DpcRecordKind.Normal);
            cpu.Top.EnqueuedNs = first.Value.EnqueuedNs;
            cpu.Top.IsDeferrable = first.Value.IsDeferrable;
            return true;
        }

        return false;
    }

    private void PushDpc(Cpu cpu, Dpc dpc, DpcRecordKind kind) => cpu.Push(
        new Frame(FrameKind.Dpc, Irql.Dispatch, _options.Kernel.RetireDpcs)
        {
            RemainingNs = _options.DpcEntryNs,
            Dpc = dpc,
            RecordKind = kind,
            Owner = dpc.Owner,
            Routine = dpc.RoutineName,
        },
        NowNs);

    private void EnterDpc(Cpu cpu, Frame top)
    {
        if (top.RecordKind == DpcRecordKind.Normal)
        {
            LogDpcExecuting(cpu, top.Dpc!);
        }

        top.Occasion = top.Dpc!.Occasion;
        top.Steps = top.Dpc.Body().GetEnumerator();
    }

    private void LogDpcExecuting(Cpu cpu, Dpc dpc)
    {
        if (Records(Recording.DpcQueue))
        {
            _log.DpcExecuting(NowNs, cpu.Index, dpc.Routine, dpc.QueueKey);
        }
    }

    private void LogDpc(Cpu cpu, Frame top)
    {
        if (Records(Recording.Dpc))
        {
            _log.Dpc(top.StartNs, NowNs, cpu.Index, top.RecordKind, top.Dpc!.Routine);
        }
    }

    /// <summary>As KeInsertQueueDpc: who hurries depends on the importance and on whether the target is this CPU.</summary>
    private void QueueDpc(Dpc dpc)
    {
        if (dpc.IsQueued)
        {
            return;
        }

        Cpu target = dpc.TargetCpu is int index ? _cpus[index] : _active!;
        dpc.IsQueued = true;
        dpc.EnqueuedNs = NowNs;
        dpc.Occasion = OccasionNow;
        dpc.IsDeferrable = dpc.Importance == DpcImportance.Low || (target != _active && dpc.Importance == DpcImportance.Medium);
        target.DpcCount++;
        if (dpc.IsThreaded)
        {
            target.ThreadedDpcs.Enqueue(dpc);
            target.IsThreadedDpcSignalDue = true;
        }
        else if (dpc.Importance == DpcImportance.High)
        {
            target.Dpcs.AddFirst(dpc);
        }
        else
        {
            target.Dpcs.AddLast(dpc);
        }

        int depth = dpc.IsThreaded ? target.ThreadedDpcs.Count : target.Dpcs.Count;
        if (Records(Recording.DpcQueue))
        {
            _log.DpcEnqueued(
                NowNs, _active!.Index, dpc.QueueKey, depth, target.DpcCount, target.Index, (byte)dpc.Importance);
        }

        bool isUrgent = dpc.IsThreaded
            || depth >= MostWaitingDpcs
            || (target == _active ? dpc.Importance != DpcImportance.Low : dpc.Importance >= DpcImportance.High);
        if (isUrgent)
        {
            target.IsDispatchRequested = true;
            Interrupt(target);
        }
    }

    /// <summary>Sends a CPU the interrupt that makes it look for work; this CPU looks anyway.</summary>
    private void Interrupt(Cpu cpu)
    {
        if (cpu != _active)
        {
            cpu.IsIpiPending = true;
            AskToSettle(cpu);
        }
    }

    /// <summary>What the thread of a CPU does that runs its threaded DPCs.</summary>
    private IEnumerable<Step> ThreadedDpcProgram(Cpu cpu)
    {
        while (true)
        {
            yield return Step.Wait(cpu.ThreadedDpcEvent, null, WaitReason.Executive);
            while (cpu.ThreadedDpcs.TryDequeue(out Dpc? dpc))
            {
                dpc.IsQueued = false;
                long start = NowNs;
                LogDpcExecuting(cpu, dpc);
                cpu.Current.Frame.Overlay = dpc;
                foreach (Step step in dpc.Body())
                {
                    yield return step;
                }

                cpu.Current.Frame.Overlay = null;
                if (Records(Recording.Dpc))
                {
                    _log.Dpc(start, NowNs, cpu.Index, DpcRecordKind.Threaded, dpc.Routine);
                }
            }
        }
    }

    private void SetTimer(KernelTimer timer, long dueNs) => _cpus[timer.Cpu].Timers.Enqueue(timer, (dueNs, _timerOrder++));

    private bool IsTimerDue(Cpu cpu) =>
        cpu.Timers.TryPeek(out _, out (long DueNs, long Order) first) && first.DueNs <= NowNs;

    /// <summary>Whether a timer with a beat expires too late for a victim, from the clock's tick that could serve it.</summary>
    private LateTimer? LatenessOf(KernelTimer timer)
    {
        if (timer.PeriodNs == 0)
        {
            return null;
        }

        long interval = _options.ClockIntervalNs;
        long past = (timer.DueNs - ClockPhaseNs(timer.Cpu)) % interval;
        long tickNs = past == 0 ? timer.DueNs : timer.DueNs + (past < 0 ? -past : interval - past);
        return NowNs - tickNs >= _options.ThresholdNs ? new LateTimer(_cpus[timer.Cpu], tickNs) : null;
    }

    private void ExpireTimers(Cpu cpu)
    {
        while (IsTimerDue(cpu))
        {
            cpu.Timers.TryPeek(out _, out (long DueNs, long Order) due);
            KernelTimer timer = cpu.Timers.Dequeue();
            timer.DueNs = due.DueNs;
            timer.Note(NowNs);
            if (timer.Dpc is not null)
            {
                timer.Dpc.Occasion = Occasion.Of(timer.Random!.Source, (ulong)timer.DueNs);
                cpu.ExpiredDpcs.Enqueue(timer.Dpc);
                cpu.IsDispatchRequested = true;
            }

            Wake(timer.Expired, 0, LatenessOf(timer));
            if (timer.Schedule is Arrivals schedule)
            {
                long next = schedule.Next(timer.Random!);
                while (next <= NowNs)
                {
                    next = schedule.Next(timer.Random!);
                }

                SetTimer(timer, next);
            }
        }
    }
}
