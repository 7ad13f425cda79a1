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
                    + Text($"{ReadableDuration.Of(facts.WorstEpisode ?? Duration.Zero)}; a timer is served by the next tick of the clock.");
            case Verdict.None:
                return facts.Worst is { } worst
                    ? Text($"Nothing to blame: {LongestOf(facts.Probes)} is {ReadableDuration.Of(worst)}, ")
                        + Text($"below {threshold}.")
                    : facts.Probe == ProbeChoice.Gap
                        ? Text($"Nothing to blame: no CPU that was due a sample went without one for {threshold} or longer.")
                        : Text($"Nothing to blame: no CPU was kept at interrupt or DPC level for {threshold} or longer.");
            case Verdict.Unknown when facts.ClockStep is { } step:
                return Text($"This trace can't tell: its clock moves in steps of {ReadableDuration.Of(step)}, too coarse for latencies of ")
                    + Text($"{threshold}. Record with the performance counter as the clock.");
            case Verdict.Unknown when facts is { Episodes: 0, MissedBeats: > 0 }:
                return Text($"This trace can't tell: no measured latency reached {threshold}, but ")
                    + Text($"{Counted.Of(facts.MissedBeats, "wake-up")} of ")
                    + "periodic threads came late by their own beat, and nothing in the trace shows why.";
            case Verdict.Unknown when facts.Episodes == 0:
                return Text($"This trace can't tell: {facts.Lack}.");
            case Verdict.Unknown:
                return Text(
                    $"{Count(facts.Episodes)} of {threshold} or longer, worst {ReadableDuration.Of(facts.WorstEpisode ?? Duration.Zero)}, "
                    + $"but the trace does not show who is to blame"
                    + $"{(facts.Missing.Count > 0 ? Text($": it lacks {WhatIsMissing.Listed(facts.Missing)}") : string.Empty)}.");
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
        return Text(
            $"{name} {sure}: {how} {part} of the latency above {threshold}, in {first.Episodes} of {Count(facts.Episodes)}, "
            + $"up to {ReadableDuration.Of(first.Worst)}.")
            + Beat(first.Period)
            + more
            + Timers(facts.LateTimers)
            + WithoutVictim(facts);
    }

    /// <summary>That nobody measured waited, and who stood still all the same: a thread that ran there waits for nothing.</summary>
    private static string WithoutVictim(ConclusionFacts facts) => !facts.AreWithoutVictim ? string.Empty
        : facts.StoppedPriority is { } priority
        ? Text($" No measured thread was ready and waited for it, but a running one of priority {priority} stood still meanwhile.")
        : " No measured thread waited for it.";

    private static string LongestOf(long probes) =>
        probes == 1 ? "the only measured latency" : Text($"the longest of {probes:N0} measured latencies");

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

    /// <summary>The number of measured wake-ups.</summary>
    public required long Probes { get; init; }

    /// <summary>The longest measured latency; null where there is none.</summary>
    public required Duration? Worst { get; init; }

    public required int Episodes { get; init; }

    /// <summary>The longest episode; null where there are none.</summary>
    public required Duration? WorstEpisode { get; init; }

    /// <summary>Whether waits of threads were measured, but no measured thread waited for what decides the verdict.</summary>
    public required bool AreWithoutVictim { get; init; }

    /// <summary>
    /// The highest priority, of those asked for, of a thread that ran where a CPU was kept; null where there was none.
    /// </summary>
    public int? StoppedPriority { get; init; }

    /// <summary>How often periodic threads were late by their own beat and nothing shows why.</summary>
    public int MissedBeats { get; init; }

    /// <summary>The step of the trace's clock where it is too coarse to measure the threshold; otherwise null.</summary>
    public Duration? ClockStep { get; init; }

    /// <summary>In how many episodes the driver's timer of all CPUs was late.</summary>
    public int LateTimers { get; init; }

    /// <summary>Why finding no episode proves nothing; null where it does.</summary>
    public string? Lack { get; init; }

    /// <summary>The keywords of what was not recorded and would help.</summary>
    public required IReadOnlyList<string> Missing { get; init; }
}
