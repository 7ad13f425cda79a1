using Tracer.AnalyzerCommand.Commands.Fleet.Store;

namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>How many of some machines have what: each trait, and each value of it.</summary>
internal sealed class FleetMachineCounts
{
    private readonly Dictionary<string, (long There, long OfOneValue)> _traits = [];
    private readonly Dictionary<string, Dictionary<string, long>> _values = [];

    private FleetMachineCounts(long machines) => Machines = machines;

    /// <summary>How many machines there are.</summary>
    public long Machines { get; }

    /// <summary>Of each trait, how many machines have it, and how many have one value of it.</summary>
    public IReadOnlyDictionary<string, (long There, long OfOneValue)> Traits => _traits;

    /// <param name="conditions">Which machines: questions of <see cref="FleetQuestions"/>.</param>
    /// <param name="keeps">Which values are kept: by trait, value and number of machines.</param>
    /// <exception cref="IOException">The store failed.</exception>
    public static FleetMachineCounts Of(
        IFleetStore store, FormattableString conditions, long machines, Func<string, string, long, bool> keeps)
    {
        var counts = new FleetMachineCounts(machines);
        foreach (FleetRow row in store.Query(FleetQuestions.Values(conditions)))
        {
            (string trait, bool isOnly, long having) = (row.Text(0), row.Number(1) == 1, row.Number(3));
            if (FleetTraits.IsDevice(trait))
            {
                continue;
            }

            (long there, long ofOneValue) = counts._traits.GetValueOrDefault(trait);
            counts._traits[trait] = (there + having, ofOneValue + (isOnly ? having : 0));
            if (isOnly && keeps(trait, row.Text(2), having))
            {
                counts.Keep(trait, row.Text(2), having);
            }
        }

        return counts;
    }

    /// <summary>The values of a trait that machines have alone, with how many have each.</summary>
    public IEnumerable<KeyValuePair<string, long>> ValuesOf(string trait) => _values.GetValueOrDefault(trait) ?? [];

    public bool Has(string trait, string value, long machines) => _values.GetValueOrDefault(trait)?.ContainsKey(value) ?? false;

    /// <summary>How many machines have a value, and no other of its trait.</summary>
    public long Of(string trait, string value) => _values.GetValueOrDefault(trait)?.GetValueOrDefault(value) ?? 0;

    /// <summary>What is left without some of the machines.</summary>
    public FleetMachineCounts Without(FleetMachineCounts some)
    {
        var rest = new FleetMachineCounts(Machines - some.Machines);
        foreach ((string trait, (long there, long ofOneValue)) in _traits)
        {
            (long There, long OfOneValue) others = some._traits.GetValueOrDefault(trait);
            rest._traits.Add(trait, (there - others.There, ofOneValue - others.OfOneValue));
            foreach ((string value, long machines) in ValuesOf(trait))
            {
                rest.Keep(trait, value, machines - some.Of(trait, value));
            }
        }

        return rest;
    }

    private void Keep(string trait, string value, long machines)
    {
        if (!_values.TryGetValue(trait, out Dictionary<string, long>? values))
        {
            _values.Add(trait, values = []);
        }

        values[value] = machines;
    }
}
