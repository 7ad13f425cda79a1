using Tracer.Analysis.Beats;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>A time in which one CPU or all CPUs served no interrupt at all, not even the profile interrupt that was due.</summary>
internal sealed class Blackout
{
    /// <summary>The CPU that stopped; the lowest number where several did.</summary>
    public required int Cpu { get; init; }

    /// <summary>The last record before the blackout, in ticks: the blackout began then or later.</summary>
    public required long FromTicks { get; init; }

    /// <summary>When the blackout most likely began, in ticks: between the last record before it and the first missing sample.</summary>
    public required long StartTicks { get; init; }

    /// <summary>When the first missing sample was due, in ticks. The blackout is proven from then on.</summary>
    public required long DueTicks { get; init; }

    /// <summary>The first record after the blackout, in ticks.</summary>
    public required long ToTicks { get; init; }

    /// <summary>On how many CPUs a due sample came late, or nothing was served although the CPU was busy.</summary>
    public required int Cpus { get; init; }

    /// <summary>The least that the blackout lasted, in ticks.</summary>
    public long ProvenTicks => ToTicks - DueTicks;

    /// <summary>Whether every CPU that could have logged a record was silent.</summary>
    public required bool IsWholeMachine { get; init; }

    /// <summary>Whether several CPUs stopped at once, and no other was alive.</summary>
    public bool IsOfAllCpus => IsWholeMachine && Cpus > 1;

    /// <summary>Whether another CPU kept logging meanwhile, so that nothing can have stopped the whole machine.</summary>
    public required bool IsElsewhereAlive { get; init; }

    /// <summary>Whether it may be a clock that was set instead: the clocks of the CPUs disagree, and nobody knows since when.</summary>
    public bool MayBeClock { get; init; }

    /// <summary>
    /// Whether the only sign of the blackout is one late sample of an idle CPU. It counts only where other late samples of that CPU keep
    /// the same beat. Likewise one that may be a clock that was set, where others like it do not show that it is none.
    /// </summary>
    public bool IsTentative { get; set; }

    /// <summary>The device ISRs that ran right after the blackout, each once.</summary>
    public IReadOnlyList<ulong> Followers { get; init; } = [];

    /// <summary>The code at the edges: the last sample before and the first sample after, on each silent CPU that was not idle.</summary>
    public required IReadOnlyList<BlackoutEdge> Edges { get; init; }

    /// <summary>The ISR or DPC that the blackout fell into; 0 for none.</summary>
    public ulong Routine { get; init; }

    /// <summary>The strict period that the CPU's blackouts keep although different code stands at their edges; null for none.</summary>
    public Beat? Beat { get; set; }

    /// <summary>Whether at least half of the blackouts of the same kind fell into the same ISR or DPC.</summary>
    public bool IsOfRoutine { get; set; }

    /// <summary>The module to blame. Null until all blackouts are known, and where only the machine itself remains.</summary>
    public OwnerFinding? Owner { get; set; }

    /// <summary>The place of the owner's code that was weighed, where it is not all of that module's; null for all.</summary>
    public EdgePlace? Place { get; set; }

    /// <summary>The process whose thread was in the owner's code; null where there is none, or where it is not known.</summary>
    public uint? Caller => Edges.Where(edge => edge.Caller is not null && edge.Owner?.Owner?.Number == Owner?.Owner?.Number)
        .OrderByDescending(edge => edge.IsAfter).Select(edge => edge.Caller).FirstOrDefault();

    /// <summary>
    /// Whether a module stands at the edges of most blackouts of the same kind, more often than chance explains one time in twenty, and not
    /// surely enough to be blamed.
    /// </summary>
    public bool IsContested { get; set; }

    /// <summary>
    /// Whether nearly all other blackouts of the same kind are the machine's own, so that this one is taken as the machine's, too.
    /// </summary>
    public bool IsLikeTheMachines { get; set; }
}

/// <param name="IsAfter">Whether the sample was taken where the CPU resumed; otherwise it is the last one before the blackout.</param>
/// <param name="Owner">The module whose code it was; null for user-mode code, and where unknown.</param>
/// <param name="Caller">The process whose thread it was; null for ISRs, DPCs and system threads, and where unknown.</param>
internal sealed record BlackoutEdge(int Cpu, bool IsAfter, bool IsUser, OwnerFinding? Owner, uint? Caller = null)
{
    /// <summary>Whether the CPU resumed in code of the kernel or of a framework, and no stack shows the caller.</summary>
    public bool IsOfUnknownCaller => this is { IsAfter: true, Owner: { Owner: null, Behind: not null } };
}

/// <summary>A place of a module that stands at the edges of most blackouts and is rare elsewhere.</summary>
/// <param name="Share">The part of the samples that it has otherwise: of its CPU's, or of all.</param>
internal sealed record EdgePlace(CodePlace Place, double Share);
