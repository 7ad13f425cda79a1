using Tracer.Analysis.Causes;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Mechanisms;

/// <summary>An ISR or DPC ran: whose code it was, how often it ran, and whether a slow CPU prolonged it.</summary>
internal abstract class RoutineRuns : MechanismPage
{
    /// <summary>
    /// From this many runs in one episode on the evidence gives their number. It blames the number instead of the length if the longest run
    /// took at most one in this many parts of their time: fewer or longer runs are no storm.
    /// </summary>
    private const int FewestOfStorm = 10;

    /// <summary>What a culprit did of which samples alone tell.</summary>
    public static string DidBySamples(Mechanism mechanism) =>
        $"its code ran at {(mechanism == Mechanism.Isr ? "interrupt" : "DPC")} level, as samples show, for";

    public override NamedCause Name(CauseShare share, CauseNaming naming) =>
        share.Blackout is { } blackout ? BlackoutPage.Named(share, blackout, naming) : naming.OfCode(share, share.Owner!);

    /// <summary>
    /// Runs of a framework's routine that show no owner are shared by what the samples of runs like them show; what those leave open stays
    /// as it is.
    /// </summary>
    public override IReadOnlyList<NamedCause>? Instead(CauseShare share, CauseNaming naming)
    {
        if (share is not { Blackout: null, Owner: { IsOpen: true } found } || naming.Behind.Shared(found) is not { Count: > 0 } shared)
        {
            return null;
        }

        List<NamedCause> causes = [];
        long left = share.Ticks;
        foreach ((OwnerFinding owner, double part) in shared)
        {
            long ticks = Math.Min(left, (long)Math.Round(part * share.Ticks));
            if (ticks > 0)
            {
                causes.Add(naming.OfCode(share, owner) with { Ticks = ticks });
                left -= ticks;
            }
        }

        return left > 0 ? [.. causes, naming.OfCode(share, found) with { Ticks = left }] : causes;
    }

    public override IReadOnlyList<NamedCause> Split(CauseShare share, NamedCause named, CauseNaming naming)
    {
        if (BlackoutPage.InPeriodicInterrupt(share, named, naming) is { } blackout)
        {
            return blackout;
        }

        if (share is not { Blackout: null, Detail: RoutineRan { Routine: not 0 } ran }
            || named.Kind is null || naming.SlowdownOf(ran, share.AtTicks) is not { } slow)
        {
            return [named];
        }

        // A routine that is short on a fast CPU is not to blame for a slow CPU.
        long own = (long)Math.Round(named.Ticks / slow.Times);
        long longest = (long)Math.Round(ran.LongestTicks / slow.Times);
        return longest >= naming.ThresholdTicks || own <= 0 || own >= named.Ticks
            ? [named]
            :
            [
                named with { Ticks = own },
                named with
                {
                    Kind = CulpritKind.Power,
                    Name = CulpritName.PowerManagement,
                    Ticks = named.Ticks - own,
                    Confidence = CulpritConfidence.OfSlowdown(slow, naming.HasHypervisor),
                    Through = [],
                    Image = null,
                    Slowdown = slow,
                    Waiter = named.Name,
                },
            ];
    }

    public override void AddFirst(List<string> evidence, EvidenceCase about)
    {
        Mechanism mechanism = about.Main.Mechanism;
        List<NamedCause> runs = [.. about.Suspect.Parts
            .Where(part => part.Episode == about.Worst && part.Cause.Mechanism == mechanism)
            .Select(part => part.Cause)];
        int count = runs.Sum(run => run.Share is null ? 1 : RanOf(run)?.Runs ?? 0);
        if (count >= FewestOfStorm)
        {
            string what = mechanism == Mechanism.Isr ? "interrupts" : "DPCs";
            long longest = runs.Max(run => RanOf(run)?.LongestTicks ?? run.Ticks);
            bool isStorm = longest * FewestOfStorm <= runs.Sum(run => run.Ticks);
            evidence.Add(Text(
                $"{count:N0} {what} in {about.Length(about.Worst.Candidate.LatencyTicks)}, in that episode, the longest "
                + $"{about.Length(longest)}{(isStorm ? ": it was their number, not their length" : string.Empty)}."));
            int unclaimed = runs.Sum(run => RanOf(run)?.UnclaimedRuns ?? 0);
            if (2 * unclaimed > count)
            {
                evidence.Add(Text(
                    $"{unclaimed:N0} of these {what} were not its own, its ISR says: the line is shared, and another device on the same "
                    + $"vector interrupts."));
            }
        }
    }

    public override void AddLast(List<string> evidence, EvidenceCase about)
    {
        if (about.Main.Slowdown is { Meanwhile: { Count: > 0 } meanwhile })
        {
            IEnumerable<string> slowed = meanwhile.Select(one =>
                about.Naming.Routine(one.Routine, about.Main.Share!.AtTicks)
                + Text($" {one.Times:0.0} times its usual {about.Length(one.UsualTicks)}"));
            evidence.Add(Text(
                $"ISRs of several owners took longer at that time, by much the same factor: {string.Join(", ", slowed)}. So the ")
                + "CPU was slow: throttled, at a lower clock, or sharing its core. Record POWER to see its speed.");
        }
        else if (about.Main.Slowdown is { } slow)
        {
            string others = slow.Others switch
            {
                0 => "no other routine ran often enough at both speeds to compare",
                1 => "another routine was slow there as well",
                _ => Text($"{slow.Others} other routines, most of them slow there as well, were compared"),
            };
            evidence.Add(Text(
                $"On this CPU at this speed {about.Main.Waiter} takes {slow.Times:0.0} times as long "
                + $"({Counted.Of(slow.SlowRuns, "run")}) as at another, "
                + $"{about.Length(slow.FastTicks)} ({Counted.Of(slow.FastRuns, "run")}); {others}."));
        }
    }

    public override long SinceOf(in CauseStretch stretch) => stretch.SinceTicks;

    private static RoutineRan? RanOf(NamedCause cause) => cause.Share?.Detail as RoutineRan;
}

/// <summary>An interrupt service routine ran.</summary>
internal sealed class IsrRuns : RoutineRuns
{
    public override string Did => "its interrupt routines took";

    protected override string Keeper(Culprit culprit) => $"interrupt routines of {culprit.Name}";
}

/// <summary>A DPC ran, the one that the victim waited for or one ahead of it in the queue.</summary>
internal sealed class DpcRuns : RoutineRuns
{
    public override string Did => "its DPCs took";

    protected override string Keeper(Culprit culprit) => $"DPCs of {culprit.Name}";
}
