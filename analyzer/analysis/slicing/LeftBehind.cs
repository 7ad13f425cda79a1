namespace Tracer.Analysis.Slicing;

/// <summary>Counts records outside of a part of a trace that may be evidence: a judgement of the part alone does without them.</summary>
public sealed class LeftBehind
{
    public long Samples { get; private set; }

    /// <summary>Runs of ISRs and DPCs.</summary>
    public long Routines { get; private set; }

    public long Switches { get; private set; }

    public long Stacks { get; private set; }

    internal void Add(ushort hook)
    {
        switch (hook)
        {
            case KernelHook.SampledProfile:
                Samples++;
                break;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr
                or KernelHook.Dpc or KernelHook.ThreadedDpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                Routines++;
                break;
            case KernelHook.ContextSwitch or KernelHook.CompactContextSwitch:
                Switches++;
                break;
            case KernelHook.Stack or KernelHook.StackKernelKey or KernelHook.StackUserKey:
                Stacks++;
                break;
            default:
                break;
        }
    }
}
