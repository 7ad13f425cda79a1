using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Says who is to blame for blackouts, when all are known: the module that stands at the edges of most of them, far more often than
/// chance puts it there. Where each time other code stood there, nobody but the machine itself is left.
/// </summary>
internal static class BlackoutOwners
{
    /// <summary>Interrupts of one CPU are masked by software, as a rule; the chance of a wrong name may be larger.</summary>
    private const double ChanceOnOneCpu = 0.05;

    /// <summary>All CPUs are stopped by firmware, as a rule.</summary>
    private const double ChanceOnAll = 0.001;

    /// <summary>Somebody always stands where the machine stops once, and most of them stand there rarely.</summary>
    private const int FewestOfAll = 2;

    /// <summary>Sets <see cref="Blackout.Owner"/> of all blackouts of a trace.</summary>
    /// <param name="blackouts">The blackouts.</param>
    /// <param name="shares">How often each module is on a CPU anyway.</param>
    public static void Assign(IReadOnlyList<Blackout> blackouts, SampleShares shares)
    {
        // Where the others idled nothing tells whether they would have gone on: what is usual in this trace is likelier.
        int whole = blackouts.Count(blackout => blackout.IsWholeMachine);
        int single = blackouts.Count(blackout => blackout.IsElsewhereAlive);
        bool IsOfAll(Blackout blackout) => blackout.IsWholeMachine || (!blackout.IsElsewhereAlive && whole > single);
        Assign([.. blackouts.Where(IsOfAll)], shares, ChanceOnAll, FewestOfAll, kernelCounts: false);
        Assign([.. blackouts.Where(blackout => !IsOfAll(blackout))], shares, ChanceOnOneCpu, fewest: 1, kernelCounts: true);
    }

    private static void Assign(List<Blackout> blackouts, SampleShares shares, double chance, int fewest, bool kernelCounts)
    {
        while (blackouts.Count > 0)
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
                return;
            }

            // Where a CPU goes on tells more than what it did some time before.
            (OwnerFinding finding, int of, int atEdges, _) = votes.OrderByDescending(vote => vote.Value.Count)
                .ThenByDescending(vote => vote.Value.Edges).ThenByDescending(vote => vote.Value.Ends).ThenBy(vote => vote.Key)
                .First().Value;
            double share = (Math.Max(0, shares.Of(finding.Owner!) - atEdges) + 1.0) / (Math.Max(0, shares.Busy - edges) + 2.0);
            double byChance = 1 - Math.Pow(1 - Math.Min(1, share), edges / blackouts.Count);
            if (of < fewest || of * 2 < blackouts.Count || AtLeast(of, blackouts.Count, byChance) > chance)
            {
                return;
            }

            int told = blackouts.Count(IsTold);
            foreach (Blackout blackout in blackouts)
            {
                // Where no sample shows how one ended, as at the end of a trace, it is taken for one of nearly all the others.
                OwnerFinding? own = Finding(blackout, finding) ?? (!IsTold(blackout) && of * 10L >= told * 8L ? finding : null);
                if (own is not null)
                {
                    blackout.Owner = own with { Proof = Proof.Edges, Samples = of, SamplesAsked = blackouts.Count };
                }
            }

            blackouts.RemoveAll(blackout => blackout.Owner is not null);
        }
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

    /// <summary>The chance that something of a given chance happens at least so many times.</summary>
    private static double AtLeast(int times, int of, double chance)
    {
        if (chance >= 1)
        {
            return 1;
        }

        double logChance = Math.Log(Math.Max(chance, 1e-300));
        double logOther = Math.Log(1 - chance);
        double logChoose = 0;
        double sum = 0;
        for (int k = 0; k <= of; k++)
        {
            if (k >= times)
            {
                sum += Math.Exp(logChoose + (k * logChance) + ((of - k) * logOther));
            }

            logChoose += Math.Log(of - k) - Math.Log(k + 1);
        }

        return Math.Min(1, sum);
    }
}
