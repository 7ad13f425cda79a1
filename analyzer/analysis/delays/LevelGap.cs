namespace Tracer.Analysis.Delays;

/// <summary>The level gap: what ends a stretch in which a CPU is kept at ISR or DPC level.</summary>
internal static class LevelGap
{
    /// <summary>Longest gap, in ns, within a stretch at ISR or DPC level: a longer one ends the stretch.</summary>
    private const long Nanoseconds = 2_000;

    /// <summary>The longest gap within such a stretch.</summary>
    public static Duration Longest => new(Nanoseconds);
}
