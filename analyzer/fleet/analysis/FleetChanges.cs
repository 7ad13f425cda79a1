using Tracer.Contract;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// Which clusters are new since a moment, and which are met more or less often: each machine is compared with itself, so that it does not
/// matter which of them send more traces.
/// </summary>
internal static class FleetChanges
{
    /// <summary>Chance that any change of the whole report is a false one, at most: it is asked week after week.</summary>
    public const double FalseAlarms = 0.001;

    /// <summary>Compares what was before a moment with what is since.</summary>
    /// <param name="store">The store, with its clusters.</param>
    /// <param name="sinceMs">The moment, in milliseconds since 1970 UTC.</param>
    /// <returns>The change of each cluster that tells when it was seen.</returns>
    /// <exception cref="IOException">The store failed.</exception>
    public static Dictionary<string, FleetChange> Of(IFleetStore store, long sinceMs)
    {
        Dictionary<string, MatchedRates> rates = [];
        long before = Match(store, sinceMs, rates);
        List<(string Cluster, long Before, long Since, Compared? Compared)> all =
        [
            .. store.Query(FleetQuestions.MetInAll(sinceMs)).Select(row => (
                row.Text(0), row.Number(2) - row.Number(1), row.Number(1), rates.GetValueOrDefault(row.Text(0))?.Of())),
        ];
        int[] told = [.. Enumerable.Range(0, all.Count).Where(index => all[index].Compared is not null)];
        double[] corrected = Corrections.Holm([.. told.Select(index => all[index].Compared!.P)]);
        var chances = told.Zip(corrected).ToDictionary(one => one.First, one => one.Second);
        Dictionary<string, FleetChange> changes = [];
        for (int i = 0; i < all.Count; i++)
        {
            (string cluster, long old, long now, Compared? compared) = all[i];
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
    private static long Match(IFleetStore store, long sinceMs, Dictionary<string, MatchedRates> rates)
    {
        long before = 0;
        using IEnumerator<FleetRow> met = store.Query(FleetQuestions.Met(sinceMs)).GetEnumerator();
        bool hasMore = met.MoveNext();
        foreach (FleetRow watched in store.Query(FleetQuestions.Watched(sinceMs)))
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
}
