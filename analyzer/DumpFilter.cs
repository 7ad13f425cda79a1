using System.IO.Enumeration;
using Tracer.Contract;
using Tracer.Etl;

namespace Tracer.AnalyzerCommand;

/// <summary>Which events <c>analyzer dump</c> prints. What is cheap to look at is looked at first.</summary>
internal sealed class DumpFilter
{
    /// <summary>What stands for all events of the kernel in the place of a provider.</summary>
    public const string Kernel = "kernel";

    /// <summary>Providers by GUID, name or kernel group, with * and ?; empty for all.</summary>
    public required IReadOnlyList<string> Providers { get; init; }

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

    /// <summary>Whether an event passes what its header alone tells.</summary>
    public bool TakesHeader(in EtlEvent traceEvent) =>
        traceEvent.TimestampTicks >= FromTicks
        && traceEvent.TimestampTicks <= ToTicks
        && (Cpus is null || Cpus.Contains(traceEvent.Cpu))
        && (Processes is null || (traceEvent.ProcessId != EtlEvent.NotInHeader && Processes.Contains(traceEvent.ProcessId)));

    /// <summary>Whether an event passes by its provider and name.</summary>
    /// <param name="provider">GUID of its provider.</param>
    /// <param name="group">Group of a kernel event; empty for others.</param>
    /// <param name="providerName">Name of the provider; null where it is not known.</param>
    /// <param name="name">Name of the event.</param>
    public bool TakesName(in Guid provider, string group, string? providerName, string name)
    {
        if (Providers.Count > 0 && !TakesProvider(provider, group, providerName))
        {
            return false;
        }

        if (Names.Count == 0)
        {
            return true;
        }

        foreach (string pattern in Names)
        {
            if (FileSystemName.MatchesSimpleExpression(pattern, name))
            {
                return true;
            }
        }

        return false;
    }

    private bool TakesProvider(Guid provider, string group, string? providerName)
    {
        foreach (string pattern in Providers)
        {
            if ((Guid.TryParse(pattern, out Guid id) && id == provider)
                || (group.Length > 0 && pattern.Equals(Kernel, StringComparison.OrdinalIgnoreCase))
                || (group.Length > 0 && FileSystemName.MatchesSimpleExpression(pattern, group))
                || (providerName is not null && FileSystemName.MatchesSimpleExpression(pattern, providerName)))
            {
                return true;
            }
        }

        return false;
    }
}
