using Tracer.Analysis.Facts;

namespace Tracer.AnalyzerCommand.Common.Symbols;

/// <summary>The images and threads of a trace, as far as addresses need them, from one reading in any order.</summary>
/// <param name="pointerBytes">Width of the kernel's pointers: 4 or 8.</param>
internal sealed class TraceModules(int pointerBytes)
{
    public ImageTable Images { get; } = new(pointerBytes);

    /// <summary>Whose thread was whose.</summary>
    public ThreadTable Threads { get; } = new();

    /// <summary>Takes an event; those that tell of neither are passed over.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (KernelHook.Of(in traceEvent) is not { } hook)
        {
            Images.Add(in traceEvent);
            Threads.Add(in traceEvent);
            return;
        }

        switch ((KernelGroup)(hook >> 8))
        {
            case KernelGroup.Process or KernelGroup.Image:
                Images.Add(hook, in traceEvent);
                Threads.Add(hook, in traceEvent);
                break;
            case KernelGroup.Thread or KernelGroup.StackWalk:
                Threads.Add(hook, in traceEvent);
                break;
            default:
                break;
        }
    }

    /// <summary>Makes the tables; then they may be asked.</summary>
    public void Complete()
    {
        Images.Complete();
        Threads.Complete();
    }
}
