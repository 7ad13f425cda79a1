namespace Tracer.Simulator.Engine;

/// <summary>DPCs: queued, started one after the other at DISPATCH_LEVEL, or run by the thread of a CPU for threaded ones.</summary>
internal sealed class DpcQueues(MachineState state, ThreadDispatcher dispatcher)
{
    /// <summary>A queue that has grown so long asks for the CPU whatever the importance.</summary>
    private const int MostWaitingDpcs = 4;

    /// <summary>As KeInsertQueueDpc: who hurries depends on the importance and on whether the target is this CPU.</summary>
    public void Queue(Dpc dpc)
    {
        if (dpc.IsQueued)
        {
            return;
        }

        Cpu target = dpc.TargetCpu is int index ? state.Cpus[index] : state.Active!;
        dpc.IsQueued = true;
        dpc.EnqueuedNs = state.NowNs;
        dpc.Occasion = state.OccasionNow;
        dpc.IsDeferrable = dpc.Importance == DpcImportance.Low || (target != state.Active && dpc.Importance == DpcImportance.Medium);
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
        if (state.Records(Recording.DpcQueue))
        {
            state.Log.DpcEnqueued(
                state.NowNs, state.Active!.Index, dpc.QueueKey, depth, target.DpcCount, target.Index, (byte)dpc.Importance);
        }

        bool isUrgent = dpc.IsThreaded
            || depth >= MostWaitingDpcs
            || (target == state.Active ? dpc.Importance != DpcImportance.Low : dpc.Importance >= DpcImportance.High);
        if (isUrgent)
        {
            target.IsDispatchRequested = true;
            state.Interrupt(target);
        }
    }

    /// <summary>
    /// Starts what the CPU retires next: timer expiry, a DPC of an expired timer, then the queue; false where there is nothing.
    /// </summary>
    public bool TryStart(Cpu cpu)
    {
        if (cpu.IsTimerExpiryPending)
        {
            cpu.IsTimerExpiryPending = false;
            var frame = new Frame(FrameKind.TimerExpiry, Irql.Dispatch, state.Options.Kernel.RetireDpcs)
            {
                RemainingNs = state.Options.TimerExpiryCostNs,
            };
            cpu.Push(frame, state.NowNs);
            return true;
        }

        if (cpu.IsThreadedDpcSignalDue)
        {
            cpu.IsThreadedDpcSignalDue = false;
            dispatcher.Wake(cpu.ThreadedDpcEvent, 0);
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

    /// <summary>The first instruction of a DPC.</summary>
    public void Enter(Cpu cpu, Frame top)
    {
        if (top.RecordKind == DpcRecordKind.Normal)
        {
            LogDpcExecuting(cpu, top.Dpc!);
        }

        top.Occasion = top.Dpc!.Occasion;
        top.Steps = top.Dpc.Body().GetEnumerator();
    }

    /// <summary>A DPC has returned: leaves its record.</summary>
    public void LogRun(Cpu cpu, Frame top)
    {
        if (state.Records(Recording.Dpc))
        {
            state.Log.Dpc(top.StartNs, state.NowNs, cpu.Index, top.RecordKind, top.Dpc!.Routine);
        }
    }

    /// <summary>What the thread of a CPU does that runs its threaded DPCs.</summary>
    public IEnumerable<Step> ThreadedDpcProgram(Cpu cpu)
    {
        while (true)
        {
            yield return Step.Wait(cpu.ThreadedDpcEvent, null, WaitReason.Executive);
            while (cpu.ThreadedDpcs.TryDequeue(out Dpc? dpc))
            {
                dpc.IsQueued = false;
                long start = state.NowNs;
                LogDpcExecuting(cpu, dpc);
                cpu.Current.Frame.Overlay = dpc;
                foreach (Step step in dpc.Body())
                {
                    yield return step;
                }

                cpu.Current.Frame.Overlay = null;
                if (state.Records(Recording.Dpc))
                {
                    state.Log.Dpc(start, state.NowNs, cpu.Index, DpcRecordKind.Threaded, dpc.Routine);
                }
            }
        }
    }

    private void PushDpc(Cpu cpu, Dpc dpc, DpcRecordKind kind) => cpu.Push(
        new Frame(FrameKind.Dpc, Irql.Dispatch, state.Options.Kernel.RetireDpcs)
        {
            RemainingNs = state.Options.DpcEntryNs,
            Dpc = dpc,
            RecordKind = kind,
            Owner = dpc.Owner,
            Routine = dpc.RoutineName,
        },
        state.NowNs);

    private void LogDpcExecuting(Cpu cpu, Dpc dpc)
    {
        if (state.Records(Recording.DpcQueue))
        {
            state.Log.DpcExecuting(state.NowNs, cpu.Index, dpc.Routine, dpc.QueueKey);
        }
    }
}
