using Tracer.Etl.Stacks;

namespace Tracer.Bench.Reading;

/// <summary>Adds up the frames of all stacks, so that every one is looked at.</summary>
internal struct StackSums : IStackedEventSink
{
    /// <summary>Events taken.</summary>
    public long Events { get; private set; }

    /// <summary>Sum over all frames.</summary>
    public ulong Sum { get; private set; }

    public bool OnEvent(scoped in EtlEvent traceEvent, scoped in EventStack stack)
    {
        Events++;
        foreach (ulong frame in stack.Kernel)
        {
            Sum += frame;
        }

        foreach (ulong frame in stack.User)
        {
            Sum += frame;
        }

        return true;
    }
}
