namespace Tracer.Analysis;

/// <summary>Tells samples that hit a routine of the kernel which waits, by the names of functions.</summary>
internal sealed class WaitingRoutines
{
    private readonly KernelRoutines _routines;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];

    /// <summary>Tells.</summary>
    /// <param name="routines">The kernel's routines.</param>
    public WaitingRoutines(KernelRoutines routines) => _routines = routines;

    /// <summary>What a sample shows.</summary>
    /// <param name="cpu">Where it was taken.</param>
    /// <param name="sample">The sample.</param>
    /// <param name="isKernels">Whether it hit the kernel's own code, and no name says that this does not wait.</param>
    /// <returns>What the code waited for, by its name.</returns>
    public WaitKind Of(CpuHistory cpu, in SampleMark sample, out bool isKernels)
    {
        KernelRoutine? hit = _routines.Find(sample.Instruction, sample.Ticks);
        isKernels = hit is { IsNamed: false };
        if (hit is not { Wait: WaitKind.None } || !_routines.HasNames)
        {
            return hit?.Wait ?? WaitKind.None;
        }

        foreach (ulong frame in cpu.FramesOf(in sample, _frames))
        {
            KernelRoutine? caller = _routines.Find(frame, sample.Ticks);
            if (caller is not { Wait: WaitKind.None })
            {
                return caller?.Wait ?? WaitKind.None;
            }
        }

        return WaitKind.None;
    }
}
