namespace Tracer.Simulator.Engine;

/// <summary>
/// The same machine without somebody: his code takes no time, while all that it signals, queues and draws at random stays.
/// </summary>
internal sealed class Silence(MachineState state, ThreadDispatcher dispatcher)
{
    /// <summary>A thread that does so much in no time would never wait.</summary>
    private const int MostSilencedSteps = 1_000;

    private long _silencedAtNs;
    private int _silencedSteps;

    /// <summary>Does a step of somebody who is silenced, where it would have taken time or kept others waiting.</summary>
    public bool TryPass(Cpu cpu, Frame top, in Step step)
    {
        if (state.Options.IsSilenced is null || !IsHarmOfSilenced(top, in step))
        {
            return false;
        }

        _silencedSteps = _silencedAtNs == state.NowNs ? _silencedSteps + 1 : 0;
        _silencedAtNs = state.NowNs;
        top.Code = IsKernelCall(in step) ? top.Code : step.Code ?? top.Code;
        top.RemainingNs = 0;
        if (_silencedSteps > MostSilencedSteps && top.Kind == FrameKind.Thread && top.Irql < Irql.Dispatch && !top.IsMasked)
        {
            // It only ever computes: without its time nothing of it is left.
            dispatcher.WaitFor(cpu, top, new KernelEvent(), Step.Wait(new KernelEvent()));
        }

        return true;
    }

    private bool IsHarmOfSilenced(Frame top, in Step step) => step.Kind switch
    {
        StepKind.HeldWait => state.IsSilenced(((HeldWait)step.Subject!).Cause.Owner),

        // One that was silenced has not taken it.
        StepKind.ReleaseSpinLock => ((KernelSpinLock)step.Subject!).Holder?.Frame != top,
        StepKind.SetIrql when step.Number == Irql.Passive => false,
        StepKind.Run or StepKind.Mask or StepKind.SetIrql or StepKind.DeviceAccess =>
            state.IsSilenced((step.Code ?? top.Code).Owner ?? top.Owner),
        _ => IsKernelCall(in step) && state.IsSilenced(step.Code!.Owner ?? top.Code.Owner ?? top.Owner),
    };

    /// <summary>Its code is the kernel's; whoever ran before called that.</summary>
    private static bool IsKernelCall(in Step step) => step.Kind is StepKind.AcquireSpinLock or StepKind.CallOtherCpus;
}
