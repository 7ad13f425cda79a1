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

    /// <summary>Number of ticks; unsigned, because a damaged trace may span more than half the range of its clock.</summary>
    public ulong LengthTicks => unchecked((ulong)EndTicks - (ulong)StartTicks);

    /// <summary>Whether the span covers no tick.</summary>
    public bool IsEmpty => StartTicks == EndTicks;

    /// <summary>Whether a tick lies in the span.</summary>
    public bool Contains(long ticks) => ticks >= StartTicks && ticks < EndTicks;

    /// <summary>Whether another span lies wholly in this one; an empty span does if it lies inside or at an edge.</summary>
    public bool Contains(TickSpan other) => other.StartTicks >= StartTicks && other.EndTicks <= EndTicks;

    /// <summary>The overlap of two spans; where there is none, an empty span at the later start.</summary>
    public TickSpan Intersect(TickSpan other)
    {
        long start = Math.Max(StartTicks, other.StartTicks);
        return new TickSpan(start, Math.Max(start, Math.Min(EndTicks, other.EndTicks)));
    }
}
