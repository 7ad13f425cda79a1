using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>
/// Which clusters are new since a moment, and which are met more or less often: each machine is compared with itself, so that it does not
/// matter which of them send more traces. Where too few were seen on both sides, those of one side are compared with those of the other, by
/// one case of each: whoever sends more is not seen to suffer more.
/// </summary>
internal static class FleetChanges
{
    /// <summary>Chance that any change of the whole report is a false one, at most: it is asked week after week.</summary>
    public const double FalseAlarms = 0.001;

    /// <summary>Compares what was before a moment with what is since.</summary>
    /// <param name="times">From when cases can be.</param>
    /// <param name="sinceMs">The moment, in milliseconds since 1970 UTC.</param>
    /// <returns>The change of each cluster that tells when it was seen.</returns>
    /// <exception cref="IOException">The store failed.</exception>
    public static Dictionary<string, FleetChange> Of(IFleetStore store, FleetTimes times, long sinceMs)
    {
        Dictionary<string, MatchedRates> rates = [];
        long before = Match(store, times, sinceMs, rates);
        var others = Others.Of(store, times, sinceMs);
        List<(string Cluster, long Before, long Since, Compared? Compared, bool IsOfOthers)> all = [];
        foreach (FleetRow row in store.Query(FleetQuestions.MetInAll(times, sinceMs)))
        {
            Compared? matched = rates.GetValueOrDefault(row.Text(0))?.Of();
            Compared? unmatched = matched is null ? others.Compare(row.Text(0)) : null;
            all.Add((row.Text(0), row.Number(2) - row.Number(1), row.Number(1), matched ?? unmatched, unmatched is not null));
        }

        int[] told = [.. Enumerable.Range(0, all.Count).Where(index => all[index].Compared is not null)];
        double[] corrected = Corrections.Holm([.. told.Select(index => all[index].Compared!.P)]);
        var chances = told.Zip(corrected).ToDictionary(one => one.First, one => one.Second);
        Dictionary<string, FleetChange> changes = [];
        for (int i = 0; i < all.Count; i++)
        {
            (string cluster, long old, long now, Compared? compared, bool isOfOthers) = all[i];
            double? chance = chances.TryGetValue(i, out double known) ? known : null;
            bool isShown = chance < FalseAlarms;
            changes.Add(cluster, new FleetChange
            {
                State = old == 0 && before > 0 ? "new"
                    : isShown && compared!.Ratio is null or > 1 ? "rose"
                    : isShown ? "fell"
                    : chance is null ? "cant-tell"
                    : "not-shown",
                CasesBefore = old,
                CasesSince = now,
                Machines = rates.GetValueOrDefault(cluster)?.Machines ?? 0,
                OthersBefore = isOfOthers ? others.Before : null,
                OthersSince = isOfOthers ? others.Since : null,
                Ratio = compared?.Ratio,
                Low = compared?.Low,
                High = compared is { } one && double.IsFinite(one.High) ? one.High : null,
                Chance = chance,
            });
        }

        return changes;
    }

    /// <summary>Lays what each machine met beside how often it was looked at: both come in the order of machines.</summary>
    /// <returns>Cases from before the moment.</returns>
    private static long Match(IFleetStore store, FleetTimes times, long sinceMs, Dictionary<string, MatchedRates> rates)
    {
        long before = 0;
        using IEnumerator<FleetRow> met = store.Query(FleetQuestions.Met(times, sinceMs)).GetEnumerator();
        bool hasMore = met.MoveNext();
        foreach (FleetRow watched in store.Query(FleetQuestions.Watched(times, sinceMs)))
        {
            (long now, long old) = (watched.Number(1), watched.Number(2) - watched.Number(1));
            before += old;
            for (; hasMore && string.CompareOrdinal(met.Current.Text(0), watched.Text(0)) <= 0; hasMore = met.MoveNext())
            {
                if (met.Current.Text(0) == watched.Text(0))
                {
                    string cluster = met.Current.Text(1);
                    rates.TryAdd(cluster, new MatchedRates());
                    rates[cluster].Add(met.Current.Number(3) - met.Current.Number(2), old, met.Current.Number(2), now);
                }
            }
        }

        return before;
    }

    /// <summary>Machines that were seen on one side only, by one case of each.</summary>
    private sealed record Others(long Before, long Since, Dictionary<string, long> MetBefore, Dictionary<string, long> MetSince)
    {
        /// <summary>Fewer machines on a side, or with a cluster on both together, are no fleet.</summary>
        private const int LeastMachines = 6;

        public static Others Of(IFleetStore store, FleetTimes times, long sinceMs)
        {
            return new Others(Machines(false), Machines(true), Met(false), Met(true));

            long Machines(bool isSince) => store.Query(FleetQuestions.MachinesOnly(times, sinceMs, isSince)).First().Number(0);

            Dictionary<string, long> Met(bool isSince) =>
                store.Query(FleetQuestions.MetOnly(times, sinceMs, isSince)).ToDictionary(row => row.Text(0), row => row.Number(1));
        }

        public Compared? Compare(string cluster)
        {
            long metBefore = MetBefore.GetValueOrDefault(cluster);
            long metSince = MetSince.GetValueOrDefault(cluster);
            if (Before < LeastMachines || Since < LeastMachines || metBefore + metSince < LeastMachines)
            {
                return null;
            }

            var compared = ProportionComparison.Of(metSince, Since, metBefore, Before);
            return new Compared { Ratio = compared.Ratio, Low = compared.Low, High = compared.High, P = compared.P };
        }
    }
}
