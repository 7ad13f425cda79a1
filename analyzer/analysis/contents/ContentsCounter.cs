using System.Runtime.CompilerServices;

namespace Tracer.Analysis.Contents;

/// <summary>Counts the frequent events of some buffers for <see cref="TraceContents"/>, one instance for each thread.</summary>
internal readonly struct ContentsCounter(TraceClock clock) : IEtlEventCounter
{
    /// <summary>How often each kind occurred.</summary>
    public KindCounts Kinds { get; } = new();

    public TraceRates Rates { get; } = new(clock.TicksPerSecond);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryCount(scoped in EtlEvent traceEvent)
    {
        if (!traceEvent.IsKernelHook)
        {
            return false;
        }

        ushort hookId = traceEvent.HookId;
        if (TraceRates.IsFrequent(hookId))
        {
            Rates.TryAdd(in traceEvent, hookId);
        }

        return Kinds.TryCount(in traceEvent);
    }
}
