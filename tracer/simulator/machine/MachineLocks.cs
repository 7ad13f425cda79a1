namespace Tracer.Simulator;

/// <summary>Code that waits without giving up its CPU: for a spin lock, or until all other CPUs have answered.</summary>
public sealed partial class Machine
{
    /// <summary>A use of a lock is recorded where it was this long, or had to wait: sessions leave out most of the others.</summary>
    private const long RecordedHoldNs = 50_000;

    private readonly List<Cpu> _spinning = [];

    private void AcquireSpinLock(Cpu cpu, Frame top, KernelSpinLock spinLock, CodeStretch spin)
    {
        if (spinLock.Holder?.Cpu == cpu || top.Irql > Irql.Dispatch || top.IsMasked)
        {
            throw new InvalidOperationException("A lock is taken at DISPATCH_LEVEL or below, and not by a CPU that has it.");
        }

        ReadOnlySpan<ulong> frames = spin.Pick(0).Frames.Span;
        var use = new LockUse(spinLock, cpu, top, frames[Math.Min(1, frames.Length - 1)], NowNs);
        top.Irql = Irql.Dispatch;
        if (spinLock.Holder is null)
        {
            Hold(use);
            return;
        }

        spinLock.Waiting.Enqueue(use);
        top.Code = spin;
        top.Spin = spinLock;
        _spinning.Add(cpu);
    }

    private void ReleaseSpinLock(Cpu cpu, Frame top, KernelSpinLock spinLock)
    {
        LockUse? use = spinLock.Holder;
        if (use?.Frame != top)
        {
            throw new InvalidOperationException("Only the holder of a lock gives it back.");
        }

        AccountSpinning();
        top.Irql = use.FormerIrql;
        spinLock.Holder = null;
        LogSpinLock(cpu, use);
        if (spinLock.Waiting.TryDequeue(out LockUse? next))
        {
            StopSpinning(next.Cpu, next.Frame);
            Hold(next);
        }
    }

    private void Hold(LockUse use)
    {
        use.AcquiredNs = NowNs;
        use.Lock.Holder = use;
    }

    private void LogSpinLock(Cpu cpu, LockUse use)
    {
        bool isContended = use.AcquiredNs > use.AskedNs;
        if (Records(Recording.SpinLocks) && (isContended || NowNs - use.AcquiredNs >= RecordedHoldNs))
        {
            _log.SpinLock(new SimulatedLockUse
            {
                Cpu = cpu.Index,
                Lock = use.Lock.Address,
                Caller = use.Caller,
                AskedNs = use.AskedNs,
                AcquiredNs = use.AcquiredNs,
                ReleasedNs = NowNs,
                ThreadId = cpu.Current.Id,
                IsInDpc = use.Frame.Kind == FrameKind.Dpc,
            });
        }
    }

    /// <summary>
    /// As a flush of address translations: interrupts all others that are awake, and waits at SYNCH_LEVEL until each has served that. One
    /// that sleeps flushes by itself when it wakes up.
    /// </summary>
    private void CallOtherCpus(Cpu cpu, Frame top, CodeStretch spin)
    {
        if (top.Irql >= Irql.Synch || top.IsMasked)
        {
            throw new InvalidOperationException("CPUs are called from below SYNCH_LEVEL.");
        }

        var call = new CrossCpuCall(cpu, top);
        foreach (Cpu other in _cpus)
        {
            if (other != cpu && other.Sleep is null)
            {
                call.Missing.Add(other);
                other.Calls.Add(call);
                Interrupt(other);
            }
        }

        if (call.Missing.Count > 0)
        {
            top.Irql = Irql.Synch;
            top.Code = spin;
            top.Spin = call;
            _spinning.Add(cpu);
        }
    }

    /// <summary>A CPU has served the interrupt of another one.</summary>
    private void AnswerCalls(Cpu cpu)
    {
        if (cpu.Calls.Count == 0)
        {
            return;
        }

        AccountSpinning();
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

    private void StopSpinning(Cpu cpu, Frame frame)
    {
        frame.Spin = null;
        _spinning.Remove(cpu);
        AskToSettle(cpu);
    }

    /// <summary>Brings the history of CPUs that wait for others up to now; before whom they wait for changes.</summary>
    private void AccountSpinning()
    {
        foreach (Cpu cpu in _spinning)
        {
            Account(cpu);
        }
    }

    /// <summary>What a CPU does that spins: its time is that of whom it waits for; nobody's while the others are about to answer.</summary>
    private static Activity DescribeSpin(Cpu cpu, Frame top)
    {
        Cpu? other = top.Spin is KernelSpinLock { Holder: LockUse use }
            ? use.Cpu
            : (top.Spin as CrossCpuCall)?.Missing.Find(missing => missing.Power.TakenBy is not null || IsMasked(missing.Top));
        if (other is null)
        {
            return default;
        }

        // Who takes the other CPU away keeps all that wait for it; the code there would go on.
        Frame culprit = (top.Spin as KernelSpinLock)?.Holder?.Frame ?? other.Top;
        bool isTaken = other.Power.TakenBy is not null;
        return new Activity(
            ActivityKind.Spin,
            other.Power.TakenBy?.Owner ?? culprit.Code.Owner ?? culprit.Owner,
            isTaken ? null : culprit.Code.Routine ?? culprit.Routine,
            null,
            top.Kind == FrameKind.Thread ? cpu.Current : null,
            0);
    }
}
