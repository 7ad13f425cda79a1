using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Says who is to blame for blackouts, when all are known: the module that stands at the edges of most of them, far more often than
/// chance puts it there. Where each time other code stood there, nobody but the machine itself is left, and most of all where they keep a
/// beat that none of that code keeps.
/// </summary>
internal static class BlackoutOwners
{
    /// <summary>Interrupts of one CPU are masked by software, as a rule; the chance of a wrong name may be larger.</summary>
    private const double ChanceOnOneCpu = 0.05;

    /// <summary>All CPUs are stopped by firmware, as a rule.</summary>
    private const double ChanceOnAll = 0.001;

    /// <summary>With one stop of the machine some code stands at its edge by necessity.</summary>
    private const int FewestOfAll = 2;

    /// <summary>What is left when the first owner's are taken away is a choice among few: it must be clearer.</summary>
    private const int FewestOfRest = 3;

    /// <summary>A second owner must be so unlikely by chance: he is chosen among those who are left.</summary>
    private const double ChanceOfRest = 0.001;

    /// <summary>So many stops that are the machine's make the few whose end shows an unknown caller the machine's as well.</summary>
    private const int FewestOfMachine = 8;

    /// <summary>There must be so many of them for each one whose end shows an unknown caller.</summary>
    private const int MachinesForOneUnknown = 4;

    /// <summary>Sets <see cref="Blackout.Owner"/> of all blackouts of a trace, and tells which of the tentative ones are none.</summary>
    /// <param name="blackouts">The blackouts.</param>
    /// <param name="shares">How often each module is on a CPU anyway.</param>
    /// <param name="seconds">Converts a time stamp to seconds.</param>
    public static void Assign(IReadOnlyList<Blackout> blackouts, SampleShares shares, Func<long, double> seconds)
    {
        // Where the others idled nothing tells whether they would have gone on: what is usual in this trace is likelier.
        int whole = blackouts.Count(blackout => blackout is { IsWholeMachine: true });
        int single = blackouts.Count(blackout => blackout is { IsElsewhereAlive: true, IsTentative: false });
        bool IsOfAll(Blackout blackout) => blackout.IsWholeMachine || (!blackout.IsElsewhereAlive && whole > single);
        FindBeats(blackouts, shares, seconds);
        List<Blackout> proven = [.. blackouts.Where(blackout => !blackout.IsTentative)];
        FindRoutines([.. proven.Where(blackout => !IsOfAll(blackout) && blackout.Beat is null)]);
        Assign([.. proven.Where(IsOfAll)], shares, ChanceOnAll, FewestOfAll, kernelCounts: false);
        Assign(
            [.. proven.Where(blackout => !IsOfAll(blackout) && blackout.Beat is null)], shares, ChanceOnOneCpu, fewest: 1,
            kernelCounts: true);
        FindLikeOthers([.. proven.Where(blackout => !IsOfAll(blackout) && blackout.Owner is null)]);
    }

    /// <summary>
    /// Of the stops that no module stands at, those whose end shows an unknown caller: where they are few among many that show nobody, they
    /// are no other kind.
    /// </summary>
    private static void FindLikeOthers(List<Blackout> blackouts)
    {
        List<Blackout> unknown = [.. blackouts.Where(blackout => blackout.Edges.Any(edge => edge.IsOfUnknownCaller))];
        int machines = blackouts.Count - unknown.Count;
        foreach (Blackout blackout in unknown)
        {
            blackout.IsLikeTheMachines = machines >= FewestOfMachine && machines >= MachinesForOneUnknown * unknown.Count;
        }
    }

    /// <summary>
    /// Finds CPUs that stop with a strict period while no module stands at most of the edges: then the late samples of the idle CPU that
    /// keep the same beat are stops too.
    /// </summary>
    private static void FindBeats(IReadOnlyList<Blackout> blackouts, SampleShares shares, Func<long, double> seconds)
    {
        foreach (IGrouping<int, Blackout> cpu in blackouts.Where(blackout => !blackout.IsWholeMachine).GroupBy(blackout => blackout.Cpu))
        {
            List<Blackout> all = [.. cpu];
            if (all.TrueForAll(blackout => blackout.IsTentative)
                || BeatTest.Find([.. all.Select(blackout => seconds(blackout.ToTicks))]) is not { IsClear: true } beat)
            {
                continue;
            }

            List<Blackout> onBeat = [.. all.Where(blackout => beat.Has(seconds(blackout.ToTicks)))];
            if (Winner([.. onBeat.Where(blackout => !blackout.IsTentative)], shares, kernelCounts: true)
                is { IsMost: true } winner && winner.LogChance <= Math.Log(ChanceOnOneCpu))
            {
                continue;
            }

            foreach (Blackout blackout in onBeat)
            {
                blackout.Beat = beat;
                blackout.IsTentative = false;
            }
        }
    }

    private static void FindRoutines(List<Blackout> blackouts)
    {
        foreach (IGrouping<ulong, Blackout> routine in blackouts.Where(blackout => blackout.Routine != 0)
            .GroupBy(blackout => blackout.Routine).Where(routine => 2 * routine.Count() >= blackouts.Count))
        {
            foreach (Blackout blackout in routine)
            {
                blackout.IsOfRoutine = true;
            }
        }
    }

    private static void Assign(List<Blackout> blackouts, SampleShares shares, double chance, int fewest, bool kernelCounts)
    {
        while (blackouts.Count > 0)
        {
            if (Winner(blackouts, shares, kernelCounts) is not { IsMost: true } winner || winner.Of < fewest
                || winner.LogChance > Math.Log(chance))
            {
                return;
            }

            int told = blackouts.Count(IsTold);
            foreach (Blackout blackout in blackouts)
            {
                // Where no sample shows how one ended, as at the end of a trace, it is taken for one of nearly all the others.
                OwnerFinding? own = Finding(blackout, winner.Finding)
                    ?? (!IsTold(blackout) && winner.Of * 10L >= told * 8L ? winner.Finding : null);
                if (own is not null)
                {
                    blackout.Owner = own with { Proof = Proof.Edges, Samples = winner.Of, SamplesAsked = blackouts.Count };
                }
            }

            blackouts.RemoveAll(blackout => blackout.Owner is not null);
            (chance, fewest) = (Math.Min(chance, ChanceOfRest), FewestOfRest);
        }
    }

    /// <summary>The module that stands at the edges of the most blackouts.</summary>
    /// <param name="Finding">The module.</param>
    /// <param name="Of">Of how many.</param>
    /// <param name="IsMost">Whether that is half of them or more.</param>
    /// <param name="LogChance">How often it would by chance stand at the edges of so many, as a natural logarithm.</param>
    private sealed record Vote(OwnerFinding Finding, int Of, bool IsMost, double LogChance);

    private static Vote? Winner(List<Blackout> blackouts, SampleShares shares, bool kernelCounts)
    {
        Dictionary<int, (OwnerFinding Owner, int Count, int Edges, int Ends)> votes = [];
        double edges = 0;
        foreach (Blackout blackout in blackouts)
        {
            edges += blackout.Edges.Count;
            foreach (IGrouping<int, BlackoutEdge> group in blackout.Edges.Where(edge => Counts(edge, kernelCounts))
                .GroupBy(edge => edge.Owner!.Owner!.Number))
            {
                (OwnerFinding owner, int count, int all, int ends) = votes.GetValueOrDefault(group.Key, (Best(group), 0, 0, 0));
                votes[group.Key] = (owner, count + 1, all + group.Count(), ends + group.Count(edge => edge.IsAfter));
            }
        }

        if (votes.Count == 0)
        {
            return null;
        }

        // Where a CPU goes on tells more than what it did some time before.
        (OwnerFinding finding, int of, int atEdges, _) = votes.OrderByDescending(vote => vote.Value.Count)
            .ThenByDescending(vote => vote.Value.Edges).ThenByDescending(vote => vote.Value.Ends).ThenBy(vote => vote.Key)
            .First().Value;
        double share = (Math.Max(0, shares.Of(finding.Owner!) - atEdges) + 1.0) / (Math.Max(0, shares.Busy - edges) + 2.0);
        double byChance = 1 - Math.Pow(1 - Math.Min(1, share), edges / blackouts.Count);
        return new Vote(finding, of, of * 2 >= blackouts.Count, BinomialTail.LogAtLeast(of, blackouts.Count, byChance));
    }

    private static bool IsTold(Blackout blackout) => blackout.Edges.Any(edge => edge.IsAfter);

    private static bool Counts(BlackoutEdge edge, bool kernelCounts) => edge.Owner?.Owner is { } owner
        && (kernelCounts || Frameworks.RoleOf(owner.Name) != ModuleRole.Kernel);

    private static OwnerFinding Best(IEnumerable<BlackoutEdge> edges) =>
        edges.OrderByDescending(edge => edge.IsAfter).ThenBy(edge => edge.Cpu).First().Owner!;

    private static OwnerFinding? Finding(Blackout blackout, OwnerFinding wanted)
    {
        foreach (BlackoutEdge edge in blackout.Edges.OrderByDescending(edge => edge.IsAfter).ThenBy(edge => edge.Cpu))
        {
            if (edge.Owner?.Owner?.Number == wanted.Owner!.Number)
            {
                return edge.Owner;
            }
        }

        return null;
    }
}
