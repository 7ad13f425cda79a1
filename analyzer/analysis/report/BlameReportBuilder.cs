using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
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
    private const int MostFunctions = 50;

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
        var evidence = new Evidence(_findings, _naming);
        var beats = new BeatSearch(_findings, both, table);
        var left = new WithoutCulprits(
            _findings, judged, _findings.ThresholdTicks, _findings.Ticks(LevelGap.Longest));
        var paths = new CodePaths(_findings, _naming);
        List<Culprit> Culprits(List<Suspect> ranked, long ticks, int of, bool isSecond) =>
        [
            .. ranked.Select((suspect, index) => WithCodePaths(
                CulpritOf(
                    suspect, index + 1, ticks, beats.Of(suspect), left.Without(suspect, index + 1, isSecond), evidence.Of(suspect, of)),
                table,
                paths)),
        ];
        List<Culprit> culprits = Culprits(judged.Suspects, judged.CountedTicks, counted.Count, isSecond: false);
        var warnings = new BlameWarnings(_findings);
        IReadOnlyList<string> missing = WhatIsMissing.Keywords(_summary, _facts);
        Verdict verdict = judged.Verdict;
        Duration? worst = isCoarse ? null : WorstProbe(judged.Episodes);
        bool isNamed = verdict is not (Verdict.None or Verdict.Unknown);
        bool isShort = isNamed && Proportion.IsShort(_findings, judged.Episodes);
        var facts = new ConclusionFacts
        {
            Threshold = _request.Threshold,
            Probe = _request.Probe,
            Waits = judged.Waits.Count,
            WaitingThreads = judged.Waits.Threads,
            WaitsOver = Length(judged.Waits.SpanTicks),
            StandIns = _findings.StandIns is { Count: > 0 } ? _request.MinPriority : null,
            Worst = worst,
            Episodes = counted.Count,
            WorstEpisode = counted.Count > 0 ? counted.Max(episode => Length(episode.Candidate.LatencyTicks)) : null,
            AreWithoutVictim = judged.AreWithoutVictim,
            StoppedPriority = judged.First.Select(episode => episode.Candidate.StoppedPriority)
                .Where(priority => priority >= _request.MinPriority).Max(),
            Missing = missing,
            Lack = judged.Unearned?.Reason,
            WorstCpu = judged.Suspects.Count > 0 ? judged.Suspects[0].WorstCpu : null,
            IsShort = isShort,
            LateTimers = counted.Count(episode => episode.Candidate.Delay.IsOfTimer),
        };
        List<Episode> listed = [.. judged.Episodes.Select((episode, index) =>
            EpisodeOf(episode, index) with { Secondary = isSecond.Contains(episode.Candidate) })];
        var report = new BlameReport
        {
            Trace = _summary,
            Settings = AskedSettings.Of(_request),
            Summary = new BlameSummary
            {
                Verdict = verdict,
                Culprit = isNamed ? culprits[0].Name : null,
                Conclusion = Conclusion.Say(verdict, culprits, facts),
                Probes = judged.Waits.Count,
                Episodes = counted.Count,
                SecondaryEpisodes = judged.Second.Count,
                Worst = worst,
                OverThreshold = Sum(counted.Select(episode => Length(episode.Candidate.LatencyTicks))),
            },
            Culprits = culprits,
            Secondary = judged.Second.Count == 0
                ? null
                : Culprits(
                    judged.Seconds, judged.Second.Sum(episode => episode.Candidate.LatencyTicks), judged.Second.Count, isSecond: true),
            Without = left.Without(_request.Without),
            Cleared = isCoarse ? [] : Clearing.Of(judged, both, _findings),
            Episodes = listed,
            Drivers = isCoarse ? [] : table.Activities(_findings),
            Routines = isCoarse || !_request.WithTables ? null : new RoutineTable(_findings).Routines(table, _naming.Routine),
            Faults = FaultTable.Of(_findings),
            Recording = RecordingOf(),
            Pauses = _findings.Pauses.Count > 0 ? _findings.Pauses : null,
            Profile = _summary.Has.IsrDpc
                ? null
                : new ProfileBuilder(_facts, _modules, _machine, _summary, Length, _request.Names).Make(MostFunctions),
            Groups = EpisodeGroups.Of([.. listed.Where(episode => !episode.Secondary)]),
            Suspect = _request.Suspect is { } asked
                ? new SuspectCaseBuilder(_findings, _naming, judged, evidence, missing).Make(asked)
                : null,
            NextSteps = NextSteps.For(new AdviceCase
            {
                Verdict = verdict,
                Unearned = verdict == Verdict.Unknown && counted.Count == 0 ? judged.Unearned?.Kind : null,
                IsShort = isShort,
                First = isNamed ? culprits[0] : null,
                Worst = listed.Where(episode => !episode.Secondary).MaxBy(episode => episode.Latency),
                Missing = missing,
                HasSamples = _summary.Has.Samples,
                HasStacks = _summary.Has.Stacks,
                Threshold = _request.Threshold,
            }),
            Warnings = warnings.All(counted, judged.UnownedShare, missing),
        };
        List<EpisodeStrips> strips = _request.WithStrips
            ? [.. judged.Episodes.Select((episode, index) => StripsOf(episode.Candidate, index))]
            : [];
        return new BlameResult(report, strips)
        {
            NothingJudged = counted.Count == 0 && verdict == Verdict.Unknown
                && judged.Unearned is { Kind: UnearnedKind.Clock or UnearnedKind.Part or UnearnedKind.Hole or UnearnedKind.FewWaits } lack
                    ? lack.Reason
                    : null,
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

    private RecordingCost? RecordingOf()
    {
        double all = (double)(_summary.Duration?.Nanoseconds ?? 0) * Math.Max(1, _facts.Cpus.Count);
        InterruptCost? profile = CostOf(_facts.ProfileInterrupt.Total);
        InterruptCost? ticks = CostOf(_machine.ClockInterrupts.Total);
        DriverCost? driver = DriverCostOf(_facts.Tracer.Timers);
        return profile is null && ticks is null && driver is null
            ? null
            : new RecordingCost(profile, ticks, all > 0 ? (profile?.Total.Nanoseconds ?? 0) / all : 0) { Driver = driver };
    }

    private static DriverCost? DriverCostOf(TimerStates timers)
    {
        if (timers.OfRuns.Count == 0)
        {
            return null;
        }

        TimerState last = timers.OfRuns[^1];
        return new DriverCost(
            Nanoseconds(timers.OwnNanoseconds),
            Nanoseconds(timers.RunNanoseconds),
            last.FloorNs == 0 ? null : Nanoseconds(last.FloorNs),
            last.TickNs == 0 ? null : Nanoseconds(last.TickNs),
            (long)Math.Min(timers.OfRuns.Sum(state => (double)state.LateTimers), long.MaxValue),
            (long)Math.Min(timers.OfRuns.Sum(state => (double)state.Discarded), long.MaxValue),
            timers.OfRuns.Max(state => state.UnmeasuredCpus));

        static Duration Nanoseconds(double ns) => new((long)Math.Min(ns, long.MaxValue));
    }

    private InterruptCost? CostOf(InterruptTotal? total) =>
        total is { } known ? new InterruptCost(known.Count, Length(known.Ticks)) : null;

    private static Duration Sum(IEnumerable<Duration> durations) =>
        durations.Aggregate(Duration.Zero, static (sum, duration) => sum + duration);

    private Duration Length(long ticks) => _findings.Length(ticks);

    private Duration Time(long ticks) => _findings.Time(ticks);

    private Culprit CulpritOf(
        Suspect suspect,
        int rank,
        long allTicks,
        (Period? Period, IReadOnlyList<string> Sentences)? beat,
        WithoutCulprit? without,
        IReadOnlyList<string> evidence)
    {
        NamedCause main = suspect.Main;
        List<FunctionTime> functions = [.. suspect.Parts.Where(part => part.Cause.Routine is not null)
            .GroupBy(part => part.Cause.Routine!)
            .Select(group => (
                Name: group.Key, Ticks: group.Sum(part => part.Cause.Ticks), Samples: group.Sum(part => SamplesOf(part.Cause))))
            .OrderByDescending(function => function.Ticks).ThenBy(function => function.Name, StringComparer.Ordinal).Take(MostFunctions)
            .Select(function => new FunctionTime { Name = function.Name, Time = Length(function.Ticks), Samples = function.Samples })];
        return new Culprit
        {
            Rank = rank,
            Kind = suspect.Kind,
            Name = suspect.Name,
            Mechanism = suspect.Mechanism,
            Share = allTicks > 0 ? suspect.Ticks / (double)allTicks : 0,
            Blamed = Length(suspect.Ticks),
            Episodes = suspect.Episodes,
            Worst = Length(suspect.WorstTicks),
            Confidence = suspect.Confidence,
            Proof = main.Proof,
            Through = main.Through,
            Functions = functions,
            Period = beat?.Period,
            Without = without,
            Image = main.Image?.Description,
            RunsFirmware = suspect.Kind == CulpritKind.Driver && main.Image is { } own && _modules.RoleOf(own) == ModuleRole.Firmware,
            Device = main.Image is { } image ? _facts.Devices.DeviceOf(image.Name) : null,
            Evidence = [.. evidence, .. beat?.Sentences ?? []],
        };
    }

    private static Culprit WithCodePaths(Culprit culprit, DriverTable table, CodePaths paths) =>
        culprit.Kind is CulpritKind.Driver or CulpritKind.Kernel && culprit.Mechanism is Mechanism.Isr or Mechanism.Dpc
            ? culprit with
            {
                Evidence =
                [
                    .. culprit.Evidence,
                    .. paths.Of(table.Find(culprit.Name), 1),
                ],
            }
            : culprit;

    /// <summary>
    /// The number of samples behind a cause. At the edges of a blackout that is one; the count in its finding is of blackouts.
    /// </summary>
    private static int SamplesOf(NamedCause cause) =>
        cause.Finding is not { } finding ? 0 : cause.Proof == Proof.Edges ? 1 : finding.Samples;

    private Episode EpisodeOf(NamedEpisode named, int id)
    {
        EpisodeCandidate candidate = named.Candidate;
        Duration latency = Length(candidate.LatencyTicks);
        return new Episode
        {
            Id = id,
            Probe = candidate.Probe,
            Start = Time(candidate.FromTicks),
            StartUtc = _summary.StartUtc is not null && _findings.Clock.FileTimeAt(candidate.FromTicks) is { } time
                ? DateTime.FromFileTimeUtc(time)
                : null,
            Latency = latency,
            Cpu = candidate.Cpu,
            Thread = (candidate.ThreadId ?? candidate.StoppedVictim) is { } thread ? VictimOf(thread, candidate) : null,
            Phases = candidate.Delay.Wakeup is { } wakeup ? PhasesOf(wakeup)
                : candidate.Path is { } path ? PhasesOf(path, RanTicks(candidate)) : null,
            Chain = candidate.Path is { } way ? ChainOf(way, RanTicks(candidate)) : null,
            Job = candidate.Delay.Job is { } job ? JobOf(job, candidate.LostTicks) : null,
            Causes = CausesOf(named),
            Samples = SamplesOf(candidate),
            LateTimer = candidate.Delay.IsOfTimer,
        };
    }

    private EpisodeJob JobOf(JobSpan job, long lostTicks) => new()
    {
        Due = job.DueTicks is { } due ? Time(due) : null,
        Ready = job.ReadyTicks is { } ready ? Time(ready) : null,
        Run = Time(job.RunTicks),
        Work = Length(job.EndTicks - job.FromTicks - lostTicks),
        Lost = Length(lostTicks),
        End = Time(job.EndTicks),
        Deadline = job.DeadlineTicks is { } deadline ? Time(deadline) : null,
    };

    private VictimThread VictimOf(uint thread, EpisodeCandidate candidate)
    {
        uint? process = _facts.Threads.ProcessOf(thread, candidate.ToTicks);
        return new VictimThread
        {
            Pid = process,
            Tid = thread,
            Process = process is { } id ? _facts.Threads.NameOf(id, candidate.ToTicks) : null,
            Priority = candidate.StoppedVictim is null ? candidate.Priority : candidate.StoppedPriority,
        };
    }

    private LatencyPhases PhasesOf(MeasuredWakeup wakeup) => new()
    {
        Interrupt = wakeup.IsrTicks is { } isr ? Length(isr - wakeup.FromTicks) : null,
        Dpc = (wakeup.IsrTicks ?? wakeup.QueuedTicks) is { } from && wakeup.DpcTicks is { } dpc ? Length(dpc - from) : null,
        Thread = wakeup is { DpcTicks: { } ended, ThreadTicks: { } thread } ? Length(thread - ended) : null,
    };

    /// <summary>When the thread first ran, whatever held it after that, in ticks.</summary>
    private static long RanTicks(EpisodeCandidate candidate) =>
        candidate.Delay.Holds.Count > 0 ? candidate.Delay.Holds[0].Served.Ticks : candidate.ToTicks;

    private LatencyPhases PhasesOf(WakeupPath path, long ranTicks) => new()
    {
        Interrupt = path.Interrupt is { } isr ? Length(path.Queued.Ticks - isr.StartTicks) : null,
        Dpc = Length(path.Dpc.StartTicks - path.Queued.Ticks),
        Thread = Length(ranTicks - path.Dpc.StartTicks),
    };

    private WakeupChain ChainOf(WakeupPath path, long ranTicks)
    {
        long from = path.Queued.Ticks;
        return new WakeupChain
        {
            Interrupt = path.Interrupt is { } began ? Length(began.StartTicks - from) : null,
            InterruptRoutine = path.Interrupt is { } isr ? _naming.Routine(isr.Routine, isr.EndTicks) : null,
            InterruptCpu = path.Queued.Cpu,
            Enqueue = Duration.Zero,
            QueueDepth = path.Queued.Depth,
            Importance = DeferredDpcs.ImportanceOf(path.Queued.Importance),
            TargetCpu = path.DpcCpu,
            DpcStart = Length(path.Dpc.StartTicks - from),
            DpcRoutine = _naming.Routine(path.Dpc.Routine, path.Dpc.EndTicks),
            Ready = Length(path.ReadyTicks - from),
            Run = Length(ranTicks - from),
        };
    }

    private List<Cause> CausesOf(NamedEpisode named)
    {
        List<Cause> causes = [];
        long ticks = 0;
        foreach (var group in named.Causes.GroupBy(cause => (cause.Name, cause.Mechanism, cause.Behind, Chain: ChainText(cause)))
            .Select(group => (group.Key, Ticks: group.Sum(cause => cause.Ticks), Main: group.MaxBy(cause => cause.Ticks)!))
            .OrderByDescending(group => group.Ticks).ThenBy(group => group.Key.Name, StringComparer.Ordinal)
            .ThenBy(group => group.Key.Mechanism).ThenBy(group => group.Key.Chain, StringComparer.Ordinal))
        {
            // Each time is the difference of two rounded sums, so that all rounding errors together stay below a nanosecond.
            Duration before = Length(ticks);
            ticks += group.Ticks;
            causes.Add(new Cause
            {
                Culprit = group.Key.Name,
                Mechanism = group.Key.Mechanism,
                Time = Length(ticks) - before,
                Routine = group.Main.Routine,
                Chain = group.Main.Share is { Chain: { Count: > 0 } chain } ? [.. chain.Select(LinkOf)] : null,
            });
        }

        return causes;
    }

    /// <summary>Tells chains through other threads apart.</summary>
    private static string ChainText(NamedCause cause) => cause.Share is { Chain: { Count: > 0 } chain }
        ? string.Join(' ', chain.Select(step => step.ThreadId))
        : string.Empty;

    private ChainLink LinkOf(ChainStep step) => new()
    {
        Thread = step.ThreadId,
        Process = _facts.Threads.ProcessOf(step.ThreadId, step.AtTicks) is { } process
            ? _facts.Threads.NameOf(process, step.AtTicks)
            : null,
        Why = step.Why switch
        {
            ChainWhy.Ready => "waited for a CPU",
            ChainWhy.Interrupted => "was interrupted",
            ChainWhy.Page => "waited for a page",
            ChainWhy.Waited => "waited",
            _ => "ran",
        },
    };

    private EpisodeSamples SamplesOf(EpisodeCandidate candidate)
    {
        List<SampledFunction> functions = [];
        var names = new AddressNames(_facts, _modules, _request.Names);
        foreach ((ulong address, int count, uint thread) in candidate.Samples)
        {
            functions.Add(names.Function(address, 0, candidate.FromTicks, count, thread));
        }

        List<SampledFunction> merged = [.. functions.GroupBy(function => (function.Module, function.Function))
            .Select(AddressNames.Sum)
            .OrderByDescending(function => function.Count).ThenBy(function => function.Module, StringComparer.Ordinal)
            .ThenBy(function => function.Function, StringComparer.Ordinal)];
        return new EpisodeSamples { Total = candidate.Samples.Sum(sample => sample.Count), Functions = merged };
    }

    private EpisodeStrips StripsOf(EpisodeCandidate candidate, int id) => new(
        id,
        () => [.. candidate.Strips.Select(strip => new CpuStrip(strip.Cpu, [.. strip.Spans.Select(span => new StripSpan(
            Length(span.FromTicks - candidate.FromTicks),
            Length(span.ToTicks - span.FromTicks),
            span.Kind,
            _spans.LabelOf(span)))]))]);
}
