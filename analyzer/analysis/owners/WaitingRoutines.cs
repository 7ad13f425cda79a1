using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>Recognises samples that hit a waiting kernel routine, by function name.</summary>
internal sealed class WaitingRoutines
{
    private readonly KernelRoutines _routines;
    private readonly ulong[] _frames = new ulong[CpuHistory.MaximumFrames];

    public WaitingRoutines(KernelRoutines routines) => _routines = routines;

    /// <summary>What the code that a sample hit is waiting for.</summary>
    /// <param name="isKernels">Whether the sample hit kernel code whose name does not rule out that it waits.</param>
    public WaitKind Of(CpuHistory cpu, in CpuSample sample, out bool isKernels)
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
