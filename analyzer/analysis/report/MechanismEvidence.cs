using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>Says what only one mechanism can show: how a DPC was queued, what was paged in, how many interrupts came.</summary>
internal static class MechanismEvidence
{
    /// <summary>Fewer runs in one episode are no storm.</summary>
    private const int FewestOfStorm = 10;

    /// <summary>Adds them.</summary>
    /// <param name="evidence">The sentences so far.</param>
    /// <param name="suspect">The suspect.</param>
    /// <param name="main">Its main part.</param>
    /// <param name="worst">The episode in which it has the most.</param>
    /// <param name="findings">What was found.</param>
    public static void Add(List<string> evidence, Suspect suspect, NamedCause main, NamedEpisode worst, BlameFindings findings)
    {
        switch (main.Mechanism)
        {
            case Mechanism.Isr or Mechanism.Dpc:
                AddRuns(evidence, suspect, main.Mechanism, worst, findings);
                break;
            case Mechanism.DpcDeferred when Longest(suspect, main.Mechanism).Trail is { } trail:
                AddDeferred(evidence, suspect, trail, findings);
                break;
            case Mechanism.Paging:
                AddFaults(evidence, suspect, findings);
                break;
            case Mechanism.Thread when main.IsOwnPause:
                List<NamedCause> pauses = [.. suspect.Parts.Select(part => part.Cause).Where(cause => cause.IsOwnPause)];
                evidence.Add(Text(
                    $"The events of its .NET runtime say that it had stopped its threads to collect garbage, "
                    + $"{Times(pauses.Count)}, for up to {Length(findings, pauses.Max(pause => pause.Ticks))} of a wait: "
                    + $"the victim is one of them."));
                break;
        }
    }

    /// <summary>How an importance is called.</summary>
    public static string ImportanceOf(byte importance) => importance switch
    {
        0 => "low",
        1 => "medium",
        2 => "high",
        3 => "medium-high",
        _ => Text($"unknown ({importance})"),
    };

    private static void AddRuns(
        List<string> evidence, Suspect suspect, Mechanism mechanism, NamedEpisode worst, BlameFindings findings)
    {
        List<NamedCause> runs = [.. suspect.Parts.Where(part => part.Episode == worst && part.Cause.Mechanism == mechanism)
            .Select(part => part.Cause)];
        int count = runs.Sum(run => run.Share?.Runs ?? 1);
        if (count >= FewestOfStorm)
        {
            string what = mechanism == Mechanism.Isr ? "interrupts" : "DPCs";
            long longest = runs.Max(run => run.Share is { Runs: > 0 } share ? share.LongestTicks : run.Ticks);
            bool isStorm = longest * FewestOfStorm <= runs.Sum(run => run.Ticks);
            evidence.Add(Text(
                $"{count:N0} {what} in {Length(findings, worst.Candidate.LatencyTicks)}, in that episode, the longest "
                + $"{Length(findings, longest)}{(isStorm ? ": their number did it, not their length" : string.Empty)}."));
            int unclaimed = runs.Sum(run => run.Share?.UnclaimedRuns ?? 0);
            if (2 * unclaimed > count)
            {
                evidence.Add(Text(
                    $"{unclaimed:N0} of these {what} were not its own, its ISR says: the line is shared, and another device of the same "
                    + $"vector interrupts."));
            }
        }
    }

    private static NamedCause Longest(Suspect suspect, Mechanism mechanism) => suspect.Parts.Select(part => part.Cause)
        .Where(cause => cause.Mechanism == mechanism).MaxBy(cause => cause.Ticks)!;

    private static void AddDeferred(List<string> evidence, Suspect suspect, WakeupTrail trail, BlameFindings findings)
    {
        long longest = Longest(suspect, Mechanism.DpcDeferred).Ticks;
        string where = trail.Queued.Cpu == trail.DpcCpu
            ? Text($"on CPU {trail.DpcCpu}")
            : Text($"by CPU {trail.Queued.Cpu} for CPU {trail.DpcCpu}");
        evidence.Add(Text(
            $"The record of its enqueue says importance {ImportanceOf(trail.Queued.Importance)}, {where}: it stood in the queue for up to "
            + $"{Length(findings, longest)} while that CPU ran threads or idled, and the victim was waiting for it."));
    }

    private static void AddFaults(List<string> evidence, Suspect suspect, BlameFindings findings)
    {
        List<NamedCause> faults = [.. suspect.Parts.Select(part => part.Cause).Where(cause => cause.Mechanism == Mechanism.Paging)];
        string longest = Length(findings, faults.Max(fault => fault.Ticks));
        List<HardFault> recorded = [.. faults.Where(fault => fault.Fault is not null).Select(fault => fault.Fault!.Value)];
        if (recorded.Count == 0)
        {
            evidence.Add(Text(
                $"Context switches say that the victims waited for pages {Times(faults.Count)}, for up to {longest}: record HARD_FAULTS "
                + $"to know which."));
            return;
        }

        long bytes = recorded.Sum(fault => (long)fault.Bytes);
        evidence.Add(Text(
            $"Records of hard faults of the victims' own threads: {recorded.Count:N0}, the longest {longest}, {bytes:N0} bytes read in "
            + $"all. Memory that must not wait has to be locked, or touched before."));
    }

    private static string Times(int count) => count == 1 ? "once" : Text($"{count:N0} times");

    private static string Length(BlameFindings findings, long ticks) => ReadableDuration.Of(findings.Length(ticks));

    private static string Text(InvariantText text) => text.Take();
}
