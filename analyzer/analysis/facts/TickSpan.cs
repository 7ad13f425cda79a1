namespace Tracer.Analysis.Facts;

/// <summary>
/// A half-open stretch of time in raw ticks of the trace's clock: the start is included, the end is not. Covers the run of an ISR, a DPC or
/// a thread, or a latency. Adjacent spans do not overlap, so that their lengths add up without counting a tick twice.
/// </summary>
public readonly record struct TickSpan
{
    /// <param name="startTicks">The first tick.</param>
    /// <param name="endTicks">The tick after the last one; not before the start.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The end precedes the start. Callers must count and drop such records instead.
    /// </exception>
    public TickSpan(long startTicks, long endTicks)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(endTicks, startTicks);
        StartTicks = startTicks;
        EndTicks = endTicks;
    }

    /// <summary>The first tick.</summary>
    public long StartTicks { get; }

    /// <summary>The tick after the last one.</summary>
    public long EndTicks { get; }

    /// <summary>Whether a tick lies in the span.</summary>
    public bool Contains(long ticks) => ticks >= StartTicks && ticks < EndTicks;
}
