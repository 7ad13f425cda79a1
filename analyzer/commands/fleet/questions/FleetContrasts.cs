using Tracer.AnalyzerCommand.Commands.Fleet.Store;
using Tracer.Forecast;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

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

    /// <summary>Every machine.</summary>
    private static readonly FormattableString Everywhere = $"";

    private readonly IFleetStore _store;
    private readonly FleetMachineCounts _everywhere;
    private readonly List<double> _chances = [];
    private readonly List<(int Index, string Cluster, FleetContrast Contrast)> _likely = [];

    private FleetContrasts(IFleetStore store)
    {
        _store = store;
        _everywhere = FleetMachineCounts.Of(store, Everywhere, MachinesIn(Everywhere), IsEnough);
    }

    /// <summary>Comparisons made: what chances are corrected for.</summary>
    public int Compared => _chances.Count;

    /// <param name="clusters">The clusters, and the driver to blame; null where it is none.</param>
    /// <exception cref="IOException">The store failed.</exception>
    public static FleetContrasts Of(IFleetStore store, IEnumerable<(string Cluster, string? Driver)> clusters)
    {
        var contrasts = new FleetContrasts(store);

        // Clusters of one driver are among the same machines, which are counted once and forgotten.
        foreach (IGrouping<string?, (string Cluster, string? Driver)> among in clusters.Take(MostClusters).GroupBy(one => one.Driver))
        {
            contrasts.Compare(among.Key is { } driver ? FleetTraits.Driver(driver) : null, among.Select(one => one.Cluster));
        }

        return contrasts;
    }

    /// <summary>What is told of each cluster, that with the least chance first.</summary>
    public ILookup<string, FleetContrast> Shown()
    {
        double[] chances = Corrections.Holm([.. _chances]);
        return _likely.Select(one => (one.Cluster, Contrast: one.Contrast with { Chance = chances[one.Index] }))
            .Where(one => one.Contrast.Chance < FalseAlarms)
            .OrderBy(one => one.Contrast.Chance)
            .ThenByDescending(one => one.Contrast.Low)
            .ThenBy(one => one.Contrast.Trait, StringComparer.Ordinal)
            .ThenBy(one => one.Contrast.Value, StringComparer.Ordinal)
            .GroupBy(one => one.Cluster)
            .SelectMany(cluster => cluster.Take(MostContrasts))
            .ToLookup(one => one.Cluster, one => one.Contrast);
    }

    private static bool IsEnough(string trait, string value, long machines) => machines >= LeastMachines;

    private void Compare(string? driver, IEnumerable<string> clusters)
    {
        // Where all machines have the driver, asking for it costs and changes nothing.
        FormattableString among = driver is null || HaveIt(driver) == _everywhere.Machines ? Everywhere : FleetQuestions.WithTrait(driver);
        FleetMachineCounts? all = null;
        foreach (string cluster in clusters)
        {
            FormattableString affected = $"{among}{FleetQuestions.Affected(cluster)}";
            long having = MachinesIn(affected);
            if (having >= LeastMachines && (all ??= Among(driver)).Machines - having >= LeastMachines)
            {
                Compare(cluster, having, FleetMachineCounts.Of(_store, affected, having, all.Has), all);
            }
        }
    }

    /// <summary>What machines with a driver have: the fewer machines of those with it and those without it are counted.</summary>
    private FleetMachineCounts Among(string? driver)
    {
        long with = driver is null ? _everywhere.Machines : HaveIt(driver);
        return with == _everywhere.Machines ? _everywhere
            : with * 2 < _everywhere.Machines ? FleetMachineCounts.Of(_store, FleetQuestions.WithTrait(driver!), with, IsEnough)
            : _everywhere.Without(FleetMachineCounts.Of(
                _store, FleetQuestions.WithTrait(driver!, FleetWord.NotIn), _everywhere.Machines - with, _everywhere.Has));
    }

    private long MachinesIn(FormattableString conditions) => _store.Query(FleetQuestions.MachinesIn(conditions)).First().Number(0);

    private long HaveIt(string driver) => _everywhere.Traits.GetValueOrDefault(driver).There;

    private void Compare(string cluster, long having, FleetMachineCounts affected, FleetMachineCounts all)
    {
        foreach ((string trait, (long there, long ofOneValue)) in all.Traits)
        {
            (long there, long ofOneValue) affectedOnes = affected.Traits.GetValueOrDefault(trait);
            if (FleetTraits.DriverOf(trait) is not null)
            {
                Add(cluster, trait, null, affectedOnes.there, there, having, all.Machines);
            }

            foreach ((string value, long machines) in all.ValuesOf(trait))
            {
                Add(cluster, trait, value, affected.Of(trait, value), machines, affectedOnes.ofOneValue, ofOneValue);
            }
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
        _chances.Add(compared.P);
        if (compared.P >= FalseAlarms || compared.Ratio <= 1)
        {
            return; // Correcting makes no chance less.
        }

        _likely.Add((_chances.Count - 1, cluster, new FleetContrast
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
}
