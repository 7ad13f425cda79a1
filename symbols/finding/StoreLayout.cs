namespace Tracer.Symbols;

/// <summary>Where a store keeps a file.</summary>
/// <remarks>
/// <code>
/// one tier   nic.pdb/KEY/nic.pdb      the file; KEY is PdbId.StoreKey or ImageId.StoreKey
///            nic.pdb/KEY/nic.pd_      the file, compressed
///            nic.pdb/KEY/file.ptr     where it is, or a message
/// two tiers  ni/nic.pdb/KEY/...       in a store with an index2.txt, whatever that holds
/// </code>
/// </remarks>
internal static class StoreLayout
{
    public const string TwoTierMark = "index2.txt";
    public const string PointerName = "file.ptr";

    /// <summary>Where a file is kept in a store that it is written to.</summary>
    public static string PathOf(ISymbolFiles files, string store, SymbolFileRequest request) =>
        request.Tier is { } tier && files.Exists(Path.Combine(store, TwoTierMark))
            ? Path.Combine(store, tier, request.Name, request.Key!, request.Name)
            : Path.Combine(store, request.Name, request.Key!, request.Name);

    /// <summary>The paths of a file in a store, whatever the case of its names.</summary>
    /// <param name="store">The store.</param>
    /// <param name="names">Finds them.</param>
    /// <param name="request">The file that is looked for.</param>
    /// <param name="files">Tells whether the store has two tiers.</param>
    /// <param name="file">The last part: its name, its compressed name, or <see cref="PointerName"/>.</param>
    public static IEnumerable<string> Find(FolderNames names, ISymbolFiles files, string store, SymbolFileRequest request, string file)
    {
        IEnumerable<string> twoTiers = request.Tier is { } tier && files.Exists(Path.Combine(store, TwoTierMark))
            ? names.Find(store, tier, request.Name, request.Key!, file)
            : [];
        return twoTiers.Concat(names.Find(store, request.Name, request.Key!, file));
    }

    public static Uri AddressOf(Uri server, SymbolFileRequest request, string file, bool isTwoTier)
    {
        string[] parts = isTwoTier ? [request.Tier!, request.Name, request.Key!, file] : [request.Name, request.Key!, file];
        return AddressOf(server, parts);
    }

    /// <summary>The address of the file that marks a server's store as one of two tiers.</summary>
    public static Uri MarkOf(Uri server) => AddressOf(server, TwoTierMark);

    private static Uri AddressOf(Uri server, params string[] parts) => new UriBuilder(server)
    {
        Path = server.AbsolutePath.TrimEnd('/') + "/" + string.Join('/', parts.Select(Uri.EscapeDataString)),
        Fragment = "",
    }.Uri;
}
