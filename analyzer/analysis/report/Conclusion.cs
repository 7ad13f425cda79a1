using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Request;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>Writes the one sentence that states the verdict.</summary>
/// <param name="judged">Verdict and named episodes.</param>
/// <param name="missing">The keywords of what was not recorded and would help.</param>
/// <param name="worst">The longest measured latency; null where there is none.</param>
/// <param name="isShort">Whether all that was found is too short to be heard.</param>
internal sealed class Conclusion(BlameFindings findings, Judgement judged, IReadOnlyList<string> missing, Duration? worst, bool isShort)
{
    /// <summary>Who comes next is named where he has this share of the late time.</summary>
    private const double LeastOfNext = 0.2;

    /// <summary>A thread that works for this part of the time has hardly a pause in which to catch up.</summary>
    private const double Busy = 0.9;

    /// <summary>A thread with fewer turns may only compute: from so many a beat would have been learnt.</summary>
    private const int FewestOfBusy = 16;

    private readonly BlameRequest _request = findings.Request;

    /// <summary>The priority of which no thread ran, so that periodic threads are judged instead; null where one ran.</summary>
    private int? StandInsFor => findings.StandIns is { Count: > 0 } ? _request.MinPriority : null;

    private Duration WorstEpisode => findings.Length(judged.Counted.Max(episode => episode.Candidate.LatencyTicks));

    /// <param name="culprits">Those of the first ranking, in order.</param>
    public string Say(IReadOnlyList<Culprit> culprits) => (judged.Counted.Count > 0 ? Lack() : string.Empty) + Answer(culprits) + Changes();

    /// <summary>
    /// What the trace lacks where that may have changed what was found, before anything else: clocks that disagree, most of a CPU, or
    /// records of those who may have waited where nobody is told to have.
    /// </summary>
    private string Lack() => judged.Unearned switch
    {
        { Kind: UnearnedKind.Clock } lack when judged.CoarseTicks is null =>
            Text($"{char.ToUpperInvariant(lack.Reason[0])}{lack.Reason[1..]}. "),
        { Kind: UnearnedKind.Hole } lack when lack.IsMuch || judged.AreWithoutVictim => Text($"This trace is not whole: {lack.Reason}. "),
        _ => string.Empty,
    };

    private string Answer(IReadOnlyList<Culprit> culprits)
    {
        string threshold = ReadableDuration.Of(_request.Threshold);
        int episodes = judged.Counted.Count;
        switch (judged.Verdict)
        {
            case Verdict.None when episodes > 0:
                return Text(
                    $"Nothing to blame: the granularity of the timer explains {Count(episodes)} of {threshold} or longer, worst ")
                    + Text($"{ReadableDuration.Of(WorstEpisode)}; a timer is served by the next tick of the clock.")
                    + InPlaceOf();
            case Verdict.None when worst is { } longest && _request.Probe is not (ProbeChoice.Gap or ProbeChoice.Level):
                return Text($"Nothing to blame: the longest of {judged.Waits.Count:N0} measured latencies is ")
                    + Text($"{ReadableDuration.Below(_request.Threshold, longest)}, ")
                    + Text($"below {threshold} ({Counted.Of(judged.Waits.Threads, "thread")}, ")
                    + Text($"over {ReadableDuration.Of(findings.Length(judged.Waits.SpanTicks))}).")
                    + OwnWork()
                    + InPlaceOf();
            case Verdict.None:
                return _request.Probe == ProbeChoice.Gap
                    ? Text($"Nothing to blame: no CPU that was due a sample went without one for {threshold} or longer.")
                    : Text($"Nothing to blame: no CPU was kept at interrupt or DPC level for {threshold} or longer.");
            case Verdict.Unknown when episodes == 0:
                return Text($"This trace can't tell: {judged.Unearned?.Reason}.");
            case Verdict.Unknown:
                return Text(
                    $"{Count(judged.Counted.Count)} of {threshold} or longer, worst {ReadableDuration.Of(WorstEpisode)}, "
                    + $"but the trace does not show who is to blame"
                    + $"{(missing.Count > 0 ? Text($": it lacks {WhatIsMissing.Listed(missing)}") : string.Empty)}.")
                    + InPlaceOf();
        }

        Culprit first = culprits[0];
        string name = first.RunsFirmware ? $"Firmware code (AML) run by {first.Name}"
            : first.Through.Count > 0 ? Text($"{first.Name} (behind {string.Join(", ", first.Through)})")
            : first.Name;
        string how = How(first);
        string verb = first.Mechanism == Mechanism.Paging ? "are" : "is";
        string sure = first.Confidence switch
        {
            Confidence.Certain => $"{verb} to blame",
            Confidence.Likely => $"{verb} most likely to blame",
            _ => "may be to blame",
        };
        string part = first.Share >= 0.995 ? "nearly all" : Text($"{first.Share * 100:0} %");
        Culprit? next = culprits.Skip(1).FirstOrDefault(culprit => culprit.Share >= LeastOfNext);
        string more = next is null ? string.Empty
            : next.Name == first.Name ? Text($" Besides, {How(next)} {next.Share * 100:0} %.")
            : Text($" Next: {next.Name}, {next.Share * 100:0} %.");
        string what = judged.AreWithoutVictim
            ? WithoutVictim(first)
            : judged.Together is { } together && together.Names.Contains(first.Name, StringComparer.OrdinalIgnoreCase)
            ? Text($"{together.Says} every {ReadableDuration.Of(new Duration((long)Math.Round(together.Seconds * 1e9)))}: one after ")
                + Text($"another their DPCs took {together.Share * 100:0} % of {Late(threshold)}, in {Count(judged.Counted.Count)}; ")
                + Text($"{name} has the largest part of it, {part}.")
            : Text($"{name} {sure}: {how} {part} of {Late(threshold)}, in {first.Episodes} of {Count(judged.Counted.Count)}, ")
                + Text($"up to {ReadableDuration.Of(first.Worst)}.");
        return what
            + Firmwares(first)
            + Storms()
            + (judged.Together is null ? Beat(first.Period) : string.Empty)
            + more
            + Timers(judged.Counted.Count(episode => episode.Candidate.Delay.IsOfTimer))
            + (isShort ? Proportion.Sentence : string.Empty)
            + InPlaceOf();
    }

    /// <summary>Nobody is to blame for what kept a CPU while nobody waited for it; it is told all the same.</summary>
    private string WithoutVictim(Culprit first)
    {
        int cpu = judged.Suspects.Count > 0 ? judged.Suspects[0].WorstCpu : 0;
        string kept = first.Kind is CulpritKind.Hardware or CulpritKind.Power
            ? Text($"CPU {cpu} stood still ")
            : IsBySamples(first) ? Text($"code of {first.Name} kept CPU {cpu} ")
            : MechanismPages.Of(first.Mechanism).Kept(first, cpu) + " ";
        string sure = first.Confidence switch
        {
            Confidence.Certain when first.Kind is not (CulpritKind.Hardware or CulpritKind.Power) => string.Empty,
            Confidence.Likely when first.Kind == CulpritKind.Process => string.Empty, // Who it was is known, only not whom it harmed.
            Confidence.Certain => Text($" ({first.Name})"),
            Confidence.Likely => Text($" (most likely {first.Name})"),
            _ => Text($" (possibly {first.Name})"),
        };
        return Stopped()
            + kept
            + Text($"for up to {ReadableDuration.Of(first.Worst)}, in {first.Episodes} of {Count(judged.Counted.Count)}{sure}.");
    }

    /// <summary>That nobody measured waited, and who stood still all the same: a thread that ran there waits for nothing.</summary>
    private string Stopped()
    {
        string threshold = ReadableDuration.Of(_request.Threshold);
        int? stopped = judged.First.Select(episode => episode.Candidate.StoppedPriority).Where(one => one >= _request.MinPriority).Max();
        return stopped is { } priority
            ? Text($"No measured thread waited for {threshold} or longer, but a running one of priority {priority} stood still meanwhile; ")
            : judged.Waits.Count > 0 ? Text($"No measured wait reached {threshold}; ")
            : "No wait of a thread was measured; ";
    }

    /// <summary>The time that is told of: jobs may be late although they lost less than the threshold.</summary>
    private string Late(string threshold) => judged.Counted.All(one => one.Candidate.LatencyTicks >= findings.ThresholdTicks)
        ? $"the latency above {threshold}"
        : "the late time";

    /// <summary>Who was judged where nobody of the priority asked for ran.</summary>
    private string InPlaceOf() => StandInsFor is { } priority
        ? Text($" No thread of priority {priority} or more ran, so the threads that keep a beat are judged, whatever their priority.")
        : string.Empty;

    /// <summary>Whether nothing but samples tells of an ISR or a DPC: no run of one was recorded.</summary>
    private bool IsBySamples(Culprit culprit) => culprit.Mechanism is Mechanism.Isr or Mechanism.Dpc && !findings.Summary.Has.IsrDpc;

    private string How(Culprit culprit)
    {
        MechanismPage page = MechanismPages.Of(culprit.Mechanism);
        Suspect suspect = judged.Suspects[culprit.Rank - 1];
        return IsBySamples(culprit) ? RoutineRuns.DidBySamples(culprit.Mechanism) : page.DidWhatever(suspect) ?? culprit.Kind switch
        {
            CulpritKind.Power => "a CPU ran slowly for",
            CulpritKind.Hardware => "firmware methods took",
            CulpritKind.Process when culprit.IsByOwnWork => "its own work took",
            CulpritKind.Process when IsOwnPause(culprit) => "the garbage collection of its runtime stopped its own threads for",
            CulpritKind.Process => "its threads ran instead of the victims for",
            _ => page.Did,
        };
    }

    private static string Beat(Period? period) => period is null
        ? string.Empty
        : Text($" It comes every {ReadableDuration.Of(new Duration((long)Math.Round(period.Seconds * 1e9)))}.");

    /// <summary>That firmware is as likely as the first culprit's code, where all CPUs stopped; empty where they did not.</summary>
    private string Firmwares(Culprit first) =>
        first.Kind == CulpritKind.Driver && judged.Suspects[0].IsOfAllCpus
        ? " No other CPU was seen alive then, and code on one can't stop the others: firmware (SMM) entered from it is as likely."
        : string.Empty;

    /// <summary>That the first culprit's runs are many and short; empty where they are not.</summary>
    private string Storms() => !judged.AreWithoutVictim && Storm.Of(judged.Suspects[0], findings) is { } storm
        ? $" It is {storm.Says(findings)}: their number matters, not their length."
        : string.Empty;

    /// <summary>That the one timer was late: the probes of all CPUs began late, though only its CPU was kept.</summary>
    private static string Timers(int late) => late switch
    {
        0 => string.Empty,
        1 => " In one of them the timer that serves all CPUs was late: every CPU's measured wake-up began late.",
        _ => Text($" In {late:N0} of them the timer that serves all CPUs was late: every CPU's measured wake-up began late."),
    };

    private static bool IsOwnPause(Culprit culprit) =>
        culprit.Functions.Count > 0 && culprit.Functions[0].Name == OtherThreads.GarbageCollection;

    /// <summary>
    /// That a thread's own work took longer than it may, most often of all; or that it worked nearly all the time, where no deadline is
    /// known. Empty where neither is so, and where what interrupts threads was not recorded.
    /// </summary>
    private string OwnWork()
    {
        if (!findings.Facts.HasInterruptions || !findings.Summary.Has.Samples)
        {
            return string.Empty;
        }

        if (findings.Delays.Works.OrderByDescending(one => one.Late).ThenBy(one => one.Thread).FirstOrDefault() is { Late: > 0 } late)
        {
            return Text($" But the own work of {ProcessOf(late)} took longer than the ")
                + Text($"{ReadableDuration.Of(findings.Length(late.DeadlineTicks))} that it has, in {late.Late:N0} of ")
                + Text($"{Counted.Of(late.WithDeadline, "turn")}.");
        }

        TracePart asked = findings.Machine.Asked;
        long all = Math.Min(asked.ToTicks, findings.Facts.LastTicks) - Math.Max(asked.FromTicks, findings.Facts.FirstTicks);
        return findings.Delays.Works.OrderByDescending(one => one.Ticks).ThenBy(one => one.Thread).FirstOrDefault()
                is { WithDeadline: 0, Jobs: >= FewestOfBusy } busy
                && busy.Ticks >= Busy * all
            ? Text($" But a thread of {ProcessOf(busy)} worked for {100.0 * busy.Ticks / all:0} % of the time: if it has a beat to ")
                + "keep, its own work may be too long for it, and --period judges that."
            : string.Empty;
    }

    private string ProcessOf(in OwnWork work) =>
        findings.Facts.Threads.ProcessOf(work.Thread, work.AtTicks) is { } process
            && findings.Facts.Threads.NameOf(process, work.AtTicks) is { } name
            ? name
            : Text($"thread {work.Thread}");

    /// <summary>That threads changed from their beat to the clock's usual ticks, and when the first one did.</summary>
    private string Changes()
    {
        if (findings.Delays.Changes.MinBy(change => change.AtTicks) is not { } first)
        {
            return string.Empty;
        }

        ThreadTable threads = findings.Facts.Threads;
        string whose = threads.ProcessOf(first.Thread, first.AtTicks) is { } process && threads.NameOf(process, first.AtTicks) is { } name
            ? Text($" of {name}")
            : string.Empty;
        int others = findings.Delays.Changes.Select(change => change.Thread).Distinct().Count() - 1;
        string also = others > 0 ? Text($" ({Counted.Of(others, "more thread")} likewise)") : string.Empty;
        return Text($" After {ReadableDuration.At(findings.Time(first.AtTicks))} thread {first.Thread}{whose}{also} no longer comes every ")
            + Text($"{ReadableDuration.Of(findings.Length(first.PeriodTicks))} but with the clock's ticks of ")
            + Text($"{ReadableDuration.Of(findings.Length(first.TickTicks))}: whoever had asked for finer ticks gave that up, or ")
            + "its window was hidden; nobody delayed it.";
    }

    private static string Count(int episodes) => episodes == 1 ? "1 episode" : Text($"{episodes:N0} episodes");

    private static string Text(InvariantText text) => text.Take();
}
