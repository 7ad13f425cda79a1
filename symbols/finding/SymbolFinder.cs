using System.Collections.Concurrent;

namespace Tracer.Symbols;

/// <summary>
/// Finds the PDB or image of exactly one identity: beside the trace, in the folders and stores of the symbol path, and, only if it may, at
/// the path's servers. A file of another build is never given, whatever its name. What was found or not is remembered; safe for several
/// threads at once.
/// </summary>
/// <example>
/// <code>
/// using SymbolFinder finder = new(new DiskSymbolFiles(), readPdbId, new SymbolFinderSettings { Path = path });
/// SymbolAnswer answer = finder.FindPdb(image.Pdbs[0].FileName, image.PdbId.Value);
/// foreach (SymbolAttempt attempt in answer.Attempts)
/// {
///     Console.WriteLine(attempt); // C:\symbols\nic.pdb is 497B72F6390A44FC878E5A2D63B6CC4B1, not 497B72F6390A44FC878E5A2D63B6CC4B2.
/// }
/// </code>
/// </example>
public sealed class SymbolFinder : IDisposable
{
    private readonly SymbolPlaces _places;
    private readonly PdbIdReader _pdbIds;
    private readonly CancellationTokenSource _end = new();
    private readonly ConcurrentDictionary<SearchKey, Lazy<Task<SymbolAnswer>>> _answers = new();

    /// <summary>Makes a finder.</summary>
    /// <param name="files">The files of this machine.</param>
    /// <param name="pdbIds">Tells the identity of a PDB.</param>
    /// <param name="settings">Where to look.</param>
    /// <param name="client">Asks servers; needed only if the settings let them be asked.</param>
    public SymbolFinder(ISymbolFiles files, PdbIdReader pdbIds, SymbolFinderSettings settings, SymbolClient? client = null)
    {
        ArgumentNullException.ThrowIfNull(files);
        ArgumentNullException.ThrowIfNull(pdbIds);
        ArgumentNullException.ThrowIfNull(settings);
        if (settings.AskServers && client is null)
        {
            throw new ArgumentException("servers can't be asked without a client", nameof(client));
        }

        _pdbIds = pdbIds;
        SymbolPlan plan = SymbolPlan.Of(settings.Path, settings.CacheFolder);
        _places = new SymbolPlaces(files, new FolderNames(files), plan, settings, settings.AskServers ? client : null);
    }

    private enum FileKind
    {
        Pdb,
        Image,
    }

    /// <summary>Finds a PDB.</summary>
    /// <param name="name">Its name, or a path whose last part is its name; the rest of the path is not used.</param>
    /// <param name="id">Its identity.</param>
    /// <param name="cancellation">Ends the search.</param>
    public SymbolAnswer FindPdb(string name, PdbId id, CancellationToken cancellation = default) =>
        FindPdbAsync(name, id, cancellation).GetAwaiter().GetResult();

    /// <summary>Finds an image.</summary>
    /// <param name="name">Its name, or a path whose last part is its name; the rest of the path is not used.</param>
    /// <param name="id">Its identity.</param>
    /// <param name="cancellation">Ends the search.</param>
    public SymbolAnswer FindImage(string name, ImageId id, CancellationToken cancellation = default) =>
        FindImageAsync(name, id, cancellation).GetAwaiter().GetResult();

    /// <summary>Finds an image of which a trace tells what it knows.</summary>
    /// <param name="name">Its name, or a path whose last part is its name; the rest of the path is not used.</param>
    /// <param name="id">Its identity; null where that is not known, so that no store and no server is looked at.</param>
    /// <param name="pdb">The PDB that it must name; null for any. One of the two must be known.</param>
    /// <param name="isNearOnly">Whether no server is asked for it, even if servers may be.</param>
    /// <param name="cancellation">Ends the search.</param>
    public SymbolAnswer FindImage(string name, ImageId? id, PdbId? pdb, bool isNearOnly, CancellationToken cancellation = default)
    {
        if (id is null && pdb is null)
        {
            throw new ArgumentException("an image without any identity can't be told from another", nameof(id));
        }

        string key = string.Create(CultureInfo.InvariantCulture, $"{id?.StoreKey} {pdb?.StoreKey} {isNearOnly}");
        return FindAsync(
            FileKind.Image, name, key, file => SymbolFileRequest.ForImage(file, id, pdb) with { IsNearOnly = isNearOnly }, cancellation)
            .GetAwaiter().GetResult();
    }

    /// <inheritdoc cref="FindPdb"/>
    public Task<SymbolAnswer> FindPdbAsync(string name, PdbId id, CancellationToken cancellation = default) =>
        FindAsync(FileKind.Pdb, name, id.StoreKey, file => SymbolFileRequest.ForPdb(file, id, _pdbIds), cancellation);

    /// <inheritdoc cref="FindImage(string, ImageId, CancellationToken)"/>
    public Task<SymbolAnswer> FindImageAsync(string name, ImageId id, CancellationToken cancellation = default) =>
        FindAsync(FileKind.Image, name, id.StoreKey, file => SymbolFileRequest.ForImage(file, id, null), cancellation);

    /// <summary>Ends searches that are under way and lets go of all files that were found.</summary>
    public void Dispose()
    {
        _end.Cancel();
        foreach (Lazy<Task<SymbolAnswer>> search in _answers.Values)
        {
            search.Value.ContinueWith(
                answer => (answer.Result.Bytes as IDisposable)?.Dispose(),
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnRanToCompletion | TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default);
        }
    }

    private async Task<SymbolAnswer> FindAsync(
        FileKind kind, string path, string key, Func<string, SymbolFileRequest> request, CancellationToken cancellation)
    {
        ObjectDisposedException.ThrowIf(_end.IsCancellationRequested, this);
        if (!SymbolFileName.TryTake(path, out string? name, out string? problem))
        {
            return new SymbolAnswer(
                null, null, null, SymbolSource.None,
                [new SymbolAttempt($"The name \"{ForeignText.Printable(path)}\"", SymbolMiss.NotAsked, problem)]);
        }

        SearchKey search = new(kind, name.ToUpperInvariant(), key);
        while (true)
        {
            Lazy<Task<SymbolAnswer>> answer = _answers.GetOrAdd(
                search, _ => new Lazy<Task<SymbolAnswer>>(() => Begin(request(name), cancellation)));
            try
            {
                return await answer.Value.WaitAsync(cancellation).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                cancellation.ThrowIfCancellationRequested();
                ObjectDisposedException.ThrowIf(_end.IsCancellationRequested, this);

                // Whoever began this search gave it up; it is begun again for us.
                _answers.TryRemove(new KeyValuePair<SearchKey, Lazy<Task<SymbolAnswer>>>(search, answer));
            }
        }
    }

    /// <summary>Begins a search. A browser has one thread, which cannot wait for another: there the search is done at once.</summary>
    private Task<SymbolAnswer> Begin(SymbolFileRequest request, CancellationToken cancellation) => OperatingSystem.IsBrowser()
        ? SearchAsync(request, cancellation)
        : Task.Run(() => SearchAsync(request, cancellation), cancellation);

    private async Task<SymbolAnswer> SearchAsync(SymbolFileRequest request, CancellationToken cancellation)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(cancellation, _end.Token);
        return await new SymbolSearch(_places, request, either.Token).RunAsync().ConfigureAwait(false);
    }

    private readonly record struct SearchKey(FileKind Kind, string Name, string Key);
}
