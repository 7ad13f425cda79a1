using Tracer.Contract;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// What machines of a cluster have more often than the others: versions of drivers and whether they are there at all, firmware, build,
/// processor, model. Each machine counts once, however many traces it sent; one that had several values of something in that time counts
/// for none of them. Where a driver is to blame, only machines that have it are compared: others cannot be affected.
/// </summary>
internal sealed class FleetContrasts
{
    /// <summary>Chance that any contrast of the whole report is a false one, at most.</summary>
    public const double FalseAlarms = 0.01;

    /// <summary>Clusters that are looked into: those that come first.</summary>
    public const int MostClusters = 50;

    /// <summary>Fewer machines on either side show nothing.</summary>
    public const int LeastMachines = 4;

    /// <summary>Contrasts of a cluster that are told.</summary>
    private const int MostContrasts = 40;

    private readonly IFleetStore _store;
    private readonly List<(string Cluster, FleetContrast Contrast)> _all = [];

    private FleetContrasts(IFleetStore store) => _store = store;

    /// <summary>Comparisons made: what chances are corrected for.</summary>
    public int Compared => _all.Count;

    /// <summary>Compares.</summary>
    /// <param name="store">The store, with its clusters.</param>
    /// <param name="clusters">The clusters, and the driver to blame; null where it is none.</param>
    /// <exception cref="IOException">The store failed.</exception>
    public static FleetContrasts Of(IFleetStore store, IEnumerable<(string Cluster, string? Driver)> clusters)
    {
        var contrasts = new FleetContrasts(store);
        foreach ((string cluster, string? driver) in clusters.Take(MostClusters))
        {
            contrasts.Compare(cluster, driver);
        }

        return contrasts;
    }

    /// <summary>The contrasts that are shown, by cluster: the surest first.</summary>
    public ILookup<string, FleetContrast> Shown()
    {
        double[] chances = Corrections.Holm([.. _all.Select(one => one.Contrast.Chance)]);
        return _all.Select((one, index) => (one.Cluster, Contrast: one.Contrast with { Chance = chances[index] }))
            .Where(one => one.Contrast.Chance < FalseAlarms && one.Contrast.Ratio is null or > 1)
            .OrderBy(one => one.Contrast.Chance)
            .ThenByDescending(one => one.Contrast.Low)
            .ThenBy(one => one.Contrast.Trait, StringComparer.Ordinal)
            .ThenBy(one => one.Contrast.Value, StringComparer.Ordinal)
            .GroupBy(one => one.Cluster)
            .SelectMany(cluster => cluster.Take(MostContrasts))
            .ToLookup(one => one.Cluster, one => one.Contrast);
    }

    private void Compare(string cluster, string? driver)
    {
        FormattableString[] all = driver is null ? [] : [FleetQuestions.WithTrait(FleetTraits.Driver(driver))];
        FormattableString[] affected = [.. all, FleetQuestions.Affected(cluster)];
        long machines = One(all);
        long having = One(affected);
        if (having < LeastMachines || machines - having < LeastMachines)
        {
            return;
        }

        Dictionary<string, (long There, long OfOneValue)> affectedTraits = _store.Query(FleetQuestions.Traits(affected))
            .ToDictionary(row => row.Text(0), row => (row.Number(1), row.Number(2)));
        Dictionary<string, (long There, long OfOneValue)> traits = [];
        foreach (FleetRow row in _store.Query(FleetQuestions.Traits(all)))
        {
            traits[row.Text(0)] = (row.Number(1), row.Number(2));
            if (FleetTraits.DriverOf(row.Text(0)) is not null)
            {
                Add(cluster, row.Text(0), null, affectedTraits.GetValueOrDefault(row.Text(0)).There, row.Number(1), having, machines);
            }
        }

        Dictionary<(string, string), long> affectedValues = _store.Query(FleetQuestions.Values(affected, 1))
            .ToDictionary(row => (row.Text(0), row.Text(1)), row => row.Number(2));
        foreach (FleetRow row in _store.Query(FleetQuestions.Values(all, LeastMachines)))
        {
            string trait = row.Text(0);
            Add(
                cluster, trait, row.Text(1), affectedValues.GetValueOrDefault((trait, row.Text(1))), row.Number(2),
                affectedTraits.GetValueOrDefault(trait).OfOneValue, traits.GetValueOrDefault(trait).OfOneValue);
        }
    }

    private void Add(string cluster, string trait, string? value, long having, long with, long allHaving, long all)
    {
        long others = all - with;
        long othersHaving = allHaving - having;
        if (with < LeastMachines || others < LeastMachines || having < 0 || othersHaving < 0 || having > with || othersHaving > others)
        {
            return;
        }

        var compared = ProportionComparison.Of(having, with, othersHaving, others);
        _all.Add((cluster, new FleetContrast
        {
            Trait = trait,
            Value = value,
            Affected = having,
            Machines = with,
            OtherAffected = othersHaving,
            OtherMachines = others,
            Ratio = compared.Ratio,
            Low = compared.Low,
            High = double.IsFinite(compared.High) ? compared.High : null,
            Chance = compared.P,
        }));
    }

    private long One(IReadOnlyList<FormattableString> sets) => _store.Query(FleetQuestions.MachinesIn(sets)).First().Number(0);
}
