namespace Tracer.Symbols;

/// <summary>A symbol path as it is gone through: caches put before the stores that they keep files of, default caches named.</summary>
internal sealed class SymbolPlan
{
    private SymbolPlan(IReadOnlyList<Step> steps, IReadOnlyList<string> namedFolders) => (Steps, NamedFolders) = (steps, namedFolders);

    /// <summary>The parts in order.</summary>
    public IReadOnlyList<Step> Steps { get; }

    /// <summary>The folders of this machine that the user named.</summary>
    public IReadOnlyList<string> NamedFolders { get; }

    public static SymbolPlan Of(SymbolPath path, string? cacheFolder)
    {
        List<Step> steps = [];
        SymbolStoreLocation[] cache = [];
        foreach (SymbolPathElement element in path.Elements)
        {
            switch (element)
            {
                case SymbolFolderElement folder:
                    steps.Add(new Step(folder, folder.Folder, []));
                    break;
                case SymbolCacheElement { Store: var store }:
                    cache = [store];
                    steps.Add(new Step(element, null, Stores(cache, cacheFolder)));
                    break;
                case SymbolStoresElement { Stores: var stores }:
                    // A default cache that nobody wrote gives way to the cache that somebody did.
                    SymbolStoreLocation[] all = [.. cache, .. stores.Where(store => cache.Length == 0 || !store.IsDefaultCache)];
                    steps.Add(new Step(element, null, Stores(all.Distinct(), cacheFolder)));
                    break;
                default:
                    steps.Add(new Step(element, null, []));
                    break;
            }
        }

        IEnumerable<string> named = path.Elements.SelectMany(NamedBy).Where(store => store.IsLocalFolder).Select(store => store.Text);
        return new SymbolPlan(steps, [.. named.Distinct()]);
    }

    private static Store[] Stores(IEnumerable<SymbolStoreLocation> locations, string? cacheFolder) =>
    [
        .. from location in locations
           select new Store(location, location.IsServer ? null : location.IsDefaultCache ? cacheFolder : location.Text),
    ];

    private static IEnumerable<SymbolStoreLocation> NamedBy(SymbolPathElement element) => element switch
    {
        SymbolFolderElement { Folder: var folder } => [new SymbolStoreLocation(folder)],
        SymbolCacheElement { Store: var store } => [store],
        SymbolStoresElement { Stores: var stores } => stores,
        _ => [],
    };

    /// <summary>One part of the path: a plain folder, or stores, or neither.</summary>
    public sealed record Step(SymbolPathElement Element, string? Folder, IReadOnlyList<Store> Stores);

    /// <summary>A store and its folder, which a server and a default cache that is not there have not.</summary>
    public sealed record Store(SymbolStoreLocation Location, string? Folder);
}
