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

    private bool IsSilenced(CodeOwner? owner) => owner is not null && _options.IsSilenced?.Invoke(owner) == true;

    /// <summary>Does a step of somebody who is silenced, where it would have taken time or kept others waiting.</summary>
    private bool TrySilence(Cpu cpu, Frame top, in Step step)
    {
        bool isHarm = step.Kind is StepKind.Run or StepKind.Mask || (step.Kind == StepKind.SetIrql && step.Number != Irql.Passive);
        if (_options.IsSilenced is null || !isHarm || !IsSilenced((step.Code ?? top.Code).Owner ?? top.Owner))
        {
            return false;
        }

        _silencedSteps = _silencedAtNs == NowNs ? _silencedSteps + 1 : 0;
        _silencedAtNs = NowNs;
        top.Code = step.Code ?? top.Code;
        top.RemainingNs = 0;
        if (_silencedSteps > MostSilencedSteps && top.Kind == FrameKind.Thread && top.Irql < Irql.Dispatch && !top.IsMasked)
        {
            // It only ever computes: without its time nothing of it is left.
            WaitFor(cpu, top, new KernelEvent(), Step.Wait(new KernelEvent()));
        }

        return true;
    }
}
