using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>Says which episodes would remain without a culprit, or without the one that the user names.</summary>
internal sealed class WithoutCulprits
{
    /// <summary>How many culprits, the largest ones, are taken out in turn. It bounds the work.</summary>
    private const int MostCulprits = 10;

    /// <summary>Stretches that all replays of a trace may lay out, however small it is; its events allow more.</summary>
    private const long FixedStretches = 2_000_000;

    private readonly BlameFindings _findings;
    private readonly IReadOnlyList<NamedEpisode> _all;
    private readonly ReplayRanking _first;
    private readonly Replay _replay;

    /// <param name="judged">All episodes, of which several probes of one delay are still separate, and which of them decide.</param>
    /// <param name="thresholdTicks">A latency of this length or more is an episode, in ticks.</param>
    /// <param name="gapTicks">A longer gap ends a stretch of a CPU at ISR or DPC level, in ticks.</param>
    public WithoutCulprits(BlameFindings findings, Judgement judged, long thresholdTicks, long gapTicks)
    {
        _findings = findings;
        _all = judged.All;
        _first = judged.FirstRanking;
        var budget = new WorkBudget(findings.Summary.Events, FixedStretches, fixedParts: 0);
        _replay = new Replay(judged.All, thresholdTicks, gapTicks, budget);
    }

    /// <summary>What remains without a culprit; null for culprits far down the list, and where the result can't be known.</summary>
    /// <param name="rank">The place in the ranking, from 1.</param>
    /// <param name="isSecond">Whether that is the ranking of those that no measured thread waited for, whose episodes then count.</param>
    public WithoutCulprit? Without(Suspect suspect, int rank, bool isSecond)
    {
        if (rank > MostCulprits
            || _replay.Without(
                cause => (cause.Kind == suspect.Kind && IsSame(cause.Name, suspect.Name)) || IsSlowed(cause, suspect.Name),
                isSecond ? ReplayRanking.Second : _first) is not { } outcome)
        {
            return null;
        }

        return new WithoutCulprit { Episodes = outcome.Episodes, Worst = Length(outcome.WorstTicks) };
    }

    /// <summary>What remains of the episodes that decide without every culprit of a name; null where no name is given.</summary>
    /// <param name="name">
    /// File name of a driver with or without its extension, image name of a process, or another culprit's name as in reports.
    /// </param>
    public LeftWithout? Without(string? name)
    {
        if (name is null)
        {
            return null;
        }

        ReplayOutcome? outcome = _replay.Without(
            cause => IsMeant(cause.Name, name) || (cause.Slowdown is not null && IsMeant(cause.Waiter, name)), _first);
        return new LeftWithout
        {
            Name = _all.SelectMany(episode => episode.Causes).FirstOrDefault(cause => IsMeant(cause.Name, name))?.Name ?? name,
            Episodes = outcome?.Episodes,
            Worst = Length(outcome?.WorstTicks),
            OverThreshold = Length(outcome?.Ticks),
        };
    }

    /// <summary>
    /// Whether a cause is the time by which a slow CPU prolonged the work of a module: without that work nothing of it remains.
    /// </summary>
    private static bool IsSlowed(NamedCause cause, string name) => cause.Slowdown is not null && IsSame(cause.Waiter, name);

    /// <summary>Windows compares file names without regard to case.</summary>
    private static bool IsSame(string? one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    private static bool IsMeant(string? one, string asked) =>
        IsSame(one, asked) || IsSame(Path.GetFileNameWithoutExtension(one), asked);

    private Duration? Length(long? ticks) => ticks is { } known ? _findings.Length(known) : null;
}
