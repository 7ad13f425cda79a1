namespace Tracer.Simulator.Engine;

/// <summary>
/// The same machine without somebody: his code takes no time, while all that it signals, queues and draws at random stays.
/// </summary>
internal sealed class Muting(MachineState state, ThreadDispatcher dispatcher)
{
    /// <summary>A thread that does so much in no time would never wait.</summary>
    private const int MostMutedSteps = 1_000;

    private long _mutedAtNs;
    private int _mutedSteps;

    /// <summary>Does a step of somebody who is muted, where it would have taken time or kept others waiting.</summary>
    public bool TryPass(Cpu cpu, Frame top, in Step step)
    {
        if (state.Options.IsMuted is null || !IsHarmOfMuted(top, in step))
        {
            return false;
        }

        _mutedSteps = _mutedAtNs == state.NowNs ? _mutedSteps + 1 : 0;
        _mutedAtNs = state.NowNs;
        top.Code = IsKernelCall(in step) ? top.Code : step.Code ?? top.Code;
        top.RemainingNs = 0;
        if (_mutedSteps > MostMutedSteps && top.Kind == FrameKind.Thread && top.Irql < Irql.Dispatch && !top.IsMasked)
        {
            // It only ever computes: without its time nothing of it is left.
            dispatcher.WaitFor(cpu, top, new KernelEvent(), Step.Wait(new KernelEvent()));
        }

        return true;
    }

    private bool IsHarmOfMuted(Frame top, in Step step) => step.Kind switch
    {
        StepKind.HeldWait => state.IsMuted(((HeldWait)step.Subject!).Cause.Owner),

        // One that was muted has not taken it.
        StepKind.ReleaseSpinLock => ((KernelSpinLock)step.Subject!).Holder?.Frame != top,
        StepKind.SetIrql when step.Number == Irql.Passive => false,
        StepKind.Run or StepKind.Mask or StepKind.SetIrql or StepKind.DeviceAccess =>
            state.IsMuted((step.Code ?? top.Code).Owner ?? top.Owner),
        _ => IsKernelCall(in step) && state.IsMuted(step.Code!.Owner ?? top.Code.Owner ?? top.Owner),
    };

    /// <summary>Its code is the kernel's; whoever ran before called that.</summary>
    private static bool IsKernelCall(in Step step) => step.Kind is StepKind.AcquireSpinLock or StepKind.CallOtherCpus;
}
