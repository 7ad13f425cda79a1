using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>What an analysis is asked for.</summary>
public sealed record BlameRequest
{
    /// <summary>Latency at or above this is an episode.</summary>
    public Duration Threshold { get; init; } = Defaults.Threshold;

    /// <summary>Which probes are wanted.</summary>
    public ProbeChoice Probe { get; init; } = ProbeChoice.Auto;

    /// <summary>The lowest priority of a thread whose wake-ups count as probes, 0 to 31.</summary>
    public int MinPriority { get; init; } = Defaults.MinimumPriority;

    /// <summary>A process, by image name or id, all of whose threads are probes, whatever their priority; null for none.</summary>
    public string? Process { get; init; }

    /// <summary>The only thread whose wake-ups are probes; null for all.</summary>
    public long? Thread { get; init; }

    /// <summary>The only CPUs that are looked at for episodes; null for all.</summary>
    public IReadOnlyList<int>? Cpus { get; init; }

    /// <summary>Episodes that begin before this are left out; time from the header event. Null for none.</summary>
    public Duration? From { get; init; }

    /// <summary>Episodes that begin after this are left out; time from the header event. Null for none.</summary>
    public Duration? To { get; init; }

    /// <summary>Whether to keep, for each episode, what ran on the CPUs meanwhile (<see cref="BlameResult.Strips"/>).</summary>
    public bool WithStrips { get; init; }

    /// <summary>A name without which the episodes are played once more (<see cref="BlameReport.Without"/>); null for none.</summary>
    public string? Without { get; init; }

    /// <summary>One whose case is wanted (<see cref="BlameReport.Suspect"/>), by name; null for none.</summary>
    public string? Suspect { get; init; }

    /// <summary>Whether to count what ISRs and DPCs took by module and CPU (<see cref="BlameResult.Usage"/>).</summary>
    public bool WithUsage { get; init; }

    /// <summary>Names the functions of images; null where no symbols are at hand.</summary>
    public IFunctionNames? Names { get; init; }

    /// <summary>Limits the work on a trace of so many events.</summary>
    internal Func<long, WorkBudget> Budget { get; init; } = static events => new WorkBudget(events);
}
