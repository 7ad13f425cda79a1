namespace Tracer.Simulator;

/// <summary>How long innocent interrupt handling takes: what well-behaved drivers need.</summary>
internal static class UsualLengths
{
    private const long Microsecond = 1_000;

    /// <summary>An ISR: 3 us, at most 14 us.</summary>
    public static Spread Isr => Spread.LogNormal(3 * Microsecond, 0.4, 14 * Microsecond);

    /// <summary>A DPC: 14 us, at most 90 us.</summary>
    public static Spread Dpc => Spread.LogNormal(14 * Microsecond, 0.6, 90 * Microsecond);
}
