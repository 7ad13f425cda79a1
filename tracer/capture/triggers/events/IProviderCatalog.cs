namespace Tracer.Capture.Triggers.Events;

/// <summary>A provider that the machine knows by name.</summary>
public readonly record struct RegisteredProvider(string Name, Guid Id);

public readonly record struct ManifestEvent(ushort Id, byte Version);

/// <summary>What the machine knows of event providers: their names, their events, and what these look like.</summary>
public interface IProviderCatalog
{
    IReadOnlyList<RegisteredProvider> Providers();

    /// <summary>The events of a provider; null where the machine has no manifest of it.</summary>
    IReadOnlyList<ManifestEvent>? Events(Guid provider);

    /// <summary>What an event looks like: TRACE_EVENT_INFO of tdh.h; null where the machine does not tell.</summary>
    byte[]? Describe(Guid provider, ManifestEvent one);
}
