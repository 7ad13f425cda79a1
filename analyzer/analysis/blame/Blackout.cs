namespace Tracer.Analysis;

/// <summary>A time in which a CPU, or all of them, served nothing, not even the profile interrupt that was due.</summary>
internal sealed class Blackout
{
    /// <summary>The CPU; of several the lowest.</summary>
    public required int Cpu { get; init; }

    /// <summary>The last record before, in ticks: it began then or later.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When the first missing sample was due, in ticks: it had begun then.</summary>
    public required long DueTicks { get; init; }

    /// <summary>The first record after, in ticks.</summary>
    public required long ToTicks { get; init; }

    /// <summary>Whether every CPU that could have shown life was silent.</summary>
    public required bool IsWholeMachine { get; init; }

    /// <summary>Whether another CPU went on meanwhile, so that nothing can have stopped the machine.</summary>
    public required bool IsElsewhereAlive { get; init; }

    /// <summary>Whose code stood at its edges: the last sample before and the first after, of each silent CPU that was not idle.</summary>
    public required IReadOnlyList<BlackoutEdge> Edges { get; init; }

    /// <summary>The ISR or DPC that it lies in; 0 for none.</summary>
    public ulong Routine { get; init; }

    /// <summary>Who is to blame; null until all blackouts are known, then also where nobody can be named but the machine.</summary>
    public OwnerFinding? Owner { get; set; }
}

/// <summary>The code at an edge of a blackout.</summary>
/// <param name="Cpu">Where.</param>
/// <param name="IsAfter">Whether it is the point at which the CPU resumed; else the last seen before.</param>
/// <param name="IsUser">Whether it was code of a process.</param>
/// <param name="Owner">Whose code; null for a process, and where it can't be told.</param>
internal sealed record BlackoutEdge(int Cpu, bool IsAfter, bool IsUser, OwnerFinding? Owner);
