namespace Tracer.Simulator;

/// <summary>
/// The same machine without somebody: his code takes no time, while all that it signals, queues and draws at random stays.
/// </summary>
public sealed partial class Machine
{
    /// <summary>A thread that does so much in no time would never wait.</summary>
    private const int MostSilencedSteps = 1_000;

    private long _silencedAtNs;
    private int _silencedSteps;

    /// <summary>The occasion of what is done now, in a machine of which there is a second run.</summary>
    private ulong OccasionNow
    {
        get => _occasions?.Now ?? 0;
        set
        {
            if (_occasions is not null)
            {
                _occasions.Now = value;
            }
        }
    }

    /// <summary>
    /// When something that begins now ends: a sleep, a device's work. In a second run it ends when it did in the first, where that is still
    /// to come: a thread that was kept once in one of them is in step again with the next, as a disk that turns all the time is.
    /// </summary>
    private long EndOf(long ns)
    {
        long end = NowNs + ns;
        if (_occasions is not { Now: not 0 and var occasion, Memory: var memory } || _options.ThreadShift != 0)
        {
            return end;
        }

        if (!memory.IsComplete)
        {
            memory.KeepEnd(occasion, end);
            return end;
        }

        return memory.EndAt(occasion) is { } before && before > NowNs ? before : end;
    }

    private Action<Machine> AtThisOccasion(Action<Machine> action)
    {
        if (_occasions is null)
        {
            return action;
        }

        ulong occasion = Occasion.Of(_occasions.Now, 1);
        return machine =>
        {
            machine.OccasionNow = occasion;
            action(machine);
        };
    }

    private bool IsSilenced(CodeOwner? owner) => owner is not null && _options.IsSilenced?.Invoke(owner) == true;

    /// <summary>Does a step of somebody who is silenced, where it would have taken time or kept others waiting.</summary>
    private bool TrySilence(Cpu cpu, Frame top, in Step step)
    {
        if (_options.IsSilenced is null || !IsHarmOfSilenced(top, in step))
        {
            return false;
        }

        _silencedSteps = _silencedAtNs == NowNs ? _silencedSteps + 1 : 0;
        _silencedAtNs = NowNs;
        top.Code = IsKernelCall(in step) ? top.Code : step.Code ?? top.Code;
        top.RemainingNs = 0;
        if (_silencedSteps > MostSilencedSteps && top.Kind == FrameKind.Thread && top.Irql < Irql.Dispatch && !top.IsMasked)
        {
            // It only ever computes: without its time nothing of it is left.
            WaitFor(cpu, top, new KernelEvent(), Step.Wait(new KernelEvent()));
        }

        return true;
    }

    private bool IsHarmOfSilenced(Frame top, in Step step) => step.Kind switch
    {
        StepKind.HeldWait => IsSilenced(((HeldWait)step.Subject!).Cause.Owner),

        // One that was silenced has not taken it.
        StepKind.ReleaseSpinLock => ((KernelSpinLock)step.Subject!).Holder?.Frame != top,
        StepKind.SetIrql when step.Number == Irql.Passive => false,
        StepKind.Run or StepKind.Mask or StepKind.SetIrql or StepKind.DeviceAccess =>
            IsSilenced((step.Code ?? top.Code).Owner ?? top.Owner),
        _ => IsKernelCall(in step) && IsSilenced(step.Code!.Owner ?? top.Code.Owner ?? top.Owner),
    };

    /// <summary>Its code is the kernel's; whoever ran before called that.</summary>
    private static bool IsKernelCall(in Step step) => step.Kind is StepKind.AcquireSpinLock or StepKind.CallOtherCpus;
}
