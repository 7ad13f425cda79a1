namespace Tracer.Analysis;

/// <summary>
/// A stretch of time in raw ticks of the trace's clock, from its first tick up to, not including, its last: what a record of an ISR, a
/// DPC, a running thread or a latency covers. Spans that touch do not overlap, so lengths add up without counting a tick twice.
/// </summary>
public readonly record struct TickSpan
{
    /// <summary>Makes a span.</summary>
    /// <param name="startTicks">Its first tick.</param>
    /// <param name="endTicks">The tick behind its last; not before the start.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The end precedes the start: such records are counted and left out, not made spans of.
    /// </exception>
    public TickSpan(long startTicks, long endTicks)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(endTicks, startTicks);
        StartTicks = startTicks;
        EndTicks = endTicks;
    }

    /// <summary>The first tick.</summary>
    public long StartTicks { get; }

    /// <summary>The tick behind the last.</summary>
    public long EndTicks { get; }

    /// <summary>How many ticks it covers; unsigned, because a damaged trace may span more than half the range of its clock.</summary>
    public ulong LengthTicks => unchecked((ulong)EndTicks - (ulong)StartTicks);

    /// <summary>Whether it covers no tick.</summary>
    public bool IsEmpty => StartTicks == EndTicks;

    /// <summary>Whether a tick lies in it.</summary>
    public bool Contains(long ticks) => ticks >= StartTicks && ticks < EndTicks;

    /// <summary>Whether another span lies in it wholly; an empty one does if its place is in or at an edge.</summary>
    public bool Contains(TickSpan other) => other.StartTicks >= StartTicks && other.EndTicks <= EndTicks;

    /// <summary>The part that both cover; empty, at the later start, where they share none.</summary>
    public TickSpan Intersect(TickSpan other)
    {
        long start = Math.Max(StartTicks, other.StartTicks);
        return new TickSpan(start, Math.Max(start, Math.Min(EndTicks, other.EndTicks)));
    }
}
