using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>What clusters are ranked by.</summary>
internal enum FleetOrder
{
    /// <summary>Machines that have them.</summary>
    Machines,

    Time,
}

/// <summary>Puts the report of a fleet together from what a store answers.</summary>
/// <param name="times">From when cases can be.</param>
/// <param name="paths">Where the traces of some cases are: asked once, with all ids that are shown.</param>
internal sealed class FleetBuilder(
    IFleetStore store, FleetTimes times, Func<IReadOnlySet<string>, IReadOnlyDictionary<string, string>> paths)
{
    private const int MostRoutines = 20;

    private const int MostBeats = 1000;

    /// <summary>One bucket from a power of two to the next.</summary>
    private static readonly LogBuckets Octaves = new(0);

    private static readonly string[] NotRecorded = ["the power plan", "settings of the firmware", "settings of drivers"];

    private readonly List<string> _warnings = [];

    private (string Machine, long Ms)[]? _recordedTimes;

    /// <param name="since">Where what is new begins; null where that was not asked for.</param>
    /// <param name="cluster">The cluster that is looked into; null for none.</param>
    /// <returns>The report; null where no case was judged, or no cluster is called so.</returns>
    /// <exception cref="IOException">The store failed.</exception>
    public FleetReport? Make(FleetOrder order, FleetSince? since, string? cluster)
    {
        if (store.Query(FleetQuestions.Count).First().Number(0) == 0)
        {
            return null;
        }

        var found = FleetClusters.Of(store);
        FleetSummary summary = Summary(found.Causes.Count, since);
        List<FleetRow> rows =
        [
            .. store.Query(FleetQuestions.Clusters)
                .OrderBy(row => found.Causes[row.Text(0)].Mechanism == KebabCase.Of(Mechanism.Unexplained))
                .ThenByDescending(row => row.Number(order == FleetOrder.Machines ? 2 : 5))
                .ThenByDescending(row => row.Number(order == FleetOrder.Machines ? 5 : 2))
                .ThenBy(row => row.Text(0), StringComparer.Ordinal),
        ];
        if (cluster is not null && !rows.Exists(row => row.Text(0) == cluster))
        {
            return null;
        }

        var seen = store.Query(FleetQuestions.Seen(times)).ToDictionary(row => row.Text(0), row => (row.Number(1), row.Number(2)));
        Dictionary<string, FleetChange> changes = summary.SinceUtc is { } from ? FleetChanges.Of(store, times, Ms(from)) : [];
        FleetRow[] listed = [.. rows.Where((row, index) => index < FleetReport.MostClusters || row.Text(0) == cluster)];
        var contrasts = FleetContrasts.Of(store, listed.Select(row => (row.Text(0), DriverOf(row, found))));
        ILookup<string, FleetContrast> shown = contrasts.Shown();
        FleetCase[] examples = [.. listed.Select(row => CaseOf(store.Query(FleetQuestions.Example(row.Text(0))).First()))];
        FleetCase[]? cases = cluster is null ? null
            : [.. store.Query(FleetQuestions.CasesOf(cluster, FleetReport.MostListed)).Select(CaseOf)];
        FleetRow[] unjudged = [.. store.Query(FleetQuestions.Unjudged(FleetReport.MostListed))];
        IReadOnlyDictionary<string, string> places =
            Places([.. examples.Concat(cases ?? []).Select(one => one.Id), .. unjudged.Select(row => row.Text(0))]);
        Warn(summary, rows.Count, contrasts.Compared, changes);
        return new FleetReport
        {
            Summary = summary,
            Clusters = [.. listed.Select((row, index) => Cluster(
                row, found.Causes[row.Text(0)], summary, seen, shown, changes, Placed(examples[index], places)))],
            Latencies = Latencies(),
            Machines = cluster is null ? null
                : [.. store.Query(FleetQuestions.Machines(cluster, FleetReport.MostListed)).Select(row => new FleetMachine(
                    Known(row.Text(0)), row.Number(1), row.Number(2), Time(row.Number(3)), Time(row.Number(4))))],
            Cases = cases?.Select(one => Placed(one, places)).ToArray(),
            Unjudged = unjudged.Length == 0 ? null : [.. unjudged.Select(row => new FleetUnjudged(
                row.Text(0), Known(row.Text(1)), Known(row.Text(2)), Known(row.Text(3)) ?? places.GetValueOrDefault(row.Text(0))))],
            NotRecorded = NotRecorded,
            Warnings = _warnings,
        };
    }

    private FleetSummary Summary(int clusters, FleetSince? since)
    {
        FleetRow cases = store.Query(FleetQuestions.Cases).First();
        FleetRow? judged = store.Query(FleetQuestions.Judged).FirstOrDefault();
        FleetRow? recorded = store.Query(FleetQuestions.Times(times)).FirstOrDefault();
        DateTime? last = recorded is null ? null : Utc(recorded.Number(1));
        return new FleetSummary
        {
            Cases = cases.Number(0),
            Machines = judged?.Number(0) ?? 0,
            Judged = cases.Number(1),
            Undecided = cases.Number(2),
            Unreadable = cases.Number(3),
            Lossy = cases.Number(4),
            WithoutMachine = cases.Number(5),
            FromUtc = recorded is null ? null : Utc(recorded.Number(0)),
            ToUtc = last,
            Threshold = new Duration(cases.Number(6)),
            MinPriority = cases.Number(7),
            Episodes = judged?.Number(1) ?? 0,
            DeadlinesMissed = judged?.Number(3) ?? 0,
            Glitches = cases.Number(8),
            OverThreshold = Time(judged?.Number(2) ?? 0),
            Clusters = clusters,
            SinceUtc = since?.At(last),
        };
    }

    private FleetCluster Cluster(
        FleetRow row, (string Mechanism, string Owner) cause, FleetSummary summary, Dictionary<string, (long First, long Last)> seen,
        ILookup<string, FleetContrast> contrasts, Dictionary<string, FleetChange> changes, FleetCase example)
    {
        string id = row.Text(0);
        FleetRoutine[] routines =
        [
            .. store.Query(FleetQuestions.Routines(id, MostRoutines)).Select(one => new FleetRoutine(
                Known(one.Text(0)), Known(one.Text(1)), one.Number(2), Time(one.Number(3)))),
        ];
        return new FleetCluster
        {
            Id = id,
            Mechanism = KebabCase.Read<Mechanism>(cause.Mechanism) ?? Mechanism.Unexplained,
            Kind = KebabCase.Read<CulpritKind>(row.Text(1)),
            Owner = Known(cause.Owner),
            Device = row.Text(1) != KebabCase.Of(CulpritKind.Driver) ? null
                : store.Query(FleetQuestions.Devices(id, cause.Owner, 1)).Select(one => one.Text(0)).FirstOrDefault(),
            Routine = routines.FirstOrDefault(one => one.Name is not null)?.Name,
            BeatSeconds = Beat(id),
            Machines = row.Number(2),
            MachineShare = summary.Machines > 0 ? (double)row.Number(2) / summary.Machines : 0,
            Cases = row.Number(3),
            Episodes = row.Number(4),
            Time = Time(row.Number(5)),
            TimeShare = summary.OverThreshold > Duration.Zero
                ? Math.Min(1, row.Number(5) * 1000.0 / summary.OverThreshold.Nanoseconds)
                : 0,
            Worst = Time(row.Number(6)),
            Example = example,
            FirstUtc = seen.TryGetValue(id, out (long First, long Last) when) ? Utc(when.First) : null,
            LastUtc = seen.ContainsKey(id) ? Utc(when.Last) : null,
            ClockTimes = FleetPlannedTimes.Of(RecordedTimes(id), _recordedTimes ??= RecordedTimes(null)),
            WorstOfCases = WorstOfCases(id),
            Routines = routines,
            Contrasts = [.. contrasts[id]],
            Since = changes.GetValueOrDefault(id),
        };
    }

    /// <summary>Bins from a power of two of microseconds to the next, without empty ones at the ends.</summary>
    private FleetBin[] WorstOfCases(string cluster)
    {
        ILookup<int, long> bins = store.Query(FleetQuestions.WorstOfCases(cluster, FleetReport.MostListed))
            .Select(row => row.Number(0)).Where(us => us > 0).ToLookup(Octaves.IndexOf);
        int least = bins.Select(one => one.Key).DefaultIfEmpty().Min();
        int most = bins.Select(one => one.Key).DefaultIfEmpty(-1).Max();
        return [.. Enumerable.Range(least, Math.Max(0, most - least + 1))
            .Select(bin => new FleetBin(Time(Octaves.LowestAt(bin)), Time(Octaves.LowestAt(bin + 1)), bins[bin].LongCount()))];
    }

    private (string Machine, long Ms)[] RecordedTimes(string? cluster) =>
        [.. store.Query(FleetQuestions.RecordedTimes(times, cluster)).Select(row => (row.Text(0), row.Number(1)))];

    /// <summary>The beat in the middle of those that cases have, each case once.</summary>
    private double? Beat(string cluster)
    {
        List<(long Ms, long Cases)> beats =
            [.. store.Query(FleetQuestions.Beats(cluster, MostBeats)).Select(row => (row.Number(0), row.Number(1)))];
        long half = beats.Sum(one => one.Cases) / 2;
        foreach ((long ms, long cases) in beats.OrderBy(one => one.Ms))
        {
            half -= cases;
            if (half <= 0)
            {
                return ms / 1000.0;
            }
        }

        return null;
    }

    private FleetLatency[] Latencies()
    {
        Dictionary<(string, string), HdrHistogram> merged = [];
        foreach (FleetRow row in store.Query(FleetQuestions.Latencies))
        {
            (string, string) key = (row.Text(0), row.Text(1));
            if (!merged.TryGetValue(key, out HdrHistogram? histogram))
            {
                merged.Add(key, histogram = new HdrHistogram(FleetHistogram.Layout));
            }

            FleetHistogram.Add(histogram, row.Number(2), row.Number(3));
        }

        List<FleetLatency> latencies = [];
        foreach (FleetRow row in store.Query(FleetQuestions.Longest))
        {
            if (KebabCase.Read<LatencyKind>(row.Text(0)) is { } kind && KebabCase.Read<LatencySource>(row.Text(1)) is { } source
                && merged.TryGetValue((row.Text(0), row.Text(1)), out HdrHistogram? all) && all.Count > 0)
            {
                Duration longest = Time(row.Number(2));
                latencies.Add(new FleetLatency(kind, source, all.Count, At(50), At(99), At(99.9), longest, HdrEncoding.Encode(all)));

                // A bucket may reach beyond what was measured.
                Duration At(double percent) => new(Math.Min(all.AtPercentile(percent), longest.Nanoseconds));
            }
        }

        return [.. latencies];
    }

    private Dictionary<string, string> Places(HashSet<string> ids)
    {
        Dictionary<string, string> places = new(paths(ids));
        foreach (string[] some in ids.Chunk(FleetLoad.BatchCases))
        {
            foreach (FleetRow row in store.Query(FleetQuestions.Traces(some)))
            {
                places[row.Text(0)] = row.Text(1);
            }
        }

        return places;
    }

    private void Warn(FleetSummary summary, int clusters, int compared, Dictionary<string, FleetChange> changes)
    {
        Add(summary.Unreadable, "could not be read, and are neither affected nor unaffected");
        Add(summary.Undecided, "lack what is needed to tell, and are neither affected nor unaffected");
        Add(summary.Lossy, "have losses or damage, and were judged by what there is");
        Add(summary.WithoutMachine, "do not name their machine, and count for time only; 'analyzer blame --machine' names it");
        List<FleetRow> astray = [.. store.Query(FleetQuestions.Astray(times))];
        if (astray.Count > 0)
        {
            long ahead = astray.Sum(row => row.Number(2));
            long before = astray.Sum(row => row.Number(1)) - ahead;
            string when = ahead == 0 ? $"before {Day(times.FirstMs)}"
                : before == 0 ? $"after {Day(times.LastMs)}"
                : $"before {Day(times.FirstMs)} or after {Day(times.LastMs)}";
            Add(ahead + before, $"claim to be recorded {when}: a clock was wrong, and they do not count for when anything was seen "
                + $"({SomeNames.Of([.. astray.Select(row => Known(row.Text(0)) ?? "of unknown machines")])})");
        }

        if (clusters > FleetReport.MostClusters)
        {
            _warnings.Add($"Only the first {FleetReport.MostClusters:N0} of {clusters:N0} causes are listed.");
        }

        if (clusters > FleetContrasts.MostClusters)
        {
            _warnings.Add($"Machines are compared for the first {FleetContrasts.MostClusters} of {clusters:N0} causes.");
        }

        if (compared == 0 && clusters > 0)
        {
            _warnings.Add($"Nothing can be said about what affected machines share: that takes {FleetContrasts.LeastMachines} machines "
                + $"that have a cause and {FleetContrasts.LeastMachines} that do not.");
        }

        if (changes.Count > 0 && changes.Values.All(change => change.Chance is null))
        {
            _warnings.Add("Too few machines were seen before and since to tell whether a rate changed.");
        }

        if (changes.Values.Any(change => change.OthersSince is not null))
        {
            _warnings.Add("Some causes are compared on other machines since than before: what tells these apart may be why a rate "
                + "changed.");
        }

        void Add(long count, string what)
        {
            if (count > 0)
            {
                _warnings.Add($"{count:N0} of {summary.Cases:N0} cases {what}.");
            }
        }
    }

    private static string? DriverOf(FleetRow row, FleetClusters found) =>
        row.Text(1) == KebabCase.Of(CulpritKind.Driver) ? found.Causes[row.Text(0)].Owner : null;

    private FleetCase CaseOf(FleetRow row) => new(
        row.Text(0), Known(row.Text(1)), times.Has(row.Number(2)) ? Utc(row.Number(2)) : null, row.Number(3), Time(row.Number(4)),
        Time(row.Number(5)), null);

    private static FleetCase Placed(FleetCase one, IReadOnlyDictionary<string, string> places) =>
        one with { Trace = places.GetValueOrDefault(one.Id) };

    private static string? Known(string text) => text.Length > 0 ? text : null;

    private static Duration Time(long us) => new(us * 1000);

    private static DateTime Utc(long ms) => DateTimeOffset.FromUnixTimeMilliseconds(ms).UtcDateTime;

    private static string Day(long ms) => Utc(ms).ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);

    private static long Ms(DateTime utc) => new DateTimeOffset(utc).ToUnixTimeMilliseconds();
}
