namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>Which store a text of the command line means.</summary>
internal static class FleetStores
{
    private const string Remote = "://";

    /// <summary>What is wrong with a store; null when nothing is.</summary>
    /// <param name="store">The store as given; null for a temporary one.</param>
    public static string? Problem(string? store) =>
        store is { Length: 0 } ? "--store: a file is expected"
        : store is null || IsFile(store) ? null
        : ClickHouseAddress.Is(store) ? ClickHouseAddress.Read(store, out string? problem) is null ? problem : null
        : "--store: a file is expected, or clickhouse://HOST:PORT/DATABASE";

    /// <summary>Whether a store is a file, which must not be one that is read or written otherwise.</summary>
    public static bool IsFile(string store) => !store.Contains(Remote, StringComparison.Ordinal);

    /// <exception cref="IOException">It cannot be opened.</exception>
    public static IFleetStore Open(string? store) => store is not null && ClickHouseAddress.Read(store, out _) is { } address
        ? ClickHouseFleetStore.Open(address)
        : SqliteFleetStore.Open(store);
}
