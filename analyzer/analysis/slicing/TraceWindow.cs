namespace Tracer.Analysis.Slicing;

/// <summary>The stretch of time that a trace keeps, in ticks of the performance counter.</summary>
/// <param name="Begin">First tick.</param>
/// <param name="End">Last tick.</param>
public readonly record struct TraceWindow(long Begin, long End)
{
    /// <summary>Whether a moment lies in it.</summary>
    /// <returns>True if so.</returns>
    public bool Contains(long ticks) => ticks >= Begin && ticks <= End;

    /// <summary>Whether a stretch and the window have a moment in common.</summary>
    /// <param name="begin">First tick of the stretch.</param>
    /// <returns>True if so.</returns>
    public bool Overlaps(long begin, long end) => begin <= End && end >= Begin;
}
