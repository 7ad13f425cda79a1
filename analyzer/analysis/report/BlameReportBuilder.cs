using Tracer.Analysis.Causes;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Request;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>Builds the report from the results of the passes.</summary>
internal sealed class BlameReportBuilder
{
    private readonly BlameFindings _findings;
    private readonly BlameRequest _request;
    private readonly TraceSummary _summary;
    private readonly TraceFacts _facts;
    private readonly ModuleMap _modules;
    private readonly MachineState _machine;
    private readonly CauseNaming _naming;
    private readonly SpanNames _spans;

    public BlameReportBuilder(BlameFindings findings)
    {
        _findings = findings;
        _request = findings.Request;
        _summary = findings.Summary;
        _facts = findings.Facts;
        _modules = findings.Modules;
        _machine = findings.Machine;
        _naming = new CauseNaming(findings, findings.ThresholdTicks);
        _spans = new SpanNames(findings);
    }

    public BlameResult Make()
    {
        Judgement judged = Judgement.Of(_findings, _naming);
        List<Suspect> both = [.. judged.Suspects, .. judged.Seconds];
        HashSet<EpisodeCandidate> isSecond = [.. judged.Second.Select(episode => episode.Candidate)];
        IReadOnlyList<NamedEpisode> counted = judged.Counted;
        DriverTable table = judged.Table;
        bool isCoarse = judged.CoarseTicks is not null;
        var makes = new CulpritMaker(_findings, _naming, judged);
        List<Culprit> culprits = makes.Make(judged.Suspects, judged.CountedTicks, counted.Count, isSecond: false);
        var warnings = new BlameWarnings(_findings);
        IReadOnlyList<string> missing = WhatIsMissing.Keywords(_summary, _facts);
        Verdict verdict = judged.Verdict;
        Duration? worst = isCoarse ? null : WorstProbe(judged.Episodes);
        bool isNamed = verdict is not (Verdict.None or Verdict.Unknown);
        bool isShort = isNamed && Proportion.IsShort(_findings, judged.Episodes);
        var episodes = new EpisodeMaker(_findings, _naming, _spans);
        List<Episode> listed = [.. judged.Episodes.Select((episode, index) =>
            episodes.Make(episode, index) with { Secondary = isSecond.Contains(episode.Candidate) })];
        var glitches = new GlitchMaker(_findings, judged.Episodes);
        GlitchCounts? glitchCounts = glitches.Counts();
        var report = new BlameReport
        {
            Trace = _summary,
            Settings = AskedSettings.Of(_request),
            Summary = new BlameSummary
            {
                Verdict = verdict,
                Culprit = isNamed ? culprits[0].Name : null,
                Conclusion = glitches.Headline(glitchCounts, LengthOfAsked())
                    + new Conclusion(_findings, judged, missing, worst, isShort).Say(culprits),
                Glitches = glitchCounts,
                Probes = judged.Waits.Count,
                Episodes = counted.Count,
                SecondaryEpisodes = judged.Second.Count,
                Worst = worst,
                OverThreshold = Sum(counted.Select(episode => Length(episode.Candidate.LatencyTicks))),
            },
            Culprits = culprits,
            Secondary = judged.Second.Count == 0
                ? null
                : makes.Make(
                    judged.Seconds, judged.Second.Sum(episode => episode.Candidate.LatencyTicks), judged.Second.Count, isSecond: true),
            Without = makes.Left.Without(_request.Without),
            Glitches = glitches.All.Count > 0 ? glitches.All : null,
            Cleared = isCoarse ? [] : Clearing.Of(judged, both, _findings),
            Episodes = listed,
            Drivers = isCoarse ? [] : table.Activities(_findings),
            Routines = isCoarse || !_request.WithTables ? null : new RoutineTable(_findings).Routines(table, _naming.Routine),
            Faults = FaultTable.Of(_findings),
            Recording = new RecordingMaker(_findings).Make(),
            Pauses = _findings.Pauses.Count > 0 ? _findings.Pauses : null,
            Profile = _summary.Has.IsrDpc
                ? null
                : new ProfileBuilder(_facts, _modules, _machine, _summary, Length, _request.Names).Make(CulpritMaker.MostFunctions),
            Groups = EpisodeGroups.Of([.. listed.Where(episode => !episode.Secondary)]),
            Suspect = _request.Suspect is { } asked
                ? new SuspectCaseBuilder(_findings, _naming, judged, makes.Evidence, missing).Make(asked)
                : null,
            NextSteps = NextSteps.For(new AdviceCase
            {
                Verdict = verdict,
                Unearned = verdict == Verdict.Unknown && counted.Count == 0 ? judged.Unearned?.Kind : null,
                IsShort = isShort,
                First = isNamed ? culprits[0] : null,
                IsOnOneCpu = isNamed && _summary.Cpus > 1
                    && table.Find(culprits[0].Name)?.Dpc is { PerCpu.All.Length: 1, Counts.Count: >= Spread.FewestRuns },
                IsOfSingleCpus = isNamed && judged.Suspects[0].IsOfSingleCpus,
                IsDriverOfAllCpus = isNamed && judged.Suspects[0] is { Kind: CulpritKind.Driver, IsOfAllCpus: true },
                IsWaitedFor = isNamed && judged.Suspects[0].IsWaitedFor,
                IsFromIdle = counted.Count > 0 && !_summary.Has.Power
                    && counted.All(episode => 2 * episode.Candidate.IdleTicks >= episode.Candidate.LatencyTicks),
                IsBatch = isNamed && judged.Suspects is [{ Main.Finding.Carrier: not null }, ..],
                Worst = listed.Where(episode => !episode.Secondary).MaxBy(episode => episode.Latency),
                Missing = missing,
                HasSamples = _summary.Has.Samples,
                HasStacks = _summary.Has.Stacks,
                HasAudioGlitches = glitchCounts is { Audio: > 0 },
                Threshold = _request.Threshold,
            }),
            Warnings = warnings.All(counted, judged.UnownedShare, missing),
        };
        List<EpisodeStrips> strips = _request.WithStrips
            ? [.. judged.Episodes.Select((episode, index) => episodes.StripsOf(episode.Candidate, index))]
            : [];
        return new BlameResult(report, strips)
        {
            NothingJudged = counted.Count == 0 && verdict == Verdict.Unknown
                && judged.Unearned is { Kind: UnearnedKind.Clock or UnearnedKind.Part or UnearnedKind.Hole or UnearnedKind.FewWaits } lack
                    ? lack.Reason
                    : null,
            IsShownBelowLimit = EarnedNone.IsShownBelow(_findings, judged),
            LimitUntold = report.WorstOfFirst >= _request.Limit ? null : EarnedNone.WhyNotBelow(_findings, judged),
            Usage = _findings.Usage,
            TimeBins = _request.WithTimeBins ? new ActivityBinning(_findings, _naming.Routine).Of(table) : null,
            Lanes = _request.WithLanes ? new LanesBuilder(_findings, _naming, _spans).Make(judged.Episodes, isSecond) : null,
        };
    }

    private Duration? WorstProbe(IReadOnlyList<NamedEpisode> episodes)
    {
        long? worst = _findings.Delays.WorstTicks;
        foreach (NamedEpisode episode in episodes)
        {
            worst = Math.Max(worst ?? 0, episode.Candidate.LatencyTicks);
        }

        foreach (MeasuredWakeup wakeup in _findings.Wakeups)
        {
            worst = Math.Max(Math.Max(worst ?? 0, wakeup.ServedTicks - wakeup.FromTicks), wakeup.TimerLateTicks);
        }

        return worst is { } ticks ? Length(ticks) : null;
    }

    /// <summary>How much of the trace was asked about; null where its length is not known, or is none that a clock can show.</summary>
    private Duration? LengthOfAsked()
    {
        if (_summary.Duration is null)
        {
            return null;
        }

        // Of a slice the header lies before its first event.
        (Duration start, Duration end) = (Time(_findings.Facts.FirstTicks), Time(_findings.Facts.LastTicks));
        Duration from = _request.From is { } first && first > start ? first : start;
        Duration to = _request.To is { } last && last < end ? last : end;
        return to > from && (Int128)to.Nanoseconds - from.Nanoseconds <= long.MaxValue ? to - from : null;
    }

    private static Duration Sum(IEnumerable<Duration> durations) =>
        durations.Aggregate(Duration.Zero, static (sum, duration) => sum + duration);

    private Duration Length(long ticks) => _findings.Length(ticks);

    private Duration Time(long ticks) => _findings.Time(ticks);
}
