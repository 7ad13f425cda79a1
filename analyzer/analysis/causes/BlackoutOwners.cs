using Tracer.Analysis.Beats;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Decides, once all blackouts are known, which module is to blame for them: the one whose code stands at the edges of most of them, far
/// more often than chance explains. If different code stands at the edges each time, only the machine itself remains. That is surest where
/// the blackouts keep a period that none of that code keeps.
/// </summary>
internal static class BlackoutOwners
{
    /// <summary>
    /// The largest probability, by chance alone, at which a module at the edges of one CPU's blackouts is blamed. Five percent: software is
    /// the usual reason that one CPU masks interrupts, so that a module is likely to begin with.
    /// </summary>
    private const double ChanceOnOneCpu = 0.05;

    /// <summary>
    /// The same for blackouts of all CPUs. A fiftieth as large: firmware is the usual reason for these, so that accusing a driver takes
    /// more evidence.
    /// </summary>
    private const double ChanceOnAll = 0.001;

    /// <summary>
    /// The same for blackouts of one CPU that keep a strict beat: that is how firmware and hardware behave, and code that keeps the beat by
    /// its own timer stands at nearly all of the edges.
    /// </summary>
    private const double ChanceOnBeat = 0.001;

    /// <summary>
    /// Fewer blackouts of the whole machine than this accuse no module: some code stands at the edge of a single blackout by necessity.
    /// </summary>
    private const int FewestOfAll = 2;

    /// <summary>
    /// Blackouts that a second module must have at its edges, once those of the first one are set aside. Three: it is chosen among the few
    /// that are left, so that chance finds a match more easily.
    /// </summary>
    private const int FewestOfRest = 3;

    /// <summary>
    /// The largest probability by chance at which a second module is blamed; strict for the same reason, that it is chosen among those that
    /// are left.
    /// </summary>
    private const double ChanceOfRest = 0.001;

    /// <summary>
    /// Blackouts that must end in one place of a module, where the module itself is too frequent to be blamed. Three, for the same reason.
    /// </summary>
    private const int FewestOfPlace = 3;

    /// <summary>
    /// Blackouts without any module at their edges needed before the few whose end shows an unknown caller also count as the machine's own.
    /// Fewer than eight do not show what is usual in the trace.
    /// </summary>
    private const int FewestOfMachine = 8;

    /// <summary>
    /// There must be this many machine's own blackouts for each blackout whose end shows an unknown caller. Where unknown callers are more
    /// frequent, they may be a kind of their own.
    /// </summary>
    private const int MachinesForOneUnknown = 4;

    /// <summary>
    /// Blackouts of a CPU, where each by itself may be a clock that was set, that are blackouts. Three: a clock that jumps does so once, or
    /// there and back.
    /// </summary>
    private const int FewestOfClock = 3;

    /// <summary>Sets <see cref="Blackout.Owner"/> of all blackouts of a trace, and confirms the tentative ones that keep a beat.</summary>
    /// <param name="shares">How often each module is on a CPU in general, by profile samples.</param>
    /// <param name="seconds">Converts a time stamp to seconds.</param>
    public static void Assign(IReadOnlyList<Blackout> blackouts, SampleShares shares, Func<long, double> seconds)
    {
        // If all other CPUs were idle, nothing shows whether the whole machine stopped. Then the kind that is more frequent in this trace
        // is assumed.
        int whole = blackouts.Count(blackout => blackout is { IsWholeMachine: true });
        int single = blackouts.Count(blackout => blackout is { IsElsewhereAlive: true, IsTentative: false });
        bool IsOfAll(Blackout blackout) => blackout.IsWholeMachine || (!blackout.IsElsewhereAlive && whole > single);
        FindRepeated(blackouts);
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
    /// A clock that is set forward looks like a blackout of its CPU, but hardly any is set again and again: several of a CPU are
    /// blackouts.
    /// </summary>
    private static void FindRepeated(IReadOnlyList<Blackout> blackouts)
    {
        foreach (IGrouping<int, Blackout> cpu in blackouts.Where(blackout => blackout.MayBeClock).GroupBy(blackout => blackout.Cpu)
            .Where(cpu => cpu.Count() >= FewestOfClock))
        {
            foreach (Blackout blackout in cpu)
            {
                blackout.IsTentative = false;
            }
        }
    }

    /// <summary>
    /// Among the blackouts without an owner, finds those whose end shows an unknown caller. Where they are few among many that show no
    /// module, they are of the same kind.
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
    /// Finds CPUs that stop with a strict period while no module stands at most of the edges. Late samples of the idle CPU on the same beat
    /// are then blackouts, too.
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
            if (Winner([.. onBeat.Where(blackout => !blackout.IsTentative)], shares, kernelCounts: true, ChanceOnBeat)
                is { IsMost: true } winner && winner.LogChance <= Math.Log(ChanceOnBeat))
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
        while (Winner(blackouts, shares, kernelCounts, chance) is { IsMost: true } winner && winner.Of >= fewest
            && winner.LogChance <= Math.Log(chance))
        {
            int told = blackouts.Count(IsTold);
            foreach (Blackout blackout in blackouts)
            {
                // If no sample shows how a blackout ended, as at the end of a trace, it counts as the winner's where nearly all others do.
                OwnerFinding? own = Finding(blackout, winner)
                    ?? (!IsTold(blackout) && winner.Of * 10L >= told * 8L ? winner.Finding : null);
                if (own is not null)
                {
                    blackout.Owner = own with { Proof = Proof.Edges, Samples = winner.Of, SamplesAsked = blackouts.Count };
                    blackout.Place = winner.Place;
                }
            }

            blackouts.RemoveAll(blackout => blackout.Owner is not null);
            (chance, fewest) = (Math.Min(chance, ChanceOfRest), FewestOfRest);
        }

        bool isContested = Winner(blackouts, shares, kernelCounts, chance) is { IsMost: true, Of: > 1 } most
            && most.LogChance <= Math.Log(ChanceOnOneCpu);
        foreach (Blackout blackout in blackouts)
        {
            blackout.IsContested = isContested;
        }
    }

    /// <summary>The module at the edges of the most blackouts.</summary>
    /// <param name="Of">The number of blackouts that have it at an edge.</param>
    /// <param name="IsMost">Whether that is at least half of them.</param>
    /// <param name="LogChance">The probability that it stands at that many edges by chance, as a natural logarithm.</param>
    /// <param name="Place">The place of the module that counts; null for all of it.</param>
    private sealed record Vote(OwnerFinding Finding, int Of, bool IsMost, double LogChance, EdgePlace? Place = null);

    /// <summary>
    /// The module that stands at the edges of the most blackouts; where that one is too frequent to be blamed, the module of which one
    /// place does that is rare elsewhere: its code on one CPU, for one process, or one piece of it.
    /// </summary>
    private static Vote? Winner(List<Blackout> blackouts, SampleShares shares, bool kernelCounts, double chance)
    {
        Vote? most = WinnerAnywhere(blackouts, shares, kernelCounts);
        return most is null || (most.IsMost && most.LogChance <= Math.Log(chance))
            ? most
            : Enum.GetValues<PlaceKind>().Select(kind => WinnerOfPlaces(blackouts, shares, kernelCounts, kind)).OfType<Vote>()
                .Where(vote => vote.LogChance <= Math.Log(chance))
                .MinBy(vote => vote.LogChance) ?? most;
    }

    private static Vote? WinnerAnywhere(List<Blackout> blackouts, SampleShares shares, bool kernelCounts)
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

        // On a tie the code after the blackout decides: where a CPU resumes says more than what it ran some time before.
        (OwnerFinding finding, int of, int atEdges, _) = votes.OrderByDescending(vote => vote.Value.Count)
            .ThenByDescending(vote => vote.Value.Edges).ThenByDescending(vote => vote.Value.Ends).ThenBy(vote => vote.Key)
            .First().Value;
        double share = ShareOf(shares.Of(finding.Owner!) - atEdges, shares.Busy - edges);
        return new Vote(finding, of, of * 2 >= blackouts.Count, LogChanceOf(of, blackouts.Count, share, edges));
    }

    /// <summary>
    /// The place of one kind in which most blackouts end, and that chance explains least. What ran before one may have ended before it
    /// began; what a CPU resumes in was there all the time.
    /// </summary>
    private static Vote? WinnerOfPlaces(List<Blackout> blackouts, SampleShares shares, bool kernelCounts, PlaceKind kind)
    {
        Dictionary<CodePlace, (OwnerFinding Owner, int Ends, int Edges)> votes = [];
        Span<CodePlace> places = stackalloc CodePlace[CodePlace.Most];
        HashSet<CodePlace> ends = [];
        foreach (Blackout blackout in blackouts)
        {
            ends.Clear();
            foreach (BlackoutEdge edge in blackout.Edges.Where(edge => Counts(edge, kernelCounts)))
            {
                foreach (CodePlace place in places[..PlacesOf(edge, places)])
                {
                    if (place.Kind == kind)
                    {
                        bool isNew = edge.IsAfter && ends.Add(place);
                        (OwnerFinding owner, int count, int all) = votes.GetValueOrDefault(place, (edge.Owner!, 0, 0));
                        votes[place] = (owner, count + (isNew ? 1 : 0), all + 1);
                    }
                }
            }
        }

        // Each is the best of many places: any of them may stand there by chance.
        double choices = Math.Log(Math.Max(1, shares.Places(kind)));
        double allEdges = blackouts.Sum(blackout => blackout.Edges.Count);
        Dictionary<int, int> perCpu = kind != PlaceKind.Cpu ? []
            : blackouts.SelectMany(blackout => blackout.Edges).CountBy(edge => edge.Cpu).ToDictionary();
        return votes.Where(vote => vote.Value.Ends >= FewestOfPlace && 2 * vote.Value.Ends >= blackouts.Count)
            .OrderBy(vote => vote.Key.Image).ThenBy(vote => vote.Key.Value).Select(VoteOf).MinBy(vote => vote.LogChance);

        Vote VoteOf(KeyValuePair<CodePlace, (OwnerFinding Owner, int Ends, int Edges)> vote)
        {
            (CodePlace place, (OwnerFinding finding, int of, int atEdges)) = vote;
            double edges = kind == PlaceKind.Cpu ? perCpu[(int)place.Value] : allEdges;
            double share = ShareOf(shares.Of(in place) - atEdges, shares.BusyOf(in place) - edges);
            double chance = LogChanceOf(of, blackouts.Count, share, edges) + choices;
            return new Vote(finding, of, of * 2 >= blackouts.Count, Math.Min(0, chance), new EdgePlace(place, share));
        }
    }

    /// <summary>The share of code in samples that have nothing to do with blackouts, somewhat above zero also where none hit it.</summary>
    private static double ShareOf(double hits, double of) => Math.Min(1, (Math.Max(0, hits) + 1.0) / (Math.Max(0, of) + 2.0));

    private static double LogChanceOf(int of, int blackouts, double share, double edges) =>
        BinomialTail.LogAtLeast(of, blackouts, 1 - Math.Pow(1 - share, edges / blackouts));

    private static int PlacesOf(BlackoutEdge edge, Span<CodePlace> places) =>
        CodePlace.Of(edge.Owner!.Owner!.Number, edge.Cpu, edge.Caller, edge.Owner.Routine, places);

    private static bool IsTold(Blackout blackout) => blackout.Edges.Any(edge => edge.IsAfter);

    private static bool Counts(BlackoutEdge edge, bool kernelCounts) => edge.Owner?.Owner is { } owner
        && (kernelCounts || Frameworks.RoleOf(owner.Name) != ModuleRole.Kernel);

    private static OwnerFinding Best(IEnumerable<BlackoutEdge> edges) =>
        edges.OrderByDescending(edge => edge.IsAfter).ThenBy(edge => edge.Cpu).First().Owner!;

    /// <summary>The finding of the edge that shows the winner; null where none does.</summary>
    private static OwnerFinding? Finding(Blackout blackout, Vote winner)
    {
        Span<CodePlace> places = stackalloc CodePlace[CodePlace.Most];
        foreach (BlackoutEdge edge in blackout.Edges.OrderByDescending(edge => edge.IsAfter).ThenBy(edge => edge.Cpu))
        {
            if (edge.Owner?.Owner?.Number == winner.Finding.Owner!.Number
                && (winner.Place is not { } place || places[..PlacesOf(edge, places)].Contains(place.Place)))
            {
                return edge.Owner;
            }
        }

        return null;
    }
}
