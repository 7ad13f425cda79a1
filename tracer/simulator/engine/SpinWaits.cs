namespace Tracer.Simulator.Engine;

/// <summary>Code that waits without giving up its CPU: for a spin lock, or until all other CPUs have answered.</summary>
internal sealed class SpinWaits(MachineState state, CpuAccounts accounts)
{
    /// <summary>A use of a lock is recorded where it was this long, or had to wait: sessions leave out most of the others.</summary>
    private const long RecordedHoldNs = 50_000;

    /// <summary>Takes a lock, or waits at DISPATCH_LEVEL until it is this CPU's turn.</summary>
    public void Acquire(Cpu cpu, Frame top, KernelSpinLock spinLock, CodeStretch spin)
    {
        if (spinLock.Holder?.Cpu == cpu || top.Irql > Irql.Dispatch || top.IsMasked)
        {
            throw new InvalidOperationException("A lock is taken at DISPATCH_LEVEL or below, and not by a CPU that has it.");
        }

        ReadOnlySpan<ulong> frames = spin.Pick(0).Frames.Span;
        var use = new LockUse(spinLock, cpu, top, frames[Math.Min(1, frames.Length - 1)], state.NowNs);
        top.Irql = Irql.Dispatch;
        if (spinLock.Holder is null)
        {
            Hold(use);
            return;
        }

        spinLock.Waiting.Enqueue(use);
        top.Code = spin;
        top.Spin = spinLock;
        accounts.Spinning.Add(cpu);
    }

    /// <summary>Gives a lock back; the next CPU in line has it at once.</summary>
    public void Release(Cpu cpu, Frame top, KernelSpinLock spinLock)
    {
        LockUse? use = spinLock.Holder;
        if (use?.Frame != top)
        {
            throw new InvalidOperationException("Only the holder of a lock gives it back.");
        }

        accounts.AccountSpinning();
        top.Irql = use.FormerIrql;
        spinLock.Holder = null;
        LogSpinLock(cpu, use);
        if (spinLock.Waiting.TryDequeue(out LockUse? next))
        {
            StopSpinning(next.Cpu, next.Frame);
            Hold(next);
        }
    }

    /// <summary>
    /// As a flush of address translations: interrupts all others that are awake, and waits at SYNCH_LEVEL until each has served that. One
    /// that sleeps flushes by itself when it wakes up.
    /// </summary>
    public void CallOtherCpus(Cpu cpu, Frame top, CodeStretch spin)
    {
        if (top.Irql >= Irql.Synch || top.IsMasked)
        {
            throw new InvalidOperationException("CPUs are called from below SYNCH_LEVEL.");
        }

        var call = new CrossCpuCall(cpu, top);
        foreach (Cpu other in state.Cpus)
        {
            if (other != cpu && other.Sleep is null)
            {
                call.Missing.Add(other);
                other.Calls.Add(call);
                state.Interrupt(other);
            }
        }

        if (call.Missing.Count > 0)
        {
            top.Irql = Irql.Synch;
            top.Code = spin;
            top.Spin = call;
            accounts.Spinning.Add(cpu);
        }
    }

    /// <summary>A CPU has served the interrupt of another one.</summary>
    public void AnswerCalls(Cpu cpu)
    {
        if (cpu.Calls.Count == 0)
        {
            return;
        }

        accounts.AccountSpinning();
        foreach (CrossCpuCall call in cpu.Calls)
        {
            call.Missing.Remove(cpu);
            if (call.Missing.Count == 0)
            {
                call.Frame.Irql = call.FormerIrql;
                StopSpinning(call.Sender, call.Frame);
            }
        }

        cpu.Calls.Clear();
    }

    private void Hold(LockUse use)
    {
        use.AcquiredNs = state.NowNs;
        use.Lock.Holder = use;
    }

    private void LogSpinLock(Cpu cpu, LockUse use)
    {
        bool isContended = use.AcquiredNs > use.AskedNs;
        if (state.Records(Recording.SpinLocks) && (isContended || state.NowNs - use.AcquiredNs >= RecordedHoldNs))
        {
            state.Log.SpinLock(new SimulatedLockUse
            {
                Cpu = cpu.Index,
                Lock = use.Lock.Address,
                Caller = use.Caller,
                AskedNs = use.AskedNs,
                AcquiredNs = use.AcquiredNs,
                ReleasedNs = state.NowNs,
                ThreadId = cpu.Current.Id,
                IsInDpc = use.Frame.Kind == FrameKind.Dpc,
            });
        }
    }

    private void StopSpinning(Cpu cpu, Frame frame)
    {
        frame.Spin = null;
        accounts.Spinning.Remove(cpu);
        state.AskToSettle(cpu);
    }
}
