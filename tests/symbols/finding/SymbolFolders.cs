namespace Tracer.Symbols.Tests.Finding;

/// <summary>A folder of this machine for stores and traces, gone after the test; and finders that look there.</summary>
internal sealed class SymbolFolders : IDisposable
{
    public SymbolFolders() => Root = Directory.CreateTempSubdirectory("tracer-find-").FullName;

    public string Root { get; }

    public string Cache => Path.Combine(Root, "default-cache");

    public string this[string name] => Path.Combine(Root, name);

    /// <summary>The files below a folder, but those that are still being written; with slashes, in order.</summary>
    public string[] FilesIn(string folder) => !Directory.Exists(this[folder]) ? [] :
    [
        .. Directory.EnumerateFiles(this[folder], "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(this[folder], path).Replace('\\', '/')).Order(StringComparer.Ordinal),
    ];

    public string Put(string path, byte[] bytes)
    {
        string full = Path.Combine(Root, path);
        Directory.CreateDirectory(Path.GetDirectoryName(full)!);
        File.WriteAllBytes(full, bytes);
        return full;
    }

    public string Put(string path, string text) => Put(path, System.Text.Encoding.UTF8.GetBytes(text));

    /// <summary>A finder over this machine's files.</summary>
    /// <param name="path">The symbol path; <c>{name}</c> stands for a folder here.</param>
    /// <param name="client">Asks servers; null to leave that off.</param>
    /// <param name="beside">A folder of a trace.</param>
    /// <param name="files">Other files than this machine's.</param>
    public SymbolFinder Finder(string path, SymbolClient? client = null, string? beside = null, ISymbolFiles? files = null) => new(
        files ?? new DiskSymbolFiles(),
        HandMadePdb.ReadId,
        new SymbolFinderSettings
        {
            Path = Parse(path.Replace("{", Root + Path.DirectorySeparatorChar, StringComparison.Ordinal)
                .Replace("}", "", StringComparison.Ordinal)),
            FoldersBeside = beside is null ? [] : [this[beside]],
            CacheFolder = Cache,
            AskServers = client is not null,
            MaximumExpandedBytes = 64 << 20,
        },
        client);

    public static SymbolPath Parse(string text)
    {
        Assert.True(SymbolPath.TryParse(text, _ => null, out SymbolPath? path, out string? problem), problem);
        return path;
    }

    public void Dispose() => Directory.Delete(Root, recursive: true);
}
