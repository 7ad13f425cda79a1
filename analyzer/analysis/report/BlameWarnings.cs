using Tracer.Analysis.Causes;
using Tracer.Analysis.Contents;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Report;

/// <summary>Writes the warnings: what the trace does not show, and what to record to see it.</summary>
internal sealed class BlameWarnings
{
    private const int StretchesNamed = 3;

    /// <summary>A lack that concerns less than this share of all late time gets no advice: it would not change the verdict.</summary>
    private const double LeastShare = 0.02;

    private readonly BlameFindings _findings;
    private readonly TraceSummary _summary;
    private readonly LaneCounts _counts;
    private readonly CauseFindings _causes;
    private readonly ThreadDelays _delays;
    private readonly Blackouts _blackouts;
    private readonly LossMap _losses;
    private readonly FrameworkOwners _behind;
    private readonly WorkBudget _budget;
    private readonly TraceFacts _facts;
    private readonly TraceClock _clock;
    private readonly long _ticksPerSecond;
    private readonly Duration _threshold;
    private readonly IReadOnlyList<MachinePause> _pauses;
    private readonly IReadOnlyList<MachinePause> _sleeps;

    public BlameWarnings(BlameFindings findings)
    {
        _findings = findings;
        _summary = findings.Summary;
        _counts = findings.Machine.Counts;
        _causes = findings.Causes;
        _delays = findings.Delays;
        _blackouts = findings.Causes.Blackouts;
        _losses = findings.Machine.Losses;
        _behind = findings.Behind;
        _budget = findings.Budget;
        _facts = findings.Facts;
        _clock = findings.Clock;
        _ticksPerSecond = findings.Clock.TicksPerSecond;
        _threshold = findings.Request.Threshold;
        _pauses = findings.Pauses;
        _sleeps = findings.Sleeps;
    }

    /// <summary>The warnings, the most important first.</summary>
    public List<string> All(IReadOnlyList<NamedEpisode> episodes, double unownedShare, IReadOnlyList<string> missing)
    {
        List<string> warnings = [.. _summary.Doubts ?? []];
        RecordedKinds has = _summary.Has;
        if (missing.Count > 0)
        {
            warnings.Add(Text($"Not recorded, so not judged: record {string.Join(", ", missing)} as well."));
        }

        if (_counts.Switches == 0 || !has.ReadyThread)
        {
            warnings.Add(has.Wakeups
                ? "Only measured wake-ups are judged, not those of other threads."
                : "No wake-up of a thread could be measured: that takes CSWITCH and DISPATCHER together.");
        }

        if (episodes.Any(static episode => episode.Candidate.Delay.IsByRuns))
        {
            warnings.Add("Who made a thread ready is not known, so nobody is accused of making it ready late: record DISPATCHER.");
        }

        warnings.AddRange(UnknownChains.Warnings(_findings, episodes, LeastShare));
        AddUnowned(warnings, episodes, unownedShare, has);
        AddLosses(warnings);
        if (_counts.AbsurdRoutines > 0)
        {
            warnings.Add(Text(
                $"Left out as damaged, or in another clock: {Counted.Of(_counts.AbsurdRoutines, "ISR or DPC record")} that would begin "
                + $"after its end, a minute before it, or within another run that ends first."));
        }

        if (_summary.Clock == TraceClockKind.SystemTime)
        {
            warnings.Add("The clock of this trace is the system time: far too coarse for latencies. Record with the performance counter.");
        }

        if (has.IsrDpc && !has.Samples)
        {
            warnings.Add("Without samples masked interrupts and firmware can't be seen, nor who is behind a framework: record PROFILE.");
        }
        else if (has.Samples && !has.Stacks)
        {
            warnings.Add("Without stacks a sample names the code that ran, not who called it: record stacks on PROFILE.");
        }

        if (2 * _counts.SamplesOfRecording > _counts.BusySamples)
        {
            warnings.Add(Text(
                $"{_counts.SamplesOfRecording:N0} of {Counted.Of(_counts.BusySamples, "sample")} hit the interrupt that takes them: they "
                + $"show the recording, not the machine. Record with a longer sample interval."));
        }

        AddPauses(warnings);

        if (_facts.HasHypervisor == true && _blackouts.Proven.Count > 0)
        {
            warnings.Add("A hypervisor is present: it may have taken the processor away where nothing was served.");
        }

        if (_facts.Glitches.Doubtful > 0)
        {
            warnings.Add(Text(
                $"Left out: {Counted.Of(_facts.Glitches.Doubtful, "record")} with the ids of Windows' glitches, but "
                + $"too short, without an object, or of a buffer that claims more than it can hold."));
        }

        if (_facts.Glitches.WithoutNumbers > 0)
        {
            warnings.Add(Text(
                $"Shown without their numbers or times, which make no sense: {Counted.Of(_facts.Glitches.WithoutNumbers, "record")} of "
                + $"Windows' glitches."));
        }

        if (_facts.Glitches.More > 0)
        {
            warnings.Add(Text(
                $"Left out: {Counted.Of(_facts.Glitches.More, "record")} of glitches after the first {GlitchRecords.MostRecords:N0}."));
        }

        AddDriver(warnings);
        AddCapture(warnings);
        AddSlice(warnings);
        AddDropped(warnings);
        return warnings;
    }

    private static string Text(InvariantText text) => text.Take();

    /// <summary>Adds what our own driver could not measure, by its own word.</summary>
    private void AddDriver(List<string> warnings)
    {
        IReadOnlyList<TimerState> runs = _facts.Tracer.Timers.OfRuns;
        ulong floorNs = runs.Count > 0 ? runs.Max(state => state.FloorNs) : 0;
        if (floorNs > (ulong)_threshold.Nanoseconds / 2)
        {
            string floor = ReadableDuration.Of(new Duration((long)Math.Min(floorNs, long.MaxValue)));
            warnings.Add(Text(
                $"Measured wake-ups that nothing delays take up to {floor} here: with a threshold below twice that, some of them are among "
                + $"the episodes."));
        }

        if (runs.Count > 0 && runs.Max(state => state.UnmeasuredCpus) is > 0 and ushort unmeasured)
        {
            warnings.Add(Text(
                $"Added while the driver measured: {Counted.Of(unmeasured, "processor")}. Nothing is known of wake-ups there."));
        }
    }

    /// <summary>Adds what Tracer's own flight recorder reports about the trace.</summary>
    private void AddCapture(List<string> warnings)
    {
        if (_causes.InOwnWork > 0)
        {
            warnings.Add(Text(
                $"Left out, because Tracer itself was writing a snapshot meanwhile, or the machine slept: "
                + $"{Counted.Of(_causes.InOwnWork, "late moment")}."));
        }

        foreach (CaptureWindow capture in _facts.Tracer.Recorder.Captures)
        {
            double wantedUs = (capture.EpisodeTicks - (double)capture.WindowFromTicks) / _ticksPerSecond * 1e6;
            if (capture.PreCoveredUs < 0.99 * wantedUs)
            {
                warnings.Add(Text(
                    $"The ring was too short: of {wantedUs / 1000:N0} ms before the captured moment it held "
                    + $"{capture.PreCoveredUs / 1000:N0} ms; record with a larger --buffer-mb."));
            }
        }
    }

    /// <summary>Tells that the trace is a part of a longer one, and what of that is not here to be asked.</summary>
    private void AddSlice(List<string> warnings)
    {
        if (_facts.Tracer.Recorder.Slice is { } slice)
        {
            warnings.Add(Text(
                $"This trace is a slice of a longer one. Left behind: {Left(slice.Samples, "sample")}, "
                + $"{Left(slice.Routines, "run")} of ISRs and DPCs, {Left(slice.Stacks, "stack")}, "
                + $"{Left(slice.Switches, "context switch")}. What only they show, such as who is behind a framework, is not known here."));
        }

        static string Left(ulong count, string thing) => Counted.Of((long)Math.Min(count, long.MaxValue), thing);
    }

    private void AddPauses(List<string> warnings)
    {
        if (_pauses.Count > 0)
        {
            warnings.Add(Text(
                $"The machine stood still {EvidenceCase.Times(_pauses.Count)} ({Times(_pauses)}): "
                + $"it slept, was paused as a guest, or hung; no record tells which, and that time is not judged."));
        }

        if (_sleeps.Count > 0)
        {
            warnings.Add(Text(
                $"The machine slept {EvidenceCase.Times(_sleeps.Count)} in Modern Standby ({Times(_sleeps)}): that time is not judged."));
        }

        static string Times(IReadOnlyList<MachinePause> all) => string.Join(", ", all.Take(StretchesNamed).Select(one =>
            Text($"at {ReadableDuration.At(one.Start)} for {ReadableDuration.Of(one.Length)}")))
            + (all.Count > StretchesNamed ? ", ..." : "");
    }

    private void AddUnowned(List<string> warnings, IReadOnlyList<NamedEpisode> episodes, double unownedShare, RecordedKinds has)
    {
        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        foreach (IGrouping<string, NamedCause> framework in episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause is { Name: null, Behind: not null }).GroupBy(cause => cause.Behind!)
            .Where(group => group.Sum(cause => cause.Ticks) >= LeastShare * all)
            .OrderByDescending(group => group.Sum(cause => cause.Ticks)).ThenBy(group => group.Key, StringComparer.Ordinal))
        {
            List<LoadedImage> candidates = _behind.Candidates(framework.Key);
            string who = candidates.Count > 0
                ? Text($" Candidates: {string.Join(", ", candidates.Select(candidate => candidate.Name))}.")
                : string.Empty;
            string record = has.Stacks ? "WDF_DPC, WDF_INTERRUPT and more samples" : "stacks on PROFILE, WDF_DPC, WDF_INTERRUPT";
            warnings.Add(Text($"Owner unknown behind {framework.Key}: record {record}.{who}"));
        }

        if (episodes.SelectMany(episode => episode.Causes).Where(cause => cause is { Name: null, Behind: null, Routine: not null })
            .Sum(cause => cause.Ticks) > LeastShare * all)
        {
            warnings.Add("Some of the code that ran lies in no image that the trace names: record LOADER, and end the trace with a "
                + "rundown.");
        }

        if (episodes.SelectMany(episode => episode.Causes).Where(cause => cause is { Mechanism: Mechanism.Thread, Name: null })
            .Sum(cause => cause.Ticks) > LeastShare * all)
        {
            warnings.Add("Some of the threads that ran belong to no process that the trace names: record PROC_THREAD.");
        }

        long idle = episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause.Mechanism == Mechanism.Scheduler).Sum(cause => cause.Ticks);
        if (idle > LeastShare * all)
        {
            warnings.Add(Text(
                $"For {100.0 * idle / all:0} % of the late time a CPU that the victims may use idled: "
                + $"what ran elsewhere was not in their way."));
        }

        long unanswered = episodes.Sum(episode => episode.Candidate.UnansweredTicks);
        if (unanswered > CulpritThresholds.MuchUnowned * all)
        {
            string record = _facts.HasHypervisor == true ? string.Empty : " Record the provider Microsoft-Windows-Kernel-Processor-Power.";
            warnings.Add(Text(
                $"For {100.0 * unanswered / all:0} % of the late time a CPU that idled did not answer although a victim was ready for it: "
                + $"leaving an idle state may take long, or a hypervisor did not run it; no record tells which.{record}"));
        }

        int ofDevices = episodes.Select(episode => episode.Candidate)
            .Count(late => late.IsLateByBeat && 2 * (late.HeldFromTicks - late.FromTicks) >= late.LatencyTicks);
        if (ofDevices > 0)
        {
            warnings.Add(Text(
                $"In {ofDevices:N0} of {Counted.Of(episodes.Count, "episode")} the device's own interrupt, which was to wake the "
                + $"thread, came late: what ran on its CPU meanwhile did not hold it off. No driver is accused of that."));
        }

        int ofTimers = episodes.Count(episode => 2 * episode.TimerTicks >= episode.Candidate.LatencyTicks);
        if (ofTimers > 0)
        {
            warnings.Add(Text(
                $"In {ofTimers:N0} of {Counted.Of(episodes.Count, "episode")} most of the wait is for the next tick of the clock, which "
                + $"serves the timer. That is the granularity of timers, not interference."));
        }

        if (episodes.Count > 0 && unownedShare >= CulpritThresholds.MuchUnowned)
        {
            warnings.Add(Text($"{unownedShare * 100:0} % of the latency above the threshold has no known owner."));
        }
    }

    private void AddLosses(List<string> warnings)
    {
        if (_summary.EventsLost > 0 || _summary.BuffersLost > 0 || _summary.DamagedBuffers > 0 || _summary.Truncated || _losses.Count > 0)
        {
            warnings.Add(Text(
                $"Records are missing ({Counted.Of(_summary.EventsLost, "event")} and {Counted.Of(_summary.BuffersLost, "buffer")} lost, "
                + $"{Counted.Of(_summary.DamagedBuffers, "damaged buffer")}, {Counted.Of(_losses.Count, "known place")}): "
                + $"nothing here is certain."));
            AddStretches(warnings, LossStretches.Phrases(_facts.Losses, _clock));
        }

        if (_facts.Tracer.Recorder is { } recorder && recorder.RundownEventsLost + recorder.RundownBuffersLost > 0)
        {
            warnings.Add(Text(
                $"The list of processes, threads and images lost {Counted.Of(recorder.RundownEventsLost, "event")} and "
                + $"{Counted.Of(recorder.RundownBuffersLost, "buffer")}: what has no name here may have had one."));
        }

        if (_counts.BrokenSwitches > 0)
        {
            warnings.Add(Text(
                $"Events were lost or filtered out: in {_counts.BrokenSwitches:N0} of {Counted.Of(_counts.Switches, "context switch")} "
                + $"the thread that leaves is not the one that ran."));
        }

        if (_delays.AcrossLoss + _causes.AcrossLoss is > 0 and long across)
        {
            warnings.Add(Text(
                $"Left out, because records are missing meanwhile or the machine slept: {Counted.Of(across, "wake-up")}."));
        }

        if (_delays.Waits.UnmeasuredInRow is { } row)
        {
            warnings.Add(Text(
                $"From {ReadableDuration.At(_findings.Time(row.FromTicks))} to {ReadableDuration.At(_findings.Time(row.ToTicks))} "
                + $"no record tells for {Counted.Of(row.Count, "wake-up")} when the thread was made ready: "
                + $"whether any of these was late is not known."));
        }
    }

    private static void AddStretches(List<string> warnings, IReadOnlyList<string> phrases)
    {
        foreach (string phrase in phrases.Take(StretchesNamed))
        {
            warnings.Add($"No conclusion is drawn from what is there, or is missing, {phrase}.");
        }

        if (phrases.Count > StretchesNamed)
        {
            warnings.Add(Text(
                $"The same holds for {Counted.Of(phrases.Count - StretchesNamed, "more stretch")} ('analyzer info' lists them)."));
        }
    }

    private void AddDropped(List<string> warnings)
    {
        if (_causes.Dropped > 0)
        {
            warnings.Add(Text($"Not kept: {Counted.Of(_causes.Dropped, "episode")} beyond the first {EpisodeAnalysis.MostEpisodes:N0}."));
        }

        if (_delays.UnfollowedJobs + _causes.ForgottenJobs is > 0 and long unfollowed)
        {
            warnings.Add(Text(
                $"Not followed to the beginning, because too much ran meanwhile: {Counted.Of(unfollowed, "job")}. "
                + $"Of these only long stretches without the CPU are shown."));
        }

        if (_budget.Refused > 0)
        {
            warnings.Add(Text(
                $"Not looked into, because too much ran in too many episodes at once: {Counted.Of(_budget.Refused, "stretch")} of them, "
                + $"whose time is unexplained. Ask for less with --from, --to or a higher --threshold."));
        }

        if (_budget.Cut > 0)
        {
            warnings.Add(Text(
                $"Of {Counted.Of(_budget.Cut, "stretch")} of episodes only the largest parts were kept, because there were too many: the "
                + $"rest is unexplained. Ask for less with --from, --to or a higher --threshold."));
        }

        if (_facts.Dropped > 0 || _blackouts.Dropped > 0)
        {
            warnings.Add(Text(
                $"Could not be read or kept: {Counted.Of(_facts.Dropped + _blackouts.Dropped, "fact")} "
                + $"(images, threads, stacks, blackouts)."));
        }
    }
}
