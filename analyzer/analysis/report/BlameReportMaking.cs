using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Makes the report from what the passes have found.</summary>
internal sealed class BlameReportMaking
{
    private const int MostFunctions = 50;

    /// <summary>One switch in so many may be missing.</summary>
    private const int MostBrokenOf = 100;

    private readonly BlameFindings _findings;
    private readonly BlameRequest _request;
    private readonly TraceSummary _summary;
    private readonly TraceFacts _facts;
    private readonly ModuleMap _modules;
    private readonly MachineState _machine;
    private readonly CauseNaming _naming;

    /// <summary>Takes what was found.</summary>
    public BlameReportMaking(BlameFindings findings)
    {
        _findings = findings;
        _request = findings.Request;
        _summary = findings.Summary;
        _facts = findings.Facts;
        _modules = findings.Modules;
        _machine = findings.Machine;
        _naming = new CauseNaming(findings, Ticks(_request.Threshold));
    }

    /// <summary>Makes it.</summary>
    public BlameResult Make()
    {
        long? coarse = _machine.Steps.Coarse(_summary.Clock == Etl.TraceClockKind.SystemTime);
        List<NamedEpisode> all = coarse is null ? [.. _findings.Causes.Episodes.Where(IsBelievable).Select(Named)] : [];
        Dictionary<EpisodeCandidate, NamedEpisode> named = all.ToDictionary(episode => episode.Candidate);
        List<NamedEpisode> episodes =
            MaskedTimes.Joined([.. EpisodeSelection.Select(named.Keys).Select(candidate => named[candidate])]);
        DriverTable table = DriverTable.Of(_findings);
        if (ExternalBeat.Of(_findings, episodes, table, Probes()) is { } outside)
        {
            all = [.. all.Select(outside.Reassigned)];
            episodes = [.. episodes.Select(outside.Reassigned)];
        }

        (List<NamedEpisode> first, List<NamedEpisode> second) = Rankings(episodes);
        List<Suspect> suspects = BlameRanking.Rank(first);
        List<Suspect> seconds = BlameRanking.Rank(second);
        List<Suspect> both = [.. suspects, .. seconds];
        HashSet<EpisodeCandidate> isSecond = [.. second.Select(episode => episode.Candidate)];
        List<NamedEpisode> counted = [.. episodes.Where(episode => !isSecond.Contains(episode.Candidate))];
        long allTicks = counted.Sum(episode => episode.Candidate.LatencyTicks);
        long ownedTicks = counted.Sum(episode => episode.Causes.Where(cause => cause.Name is not null).Sum(cause => cause.Ticks));
        long timerTicks = counted.Sum(episode => episode.TimerTicks);
        double unowned = allTicks > 0 ? (allTicks - timerTicks - ownedTicks) / (double)allTicks : 0;
        var evidence = new Evidence(_findings, _naming);
        var beats = new BeatSearch(_findings, both, table);
        var left = new WhatIsLeft(_findings, all, Ticks(_request.Threshold), Ticks(new Duration(LevelWatch.GapNanoseconds)));
        var paths = new CodePaths(_findings, _naming);
        List<Culprit> Culprits(List<Suspect> ranked, long ticks, int of) => [.. ranked.Select((suspect, index) => WithCodePaths(
            CulpritOf(suspect, index + 1, ticks, beats.Of(suspect), left.Without(suspect, index + 1), evidence.Of(suspect, of)),
            table,
            paths))];
        List<Culprit> culprits = Culprits(suspects, allTicks, counted.Count);
        var warnings = new BlameWarnings(_findings);
        IReadOnlyList<string> missing = BlameWarnings.Missing(_summary, _facts);
        int missed = MissedBeats();
        Verdict verdict = coarse is null ? Conclusion.Of(culprits, unowned, first.Count, CanTell() && missed == 0) : Verdict.Unknown;
        Duration? worst = coarse is null ? WorstProbe(episodes) : null;
        var facts = new ConclusionFacts
        {
            Threshold = _request.Threshold,
            Probes = Probes(),
            Worst = worst,
            Episodes = counted.Count,
            WorstEpisode = counted.Count > 0 ? counted.Max(episode => Length(episode.Candidate.LatencyTicks)) : null,
            AreWithoutVictim = Probes() > 0 && first.Count > 0 && !first.Exists(IsFirst),
            Missing = missing,
            MissedBeats = missed,
            ClockStep = coarse is { } step ? Length(step) : null,
        };
        bool isNamed = verdict is not (Verdict.None or Verdict.Unknown);
        List<Episode> listed = [.. episodes.Select((episode, index) =>
            EpisodeOf(episode, index) with { Secondary = isSecond.Contains(episode.Candidate) })];
        var report = new BlameReport
        {
            Trace = _summary,
            Settings = new BlameSettings { Threshold = _request.Threshold, Probe = _request.Probe, MinPriority = _request.MinPriority },
            Summary = new BlameSummary
            {
                Verdict = verdict,
                Culprit = isNamed ? culprits[0].Name : null,
                Conclusion = Conclusion.Say(verdict, culprits, facts),
                Probes = Probes(),
                Episodes = counted.Count,
                SecondaryEpisodes = second.Count,
                Worst = worst,
                OverThreshold = Sum(counted.Select(episode => Length(episode.Candidate.LatencyTicks))),
            },
            Culprits = culprits,
            Secondary = second.Count == 0 ? null : Culprits(seconds, second.Sum(episode => episode.Candidate.LatencyTicks), second.Count),
            Without = left.Without(_request.Without),
            Cleared = coarse is null ? Clearing.Of(table, both, episodes, _findings, Ticks(_request.Threshold)) : [],
            Episodes = listed,
            Drivers = coarse is null ? table.Activities(_findings) : [],
            Recording = RecordingOf(),
            Profile = _summary.Has.IsrDpc
                ? null
                : new ProfileMaking(_facts, _modules, _machine, _summary, Length, _request.Names).Make(MostFunctions),
            Groups = EpisodeGroups.Of([.. listed.Where(episode => !episode.Secondary)]),
            Suspect = _request.Suspect is { } asked
                ? new SuspectCaseMaking(_findings, _naming, table, episodes, suspects, evidence, missing, CanTell()).Make(asked)
                : null,
            Warnings = warnings.All(counted, unowned, missing),
        };
        List<EpisodeStrips> strips = _request.WithStrips
            ? [.. episodes.Select((episode, index) => StripsOf(episode.Candidate, index))]
            : [];
        return new BlameResult(report, strips) { Usage = _findings.Usage };
    }

    /// <summary>
    /// What the verdict is drawn from, and what stands behind it: waits that nobody of the priority asked for had. What is late only
    /// because timers are no finer has no culprit, and does not keep the rest from being heard.
    /// </summary>
    private (List<NamedEpisode> First, List<NamedEpisode> Second) Rankings(List<NamedEpisode> episodes)
    {
        List<NamedEpisode> interfered =
            [.. episodes.Where(episode => episode.Candidate.LatencyTicks - episode.TimerTicks >= Ticks(_request.Threshold))];
        List<NamedEpisode> first = [.. interfered.Where(IsFirst)];
        return first.Count == 0 ? (interfered, []) : (first, [.. interfered.Except(first)]);
    }

    private bool IsFirst(NamedEpisode episode) => episode.Candidate.HasLateThread || episode.Candidate.Probe switch
    {
        ProbeKind.Wakeup => true,
        ProbeKind.Thread => !episode.Candidate.IsOfHog,
        // A stop of the machine keeps everybody, also where it falls into a routine.
        _ => episode.Causes.Where(cause => cause.Blackout is { IsWholeMachine: true }).Sum(cause => cause.Ticks)
            >= Ticks(_request.Threshold),
    };

    private RecordingCost? RecordingOf()
    {
        double all = (double)(_summary.Duration?.Nanoseconds ?? 0) * Math.Max(1, _facts.Cpus.Count);
        InterruptCost? profile = CostOf(_facts.ProfileInterrupt.Total);
        InterruptCost? ticks = CostOf(_machine.ClockInterrupts.Total);
        return profile is null && ticks is null
            ? null
            : new RecordingCost(profile, ticks, all > 0 ? (profile?.Total.Nanoseconds ?? 0) / all : 0);
    }

    private InterruptCost? CostOf(InterruptTotal? total) =>
        total is { } known ? new InterruptCost(known.Count, Length(known.Ticks)) : null;

    private static Duration Sum(IEnumerable<Duration> durations) =>
        durations.Aggregate(Duration.Zero, static (sum, duration) => sum + duration);

    private Duration Length(long ticks) => _findings.Length(ticks);

    private Duration Time(long ticks) => _findings.Time(ticks);

    private long Ticks(Duration duration) => (long)((Int128)duration.Nanoseconds * _findings.Clock.TicksPerSecond / 1_000_000_000);

    private long Probes() => _findings.Delays.Probes - _findings.Causes.AcrossLoss + (WantsWakeups() ? _facts.Tracer.Wakeups.Count : 0);

    private bool WantsWakeups() => _request.Probe is ProbeChoice.Auto or ProbeChoice.Wakeup;

    /// <summary>Whether a victim would have shown in this trace.</summary>
    private bool CanTell() => Probes() > 0
        || (_request.Probe == ProbeChoice.Level && _summary.Has.IsrDpc)
        || (_request.Probe == ProbeChoice.Gap && _summary.Has.Samples)
        || (_summary.Has is { IsrDpc: true, ContextSwitches: true, ReadyThread: true } && _machine.Switches > 0);

    private Duration? WorstProbe(List<NamedEpisode> episodes)
    {
        long? worst = _findings.Delays.WorstTicks;
        foreach (NamedEpisode episode in episodes)
        {
            worst = Math.Max(worst ?? 0, episode.Candidate.LatencyTicks);
        }

        if (WantsWakeups())
        {
            foreach (MeasuredWakeup wakeup in _facts.Tracer.Wakeups)
            {
                worst = Math.Max(worst ?? 0, wakeup.ServedTicks - wakeup.ExpectedTicks);
            }
        }

        return worst is { } ticks ? Length(ticks) : null;
    }

    /// <summary>Where many switches are missing the trace was filtered: that a CPU shows nothing says nothing.</summary>
    private bool IsBelievable(EpisodeCandidate candidate) => candidate.IsLateByBeat ? IsLate(candidate)
        : candidate.Probe != ProbeKind.Gap
        || (_machine.BrokenSwitches * MostBrokenOf <= _machine.Switches && candidate.Gap is not { IsTentative: true });

    /// <summary>
    /// Whether a thread whose wake-up came later than its beat was kept waiting: what the CPU of its timer did explains the time. It needs
    /// less where the next wake-up was back on the old beat: else the thread may have chosen to sleep longer. That a sample of an idle CPU
    /// came late explains nothing by itself: the thread may have waited for the next tick of the clock.
    /// </summary>
    private bool IsLate(EpisodeCandidate candidate)
    {
        const double MostlyExplained = 0.8;
        long explained = candidate.Before
            .Where(share => share.Blackout is not { IsTentative: true })
            .Where(share => IsBackOnBeat(candidate) || share.Mechanism is Mechanism.Isr or Mechanism.Dpc or Mechanism.Blackout)
            .Sum(share => share.Ticks);
        return explained >= (IsBackOnBeat(candidate) ? 0.5 : MostlyExplained) * (candidate.ReadyTicks - candidate.FromTicks);
    }

    private bool IsBackOnBeat(EpisodeCandidate late) => _findings.Delays.Back.Contains(late.Delay);

    /// <summary>How often a thread was late by its own beat, and nothing shows why.</summary>
    private int MissedBeats() => _findings.Causes.Episodes.Count(candidate => candidate.IsLateByBeat && IsBackOnBeat(candidate)
        && !IsLate(candidate) && candidate.ReadyTicks - candidate.FromTicks > GranularityOf(candidate.Delay.PeriodTicks));

    /// <summary>
    /// By how much timers of a beat may be late without anybody's doing, in ticks: they are served by the system's clock, which ticks every
    /// 15.625 ms. A beat that is no multiple of that shows that a program asked for finer ticks, of a millisecond as a rule.
    /// </summary>
    private long GranularityOf(long periodTicks)
    {
        const long UsualTickNanoseconds = 15_625_000;
        const long FineTicksNanoseconds = 2_000_000;
        long usual = Ticks(new Duration(UsualTickNanoseconds));
        long tolerance = Ticks(_request.Threshold) / 4;
        long past = usual > 0 ? periodTicks % usual : 0;
        return tolerance + (Math.Min(past, usual - past) <= tolerance ? usual : Ticks(new Duration(FineTicksNanoseconds)));
    }

    private NamedEpisode Named(EpisodeCandidate candidate) =>
        new(candidate, [.. candidate.Causes.SelectMany(share => _naming.Name(share).Select(cause => cause with { Share = share }))]);

    private Culprit CulpritOf(
        Suspect suspect,
        int rank,
        long allTicks,
        (Period? Period, IReadOnlyList<string> Evidence)? beat,
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
            Device = main.Image is { } image ? _facts.Devices.DeviceOf(image.Name) : null,
            Evidence = [.. evidence, .. beat?.Evidence ?? []],
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

    /// <summary>At the edges of a blackout stands one; what a finding counts there is blackouts.</summary>
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
            Latency = latency,
            Cpu = candidate.Cpu,
            Thread = candidate.ThreadId is { } thread ? VictimOf(thread, candidate) : null,
            Phases = candidate.Delay.Wakeup is { } wakeup ? PhasesOf(wakeup)
                : candidate.Trail is { } trail ? PhasesOf(trail, RanTicks(candidate)) : null,
            Chain = candidate.Trail is { } way ? ChainOf(way, RanTicks(candidate)) : null,
            Causes = CausesOf(named),
            Samples = SamplesOf(candidate),
        };
    }

    private VictimThread VictimOf(uint thread, EpisodeCandidate candidate)
    {
        uint? process = _facts.Threads.ProcessOf(thread, candidate.ToTicks);
        return new VictimThread
        {
            Pid = process,
            Tid = thread,
            Process = process is { } id ? _facts.Threads.NameOf(id, candidate.ToTicks) : null,
            Priority = candidate.Priority,
        };
    }

    private LatencyPhases PhasesOf(MeasuredWakeup wakeup) => new()
    {
        Interrupt = wakeup.IsrTicks is { } isr ? Length(isr - wakeup.ExpectedTicks) : null,
        Dpc = wakeup is { IsrTicks: { } from, DpcTicks: { } dpc } ? Length(dpc - from) : null,
        Thread = wakeup is { DpcTicks: { } ended, ThreadTicks: { } thread } ? Length(thread - ended) : null,
    };

    /// <summary>When the thread first ran, whatever held it then.</summary>
    private static long RanTicks(EpisodeCandidate candidate) =>
        candidate.Delay.Holds.Count > 0 ? candidate.Delay.Holds[0].Served.Ticks : candidate.ToTicks;

    private LatencyPhases PhasesOf(WakeupTrail trail, long ranTicks) => new()
    {
        Interrupt = trail.Interrupt is { } isr ? Length(trail.Queued.Ticks - isr.StartTicks) : null,
        Dpc = Length(trail.Dpc.StartTicks - trail.Queued.Ticks),
        Thread = Length(ranTicks - trail.Dpc.StartTicks),
    };

    private WakeupChain ChainOf(WakeupTrail trail, long ranTicks)
    {
        long from = trail.Queued.Ticks;
        return new WakeupChain
        {
            Interrupt = trail.Interrupt is { } began ? Length(began.StartTicks - from) : null,
            InterruptRoutine = trail.Interrupt is { } isr ? _naming.Routine(isr.Routine, isr.EndTicks) : null,
            InterruptCpu = trail.Queued.Cpu,
            Enqueue = Duration.Zero,
            QueueDepth = trail.Queued.Depth,
            Importance = DeferredDpcs.ImportanceOf(trail.Queued.Importance),
            TargetCpu = trail.DpcCpu,
            DpcStart = Length(trail.Dpc.StartTicks - from),
            DpcRoutine = _naming.Routine(trail.Dpc.Routine, trail.Dpc.EndTicks),
            Ready = Length(trail.ReadyTicks - from),
            Run = Length(ranTicks - from),
        };
    }

    private List<Cause> CausesOf(NamedEpisode named)
    {
        List<Cause> causes = [];
        long ticks = 0;
        foreach (var group in named.Causes.GroupBy(cause => (cause.Name, cause.Mechanism, cause.Behind))
            .Select(group => (group.Key, Ticks: group.Sum(cause => cause.Ticks), Main: group.MaxBy(cause => cause.Ticks)!))
            .OrderByDescending(group => group.Ticks).ThenBy(group => group.Key.Name, StringComparer.Ordinal)
            .ThenBy(group => group.Key.Mechanism))
        {
            // Each from the end of the one before: what all are rounded by together stays below a nanosecond.
            Duration before = Length(ticks);
            ticks += group.Ticks;
            causes.Add(new Cause
            {
                Culprit = group.Key.Name,
                Mechanism = group.Key.Mechanism,
                Time = Length(ticks) - before,
                Routine = group.Main.Routine,
            });
        }

        return causes;
    }

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
        [.. candidate.Strips.Select(strip => new CpuStrip(strip.Cpu, [.. strip.Spans.Select(span => new StripSpan(
            Length(span.FromTicks - candidate.FromTicks),
            Length(span.ToTicks - span.FromTicks),
            span.Kind,
            LabelOf(span)))]))]);

    private string LabelOfRoutine(in RawStripSpan span)
    {
        if (_findings.Periodic.NameOf(span.Routine) is { } periodic)
        {
            return periodic;
        }

        OwnerFinding? found = span.Owner is { Owner: null, Behind: { } framework } unknown
            ? _findings.Behind.Of(unknown, framework)
            : span.Owner;
        return found?.Owner?.Name ?? _modules.Find(span.Routine, span.FromTicks)?.Name ?? string.Empty;
    }

    private string LabelOf(in RawStripSpan span)
    {
        if (span.Kind is StripKind.Isr or StripKind.Dpc)
        {
            return LabelOfRoutine(in span);
        }

        return span.Kind == StripKind.Thread && _facts.Threads.ProcessOf(span.ThreadId, span.FromTicks) is { } process
            ? _facts.Threads.NameOf(process, span.FromTicks) ?? string.Empty
            : string.Empty;
    }
}
