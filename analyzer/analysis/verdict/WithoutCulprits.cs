using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Says what would be left without a culprit, or without whom the user names.</summary>
internal sealed class WithoutCulprits
{
    /// <summary>So many culprits are taken out, the first ones.</summary>
    private const int MostCulprits = 10;

    private readonly BlameFindings _findings;
    private readonly IReadOnlyList<NamedEpisode> _all;
    private readonly Replay _replay;

    /// <summary>Takes what was found.</summary>
    /// <param name="findings">The findings.</param>
    /// <param name="all">All episodes, several probes of one thing still apart.</param>
    /// <param name="thresholdTicks">Latency at or above this is an episode.</param>
    /// <param name="gapTicks">A longer gap ends a stretch of a CPU at ISR or DPC level.</param>
    public WithoutCulprits(BlameFindings findings, IReadOnlyList<NamedEpisode> all, long thresholdTicks, long gapTicks)
    {
        _findings = findings;
        _all = all;
        _replay = new Replay(all, thresholdTicks, gapTicks);
    }

    /// <summary>Without a culprit; null for those far down, and where nobody can say.</summary>
    public WithoutCulprit? Without(Suspect suspect, int rank)
    {
        if (rank > MostCulprits
            || _replay.Without(cause => (cause.Kind == suspect.Kind && IsSame(cause.Name, suspect.Name)) || IsSlowed(cause, suspect.Name))
                is not { } outcome)
        {
            return null;
        }

        return new WithoutCulprit { Episodes = outcome.Episodes, Worst = Length(outcome.WorstTicks) };
    }

    /// <summary>Without everybody of a name; null where none is given.</summary>
    /// <param name="name">File name of a driver with or without its ending, image name of a process, or as reports name the rest.</param>
    public LeftWithout? Without(string? name)
    {
        if (name is null)
        {
            return null;
        }

        ReplayOutcome? outcome = _replay.Without(
            cause => IsMeant(cause.Name, name) || (cause.Slowdown is not null && IsMeant(cause.Waiter, name)));
        return new LeftWithout
        {
            Name = _all.SelectMany(episode => episode.Causes).FirstOrDefault(cause => IsMeant(cause.Name, name))?.Name ?? name,
            Episodes = outcome?.Episodes,
            Worst = Length(outcome?.WorstTicks),
            OverThreshold = Length(outcome?.Ticks),
        };
    }

    /// <summary>Whether a slow CPU made this work of somebody longer: without the work nothing of it is left.</summary>
    private static bool IsSlowed(NamedCause cause, string name) => cause.Slowdown is not null && IsSame(cause.Waiter, name);

    /// <summary>Windows does not tell names apart by case.</summary>
    private static bool IsSame(string? one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    private static bool IsMeant(string? one, string asked) =>
        one is not null && (IsSame(one, asked) || IsSame(Path.GetFileNameWithoutExtension(one), asked));

    private Duration? Length(long? ticks) => ticks is { } known ? _findings.Length(known) : null;
}
