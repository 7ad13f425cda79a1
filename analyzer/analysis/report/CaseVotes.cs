using Tracer.Analysis.Beats;
using Tracer.Analysis.Causes;
using Tracer.Analysis.Mechanisms;
using Tracer.Analysis.Verdicts;

namespace Tracer.Analysis.Report;

/// <summary>
/// Counts the evidence for a culprit and against it, by kind. Everything that was looked at counts, also what the name does not rest on.
/// </summary>
internal static class CaseVotes
{
    /// <param name="episodes">The number of episodes of its ranking.</param>
    /// <param name="beat">The beat of its episodes; null where there is none.</param>
    public static CulpritVotes Of(
        Suspect suspect, int episodes, Beat? beat, WithoutCulprit? without, DriverTable table, IReadOnlyList<Blackout> blackouts)
    {
        var votes = new Tally();
        votes.Add(VoteKind.Episode, suspect.Episodes, episodes - suspect.Episodes);
        List<NamedCause> parts = [.. suspect.Parts.Select(part => part.Cause)];
        votes.Add(VoteKind.Routine, RunsOf(parts.Where(part => part.Proof == Proof.Routine)), 0);
        votes.Add(
            VoteKind.WdfEvent, RunsOf(parts.Where(part => part.Proof == Proof.WdfEvent)),
            RunsOf(parts.Where(part => part.Finding?.Announced is not null)));
        AddSamples(votes, suspect);
        votes.Add(VoteKind.Vector, RunsOf(parts.Where(part => part.Proof == Proof.Vector)), 0);
        AddEdges(votes, suspect, blackouts);
        votes.Add(VoteKind.Switch, parts.Count(part => part.Proof == Proof.Switch), 0);
        votes.Add(VoteKind.Beat, beat?.BeatsWithEvent ?? 0, beat is null ? 0 : beat.Beats - beat.BeatsWithEvent);
        if (without is not null)
        {
            votes.Add(VoteKind.Replay, episodes - without.Episodes, without.Episodes);
        }

        if (suspect.Kind is CulpritKind.Driver or CulpritKind.Kernel && table.Find(suspect.Name) is { } row)
        {
            votes.Add(VoteKind.HarmlessRun, 0, row.Runs - RunsOf(parts));
        }

        return votes.Result();
    }

    private static long RunsOf(IEnumerable<NamedCause> parts) =>
        parts.Sum(part => (long)((part.Share?.Detail as RoutineRan)?.Runs ?? 0));

    /// <summary>The samples of each run once, also those that show others; where runs are shared by samples, those once.</summary>
    private static void AddSamples(Tally votes, Suspect suspect)
    {
        HashSet<(long, ulong)> seen = [];
        bool areStacks = false;
        long own = 0;
        long others = 0;
        foreach ((NamedEpisode episode, NamedCause cause) in suspect.Parts)
        {
            if (cause is not { Finding: { SamplesAsked: > 0 } finding, Proof: not Proof.Edges }
                || !seen.Add((finding.VotedBy is not null ? long.MinValue : episode.Candidate.FromTicks, finding.Routine)))
            {
                continue;
            }

            areStacks |= cause.Proof == Proof.Stack;
            bool isInner = finding.Inner is not null;
            own += isInner ? finding.SamplesAsked - finding.Samples : finding.Samples;
            others += isInner ? finding.Samples : finding.SamplesAsked - finding.Samples;
        }

        votes.Add(areStacks ? VoteKind.Stack : VoteKind.Sample, own, others + Evidence.OthersInside(suspect).Samples);
    }

    /// <summary>For code at edges the blackouts with it; for the machine itself those whose edges nobody's code explains.</summary>
    private static void AddEdges(Tally votes, Suspect suspect, IReadOnlyList<Blackout> blackouts)
    {
        if (suspect.Main is not { Proof: Proof.Edges, Blackout: { } blackout } main)
        {
            return;
        }

        if (main.Finding is { } finding)
        {
            votes.Add(VoteKind.Edges, finding.Samples, finding.SamplesAsked - finding.Samples);
            return;
        }

        List<Blackout> alike = [.. blackouts.Where(other => other.IsWholeMachine == blackout.IsWholeMachine)];
        int unowned = alike.Count(other => other.Owner?.Owner is null);
        votes.Add(VoteKind.Edges, unowned, alike.Count - unowned);
    }

    private sealed class Tally
    {
        private readonly List<Vote> _for = [];
        private readonly List<Vote> _against = [];

        public void Add(VoteKind kind, long own, long against)
        {
            if (own > 0)
            {
                _for.Add(new Vote(kind, own));
            }

            if (against > 0)
            {
                _against.Add(new Vote(kind, against));
            }
        }

        public CulpritVotes Result() => new() { For = _for, Against = _against };
    }
}
