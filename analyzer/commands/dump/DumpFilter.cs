using System.IO.Enumeration;
using Tracer.AnalyzerShared.Options;

namespace Tracer.AnalyzerCommand.Commands.Dump;

/// <summary>Which events <c>analyzer dump</c> prints. What is cheap to look at is looked at first.</summary>
internal sealed class DumpFilter
{
    /// <summary>What stands for all events of the kernel in the place of a provider.</summary>
    public const string Kernel = "kernel";

    private readonly bool[] _wasMet = [];

    /// <summary>Providers by GUID, name or kernel group, with * and ?; empty for all.</summary>
    public required IReadOnlyList<string> Providers
    {
        get;
        init
        {
            field = value;
            _wasMet = new bool[value.Count];
        }
    }

    /// <summary>The providers that no event so far was of, among those whose CPU, process and time were asked for.</summary>
    public IEnumerable<string> NotMet => Providers.Where((_, i) => !_wasMet[i]);

    /// <summary>Names of events, with * and ?; empty for all.</summary>
    public required IReadOnlyList<string> Names { get; init; }

    /// <summary>CPUs; null for all.</summary>
    public required NumberList? Cpus { get; init; }

    /// <summary>Processes; null for all.</summary>
    public required NumberList? Processes { get; init; }

    /// <summary>First time stamp, in ticks.</summary>
    public required long FromTicks { get; init; }

    /// <summary>Last time stamp, in ticks.</summary>
    public required long ToTicks { get; init; }

    /// <summary>From where printed times count, from the header event; null for that.</summary>
    public Duration? Zero { get; init; }

    /// <summary>A filter that lets all events through.</summary>
    public static DumpFilter ForAll() => new()
    {
        Providers = [],
        Names = [],
        Cpus = null,
        Processes = null,
        FromTicks = long.MinValue,
        ToTicks = long.MaxValue,
    };

    public bool TakesTime(in EtlEvent traceEvent) => traceEvent.TimestampTicks >= FromTicks && traceEvent.TimestampTicks <= ToTicks;

    /// <summary>Whether an event passes what its header alone tells.</summary>
    public bool TakesHeader(in EtlEvent traceEvent) =>
        TakesTime(in traceEvent)
        && (Cpus is null || Cpus.Contains(traceEvent.Cpu))
        && (Processes is null || (traceEvent.ProcessId != EtlEvent.NotInHeader && Processes.Contains(traceEvent.ProcessId)));

    /// <summary>Whether every event passes by its provider and name.</summary>
    public bool TakesAllNames => Providers.Count == 0 && Names.Count == 0;

    /// <summary>Whether an event passes by its provider and name.</summary>
    public bool TakesName(in DumpedEvent dumped)
    {
        if (Providers.Count > 0 && !TakesProvider(dumped.Provider, dumped.Group, dumped.ProviderName))
        {
            return false;
        }

        if (Names.Count == 0)
        {
            return true;
        }

        foreach (string pattern in Names)
        {
            if (FileSystemName.MatchesSimpleExpression(pattern, dumped.Name))
            {
                return true;
            }
        }

        return false;
    }

    public static bool IsMeant(string pattern, Guid provider, string group, string? providerName) =>
        (Guid.TryParse(pattern, out Guid id) && id == provider)
        || (group.Length > 0 && pattern.Equals(Kernel, StringComparison.OrdinalIgnoreCase))
        || (group.Length > 0 && FileSystemName.MatchesSimpleExpression(pattern, group))
        || (providerName is not null && FileSystemName.MatchesSimpleExpression(pattern, providerName));

    private bool TakesProvider(Guid provider, string group, string? providerName)
    {
        for (int i = 0; i < Providers.Count; i++)
        {
            if (IsMeant(Providers[i], provider, group, providerName))
            {
                _wasMet[i] = true;
                return true;
            }
        }

        return false;
    }
}
