using Tracer.Analysis.Causes;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>The judgement of a trace: which episodes count, the suspects in order, and the verdict.</summary>
internal sealed record Judgement
{
    /// <summary>All episodes that are believed. Several probes of one delay are still separate.</summary>
    public required IReadOnlyList<NamedEpisode> All { get; init; }

    /// <summary>The episodes by start, each delay once.</summary>
    public required IReadOnlyList<NamedEpisode> Episodes { get; init; }

    /// <summary>The episodes that decide the verdict.</summary>
    public required IReadOnlyList<NamedEpisode> First { get; init; }

    /// <summary>The secondary episodes: waits that no thread of the priority asked for had.</summary>
    public required IReadOnlyList<NamedEpisode> Second { get; init; }

    /// <summary>Several drivers whose DPCs come together and have most of the time; null where that is not so.</summary>
    public required TimersTogether? Together { get; init; }

    /// <summary>The suspects of the first episodes, the largest part first.</summary>
    public required List<Suspect> Suspects { get; init; }

    /// <summary>The suspects of the secondary episodes.</summary>
    public required List<Suspect> Seconds { get; init; }

    /// <summary>The time of the drivers' ISRs and DPCs in the whole trace.</summary>
    public required DriverTable Table { get; init; }

    /// <summary>The step of the trace's clock, in ticks, where it is too coarse to measure the threshold; otherwise null.</summary>
    public required long? CoarseTicks { get; init; }

    public required MeasuredWaits Waits { get; init; }

    /// <summary>Why finding no episode proves nothing; null where it shows that there was none.</summary>
    public required Unearned? Unearned { get; init; }

    /// <summary>Whether no measured thread waited for what decides the verdict.</summary>
    public bool AreWithoutVictim { get; private init; }

    /// <summary>Which episodes left without a culprit of the first ranking count: all, where no episode has a victim.</summary>
    public required ReplayRanking FirstRanking { get; init; }

    /// <summary>The episodes that are not secondary.</summary>
    public IReadOnlyList<NamedEpisode> Counted { get; private init; } = [];

    /// <summary>The latency of the counted episodes, in ticks.</summary>
    public long CountedTicks => Counted.Sum(episode => episode.Candidate.LatencyTicks);

    /// <summary>The share of that latency without an owner.</summary>
    public double UnownedShare { get; private init; }

    public Verdict Verdict { get; private init; }

    public static Judgement Of(BlameFindings findings, CauseNaming naming)
    {
        var late = new LateByBeat(findings);
        long? coarse = findings.Machine.Steps.Coarse(findings.Summary.Clock == Etl.TraceClockKind.SystemTime);
        var waits = new MeasuredWaits(findings);
        var punctual = new PunctualThreads(findings);
        List<NamedEpisode> all = coarse is null
            ? [.. GlitchVictims.Match(findings.Causes.Episodes, findings).Select(Believed).OfType<EpisodeCandidate>().Where(IsBelievable)
                .Select(candidate => IsByTicks(candidate) ? OfTicks(candidate, naming) : naming.Name(candidate))]
            : [];
        Dictionary<EpisodeCandidate, NamedEpisode> named = all.ToDictionary(episode => episode.Candidate);
        List<NamedEpisode> episodes =
            MaskedTimes.Joined([.. EpisodeSelection.Select(named.Keys).Select(candidate => named[candidate])]);
        DriverTable table = DriverTable.Of(findings);
        if (ExternalBeat.Of(findings, naming, episodes, table, waits.Count) is { } outside)
        {
            all = [.. all.Select(outside.Reassigned)];
            episodes = [.. episodes.Select(outside.Reassigned)];
        }

        PutIdleBehind(episodes, findings);
        (List<NamedEpisode> first, List<NamedEpisode> second) = Rankings(episodes, findings);
        return new Judgement
        {
            All = all,
            Episodes = episodes,
            First = first,
            Second = second,
            Together = TimersTogether.Of(findings, first),
            Suspects = BlameRanking.Rank(first),
            Seconds = BlameRanking.Rank(second),
            Table = table,
            CoarseTicks = coarse,
            Waits = waits,
            Unearned = EarnedNone.WhyNot(findings, waits, coarse) ?? GlitchVictims.Unexplained(findings),
            AreWithoutVictim = first.Count > 0 && !first.Exists(episode => IsFirst(episode, findings)),
            FirstRanking = first.Exists(episode => episode.Candidate.IsOfGlitch) ? ReplayRanking.Glitch
                : first.Exists(episode => IsFirst(episode, findings)) ? ReplayRanking.First
                : ReplayRanking.Both,
        }.WithVerdict();

        // A job that began late by its beat is only that from when it was ready, where its thread had chosen to sleep longer.
        EpisodeCandidate? Believed(EpisodeCandidate candidate) =>
            candidate.IsOfGlitch || candidate.Delay.Job is not { Late: not null } || (late.IsLate(candidate) && !late.IsByTicks(candidate))
            ? candidate
            : candidate.WithoutDue() is var rest
                && rest.Delay.Job!.Value.IsEpisode(rest.LostTicks, rest.LongestTicks, findings.ThresholdTicks) ? rest : null;

        bool IsByTicks(EpisodeCandidate candidate) => !candidate.IsOfGlitch && candidate.IsLateByBeat && late.IsByTicks(candidate);

        bool IsBelievable(EpisodeCandidate candidate) => candidate.IsOfGlitch || (!punctual.Excuse(candidate) && (candidate.IsLateByBeat
            ? late.IsLate(candidate) || late.IsByTicks(candidate)
            : candidate.Probe != ProbeKind.Gap
                || (findings.Machine.Counts is var counts && counts.BrokenSwitches * TraceContents.MostBrokenOf <= counts.Switches
                && candidate.Gap is not { IsTentative: true })));
    }

    /// <summary>A thread that was late because its timer came with a later tick of the clock.</summary>
    private static NamedEpisode OfTicks(EpisodeCandidate candidate, CauseNaming naming)
    {
        var late = new CauseShare
        {
            Detail = TickAwaited.Instance,
            Ticks = candidate.ReadyTicks - candidate.FromTicks,
            AtTicks = candidate.FromTicks,
        };
        candidate.Causes = [late, .. candidate.Causes.Except(candidate.Before)];
        return naming.Name(candidate);
    }

    private Judgement WithVerdict()
    {
        HashSet<NamedEpisode> second = new(Second, ReferenceEqualityComparer.Instance);
        List<NamedEpisode> counted = [.. Episodes.Where(episode => !second.Contains(episode))];
        long all = counted.Sum(episode => episode.Candidate.LatencyTicks);
        long owned = counted.Sum(episode => episode.Causes.Where(cause => cause.Name is not null).Sum(cause => cause.Ticks));
        double unowned = (all - counted.Sum(episode => episode.TimerTicks) - owned) / (double)Math.Max(1, all);
        return this with { Counted = counted, UnownedShare = unowned, Verdict = VerdictOf(all, unowned) };
    }

    private Verdict VerdictOf(long allTicks, double unownedShare)
    {
        if (CoarseTicks is not null)
        {
            return Verdict.Unknown;
        }

        if (First.Count == 0)
        {
            return Unearned is null ? Verdict.None : Verdict.Unknown;
        }

        if (Suspects.Count == 0 || OwnersTicks(Suspects[0]) / (double)allTicks < CulpritThresholds.LeastOfUnknown * unownedShare)
        {
            return Verdict.Unknown;
        }

        return Suspects[0].Kind switch
        {
            CulpritKind.Driver => Verdict.Driver,
            CulpritKind.Process => Verdict.Process,
            CulpritKind.Kernel => Verdict.Kernel,
            CulpritKind.Hardware => Verdict.Hardware,
            _ => Verdict.Power,
        };
    }

    /// <summary>The time of an owner, whatever he did, in ticks.</summary>
    private long OwnersTicks(Suspect one) =>
        Suspects.Where(suspect => suspect.Kind == one.Kind && suspect.Name == one.Name).Sum(suspect => suspect.Ticks);

    /// <summary>
    /// Separates the episodes that decide the verdict from the secondary ones: what explains no glitch where another one does, else waits
    /// that no thread of the priority asked for had. Episodes that only the granularity of timers explains have no culprit, and do not move
    /// the others to second place.
    /// </summary>
    private static (List<NamedEpisode> First, List<NamedEpisode> Second) Rankings(List<NamedEpisode> episodes, BlameFindings findings)
    {
        List<NamedEpisode> interfered =
            [.. episodes.Where(episode => episode.Candidate.IsOfGlitch || episode.Candidate.Delay.Job is not null
                || episode.Candidate.LatencyTicks - episode.TimerTicks >= findings.ThresholdTicks)];
        List<NamedEpisode> first = [.. interfered.Where(episode => episode.Candidate.IsOfGlitch)];
        first = first.Count > 0 ? first : [.. interfered.Where(episode => IsFirst(episode, findings))];
        bool isUnexplained = first.Count == 0 && GlitchVictims.Asked(findings).Any();
        return first.Count == 0 && !isUnexplained ? (interfered, []) : (first, [.. interfered.Except(first)]);
    }

    /// <summary>
    /// Where the threads of a process count whatever their priority, those that have something to be in time for come first: real-time
    /// threads, those that keep a beat, and those that read a mouse or a keyboard. The others count where none of these was late.
    /// </summary>
    private static void PutIdleBehind(List<NamedEpisode> episodes, BlameFindings findings)
    {
        if (findings.Request is { Process: not null, Thread: null } && episodes.Exists(episode => IsInHaste(episode.Candidate, findings)))
        {
            foreach (NamedEpisode episode in episodes)
            {
                episode.Candidate.IsOfIdleThread = episode.Candidate.ThreadId is not null && !IsInHaste(episode.Candidate, findings);
            }
        }
    }

    private static bool IsInHaste(EpisodeCandidate candidate, BlameFindings findings) =>
        candidate is { ThreadId: { } thread, IsOfHog: false }
        && (candidate.Priority >= EpisodeAnalysis.HogPriority || findings.Facts.Glitches.InputThreads.Contains(thread)
            || candidate.Delay is { Wake.PeriodTicks: > 0 } or { Job.IsOfBeat: true });

    private static bool IsFirst(NamedEpisode episode, BlameFindings findings) =>
        episode.Candidate.IsOfGlitch || HasVictim(episode.Candidate, IsOfMachine(episode.Causes, findings.ThresholdTicks));

    /// <summary>Whether somebody measured waited for it.</summary>
    /// <param name="delaysAll">What <see cref="IsOfMachine"/> says of its parts.</param>
    public static bool HasVictim(EpisodeCandidate candidate, bool delaysAll) =>
        candidate.HasLateThread || candidate.StoppedVictim is not null || candidate.Probe switch
        {
            ProbeKind.Wakeup => true,
            ProbeKind.Job or ProbeKind.Thread => !candidate.IsOfHog && !candidate.IsOfIdleThread,
            _ => delaysAll,
        };

    /// <summary>Whether the machine itself stopped for so long: that delays everyone, even where it falls into a routine.</summary>
    public static bool IsOfMachine(IEnumerable<NamedCause> causes, long thresholdTicks) =>
        causes.Where(cause => cause.Blackout is { IsWholeMachine: true }).Sum(cause => cause.Ticks) >= thresholdTicks;
}
