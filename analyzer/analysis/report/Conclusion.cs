using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>Writes the one sentence that states the verdict.</summary>
internal static class Conclusion
{
    /// <summary>Who comes next is named where he has this share of the late time.</summary>
    private const double LeastOfNext = 0.2;

    public static string Say(Verdict verdict, IReadOnlyList<Culprit> culprits, ConclusionFacts facts)
    {
        string threshold = ReadableDuration.Of(facts.Threshold);
        switch (verdict)
        {
            case Verdict.None when facts.Episodes > 0:
                return Text(
                    $"Nothing to blame: the granularity of the timer explains {Count(facts.Episodes)} of {threshold} or longer, worst ")
                    + Text($"{ReadableDuration.Of(facts.WorstEpisode ?? Duration.Zero)}; a timer is served by the next tick of the clock.")
                    + InPlaceOf(facts);
            case Verdict.None when facts is { Worst: { } worst, Probe: not (ProbeChoice.Gap or ProbeChoice.Level) }:
                return Text($"Nothing to blame: the longest of {facts.Waits:N0} measured latencies is {ReadableDuration.Of(worst)}, ")
                    + Text($"below {threshold} ({Counted.Of(facts.WaitingThreads, "thread")}, ")
                    + Text($"over {ReadableDuration.Of(facts.WaitsOver)}).")
                    + InPlaceOf(facts);
            case Verdict.None:
                return facts.Probe == ProbeChoice.Gap
                    ? Text($"Nothing to blame: no CPU that was due a sample went without one for {threshold} or longer.")
                    : Text($"Nothing to blame: no CPU was kept at interrupt or DPC level for {threshold} or longer.");
            case Verdict.Unknown when facts.Episodes == 0:
                return Text($"This trace can't tell: {facts.Lack}.");
            case Verdict.Unknown:
                return Text(
                    $"{Count(facts.Episodes)} of {threshold} or longer, worst {ReadableDuration.Of(facts.WorstEpisode ?? Duration.Zero)}, "
                    + $"but the trace does not show who is to blame"
                    + $"{(facts.Missing.Count > 0 ? Text($": it lacks {WhatIsMissing.Listed(facts.Missing)}") : string.Empty)}.")
                    + InPlaceOf(facts);
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
        string what = facts.AreWithoutVictim
            ? WithoutVictim(first, facts)
            : Text($"{name} {sure}: {how} {part} of the latency above {threshold}, in {first.Episodes} of {Count(facts.Episodes)}, ")
                + Text($"up to {ReadableDuration.Of(first.Worst)}.");
        return what
            + Beat(first.Period)
            + more
            + Timers(facts.LateTimers)
            + (facts.IsShort ? Proportion.Sentence : string.Empty)
            + InPlaceOf(facts);
    }

    /// <summary>Nobody is to blame for what kept a CPU while nobody waited for it; it is told all the same.</summary>
    private static string WithoutVictim(Culprit first, ConclusionFacts facts)
    {
        string kept = first.Kind is CulpritKind.Hardware or CulpritKind.Power
            ? Text($"CPU {facts.WorstCpu ?? 0} stood still ")
            : Text($"{MechanismPages.Of(first.Mechanism).Keeper(first)} kept ")
                + Text($"{(first.Kind == CulpritKind.Process ? "ordinary threads off " : string.Empty)}CPU {facts.WorstCpu ?? 0} ");
        string sure = first.Confidence switch
        {
            Confidence.Certain when first.Kind is not (CulpritKind.Hardware or CulpritKind.Power) => string.Empty,
            Confidence.Certain => Text($" ({first.Name})"),
            Confidence.Likely => Text($" (most likely {first.Name})"),
            _ => Text($" (possibly {first.Name})"),
        };
        return Stopped(facts)
            + kept
            + Text($"for up to {ReadableDuration.Of(first.Worst)}, in {first.Episodes} of {Count(facts.Episodes)}{sure}.");
    }

    /// <summary>That nobody measured waited, and who stood still all the same: a thread that ran there waits for nothing.</summary>
    private static string Stopped(ConclusionFacts facts) => facts.StoppedPriority is { } priority
        ? Text($"No measured thread waited for {ReadableDuration.Of(facts.Threshold)} or longer, but a running one of priority ")
            + Text($"{priority} stood still meanwhile; ")
        : facts.Waits > 0 ? Text($"Nobody measured waited for {ReadableDuration.Of(facts.Threshold)} or longer; ")
        : "No wait of a thread was measured; ";

    /// <summary>Who was judged where nobody of the priority asked for ran.</summary>
    private static string InPlaceOf(ConclusionFacts facts) => facts.StandIns is { } priority
        ? Text($" No thread of priority {priority} or more ran: judged are the threads that keep a beat, whatever their priority.")
        : string.Empty;

    private static string How(Culprit culprit)
    {
        MechanismPage page = MechanismPages.Of(culprit.Mechanism);
        return page.DidWhatever(culprit) ?? culprit.Kind switch
        {
            CulpritKind.Power => "a CPU ran slowly for",
            CulpritKind.Hardware => "methods of the firmware took",
            CulpritKind.Process when culprit.IsOwnPause() => "the garbage collection of its runtime stopped its own threads for",
            CulpritKind.Process => "its threads ran in the victims' place for",
            _ => page.Did,
        };
    }

    private static string Beat(Period? period) => period is null
        ? string.Empty
        : Text($" It comes every {ReadableDuration.Of(new Duration((long)Math.Round(period.Seconds * 1e9)))}.");

    /// <summary>That the one timer was late: the probes of all CPUs began late, though only its CPU was kept.</summary>
    private static string Timers(int late) => late switch
    {
        0 => string.Empty,
        1 => " In one of them the timer that serves all CPUs was late: every CPU's measured wake-up began late.",
        _ => Text($" In {late:N0} of them the timer that serves all CPUs was late: every CPU's measured wake-up began late."),
    };

    private static bool IsOwnPause(this Culprit culprit) =>
        culprit.Functions.Count > 0 && culprit.Functions[0].Name == OtherThreads.GarbageCollection;

    private static string Count(int episodes) => episodes == 1 ? "1 episode" : Text($"{episodes:N0} episodes");

    private static string Text(InvariantText text) => text.Take();
}

/// <summary>The numbers that a conclusion states.</summary>
internal sealed record ConclusionFacts
{
    public required Duration Threshold { get; init; }

    /// <summary>What latency was measured with.</summary>
    public required ProbeChoice Probe { get; init; }

    /// <summary>The number of measured waits.</summary>
    public required long Waits { get; init; }

    /// <summary>The number of threads that they are of.</summary>
    public required int WaitingThreads { get; init; }

    /// <summary>From the first of these waits to the last.</summary>
    public required Duration WaitsOver { get; init; }

    /// <summary>The priority of which no thread ran, so that periodic threads are judged instead; null where one ran.</summary>
    public int? StandIns { get; init; }

    /// <summary>The longest measured latency; null where there is none.</summary>
    public required Duration? Worst { get; init; }

    public required int Episodes { get; init; }

    /// <summary>The longest episode; null where there are none.</summary>
    public required Duration? WorstEpisode { get; init; }

    /// <summary>Whether no measured thread waited for what decides the verdict.</summary>
    public required bool AreWithoutVictim { get; init; }

    /// <summary>The CPU of the first culprit's longest time; null where nobody is named.</summary>
    public int? WorstCpu { get; init; }

    /// <summary>
    /// The highest priority, of those asked for, of a thread that ran where a CPU was kept; null where there was none.
    /// </summary>
    public int? StoppedPriority { get; init; }

    /// <summary>Whether all that was found is too short to be heard.</summary>
    public bool IsShort { get; init; }

    /// <summary>In how many episodes the driver's timer of all CPUs was late.</summary>
    public int LateTimers { get; init; }

    /// <summary>Why finding no episode proves nothing; null where it does.</summary>
    public string? Lack { get; init; }

    /// <summary>The keywords of what was not recorded and would help.</summary>
    public required IReadOnlyList<string> Missing { get; init; }
}
