namespace Tracer.Analysis.Machine;

/// <summary>The part of a trace that was asked about: some CPUs, from one time to another. Times in ticks of the trace's clock.</summary>
internal sealed record TracePart
{
    public static TracePart Whole { get; } = new();

    /// <summary>The first time in it.</summary>
    public long FromTicks { get; init; } = long.MinValue;

    /// <summary>The last time in it.</summary>
    public long ToTicks { get; init; } = long.MaxValue;

    /// <summary>The CPUs; null for all.</summary>
    public IReadOnlySet<int>? Cpus { get; init; }

    /// <summary>Whether nothing is left out.</summary>
    public bool IsWhole => FromTicks == long.MinValue && ToTicks == long.MaxValue && Cpus is null;

    /// <summary>Whether something that began on a CPU at a time belongs to it.</summary>
    public bool Holds(int cpu, long ticks) => ticks >= FromTicks && ticks <= ToTicks && (Cpus is null || Cpus.Contains(cpu));
}
