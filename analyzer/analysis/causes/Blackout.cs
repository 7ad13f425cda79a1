namespace Tracer.Analysis;

/// <summary>A time in which a CPU, or all of them, served nothing, not even the profile interrupt that was due.</summary>
internal sealed class Blackout
{
    /// <summary>The CPU; of several the lowest.</summary>
    public required int Cpu { get; init; }

    /// <summary>The last record before, in ticks: it began then or later.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When it most likely began, in ticks: between the last record before it and the first sample that is missing.</summary>
    public required long StartTicks { get; init; }

    /// <summary>When the first missing sample was due, in ticks: it had begun then. From then on it is proven.</summary>
    public required long DueTicks { get; init; }

    /// <summary>The first record after, in ticks.</summary>
    public required long ToTicks { get; init; }

    /// <summary>On how many CPUs a sample was due that came late, or nothing was served although they were busy.</summary>
    public required int Cpus { get; init; }

    /// <summary>How long it lasted at least, in ticks.</summary>
    public long ProvenTicks => ToTicks - DueTicks;

    /// <summary>Whether every CPU that could have shown life was silent.</summary>
    public required bool IsWholeMachine { get; init; }

    /// <summary>Whether another CPU went on meanwhile, so that nothing can have stopped the machine.</summary>
    public required bool IsElsewhereAlive { get; init; }

    /// <summary>
    /// Whether all that tells of it is one late sample of an idle CPU: it counts only where others of that CPU keep a beat together with
    /// it.
    /// </summary>
    public bool IsTentative { get; set; }

    /// <summary>The routines of devices' interrupts that were served right after it, each once.</summary>
    public IReadOnlyList<ulong> Followers { get; init; } = [];

    /// <summary>Whose code stood at its edges: the last sample before and the first after, of each silent CPU that was not idle.</summary>
    public required IReadOnlyList<BlackoutEdge> Edges { get; init; }

    /// <summary>The ISR or DPC that it lies in; 0 for none.</summary>
    public ulong Routine { get; init; }

    /// <summary>The strict beat that it keeps with others of its CPU while the code at their edges changes; null for none.</summary>
    public Beat? Beat { get; set; }

    /// <summary>Whether half of those of its kind or more lie in the same routine of an ISR or DPC.</summary>
    public bool IsOfRoutine { get; set; }

    /// <summary>Who is to blame; null until all blackouts are known, then also where nobody can be named but the machine.</summary>
    public OwnerFinding? Owner { get; set; }

    /// <summary>Whether nearly all other stops of its kind are nobody's but the machine's, so that this one is too.</summary>
    public bool IsLikeTheMachines { get; set; }
}

/// <summary>The code at an edge of a blackout.</summary>
/// <param name="Cpu">Where.</param>
/// <param name="IsAfter">Whether it is the point at which the CPU resumed; else the last seen before.</param>
/// <param name="IsUser">Whether it was code of a process.</param>
/// <param name="Owner">Whose code; null for a process, and where it can't be told.</param>
internal sealed record BlackoutEdge(int Cpu, bool IsAfter, bool IsUser, OwnerFinding? Owner)
{
    /// <summary>Whether the kernel's or a framework's code was at the end, and nothing shows who had called it.</summary>
    public bool IsOfUnknownCaller => this is { IsAfter: true, Owner: { Owner: null, Behind: not null } };
}
