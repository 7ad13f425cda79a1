using System.Collections.Concurrent;

namespace Tracer.Symbols;

/// <summary>The places where all searches of one finder look.</summary>
/// <param name="Files">The files of this machine.</param>
/// <param name="Names">Finds them whatever the case of their names.</param>
/// <param name="Plan">The symbol path.</param>
/// <param name="Settings">The folders beside the trace and the cache.</param>
/// <param name="Client">Asks servers; null if they may not be asked.</param>
internal sealed record SymbolPlaces(
    ISymbolFiles Files, FolderNames Names, SymbolPlan Plan, SymbolFinderSettings Settings, SymbolClient? Client)
{
    /// <summary>Servers whose stores are known to have two tiers.</summary>
    public ConcurrentDictionary<Uri, bool> TwoTierServers { get; } = new();
}
