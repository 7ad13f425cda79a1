namespace Tracer.Symbols;

/// <summary>
/// One search, from near to far: beside the trace, then all folders and stores of this machine in the order of the symbol path, then its
/// servers in that order. As only a file of exactly the wanted identity is taken, a near one is as good as a far one.
/// </summary>
internal sealed class SymbolSearch(SymbolPlaces places, SymbolFileRequest request, CancellationToken cancellation)
{
    private const int CopyStep = 1 << 20;

    private readonly List<SymbolAttempt> _attempts = [];
    private readonly HashSet<string> _looked = new(StringComparer.Ordinal);
    private readonly StoreWriting _writing = new(places, request);

    public async Task<SymbolAnswer> RunAsync()
    {
        FoundFile? found = LookBeside();
        foreach (SymbolPlan.Step step in places.Plan.Steps)
        {
            found ??= await LookNearAsync(step).ConfigureAwait(false);
        }

        foreach (SymbolPlan.Step step in request.IsNearOnly || request.Key is null ? [] : places.Plan.Steps)
        {
            found ??= await LookFarAsync(step).ConfigureAwait(false);
        }

        return new SymbolAnswer(found?.Bytes, found?.Path, found?.Origin, found?.Source ?? SymbolSource.None, _attempts);
    }

    private void Add(string place, SymbolProblem problem) => _attempts.Add(new SymbolAttempt(place, problem.Miss, problem.Text));

    private void Add(string place, SymbolMiss miss, string text) => _attempts.Add(new SymbolAttempt(place, miss, text));

    private FoundFile? LookBeside()
    {
        foreach (string folder in places.Settings.FoldersBeside)
        {
            int before = _attempts.Count;
            if (Use(places.Names.Find(folder, request.Name), SymbolSource.Beside) is { } found)
            {
                return found;
            }

            if (_attempts.Count == before)
            {
                Add(folder, SymbolMiss.NotThere, $"does not have {request.Name}");
            }
        }

        return null;
    }

    private async Task<FoundFile?> LookNearAsync(SymbolPlan.Step step)
    {
        if (step.Element is SymbolUnusableElement unusable)
        {
            Add(unusable.Text, SymbolMiss.NotAsked, unusable.Problem);
        }

        if (step.Folder is { } folder)
        {
            return await LookInFolderAsync(folder).ConfigureAwait(false);
        }

        for (int i = 0; i < (request.Key is null ? 0 : step.Stores.Count); i++)
        {
            (SymbolStoreLocation location, string? store) = (step.Stores[i].Location, step.Stores[i].Folder);
            if (store is null && location.IsDefaultCache && _looked.Add(""))
            {
                Add("The default cache", SymbolMiss.NotAsked, "has no folder on this system");
            }

            if (store is not null && _looked.Add(store))
            {
                int before = _attempts.Count;
                string[] nearer = FoldersOf(step.Stores.Take(i));
                if (await LookInStoreAsync(location, store, nearer).ConfigureAwait(false) is { } found)
                {
                    return await CopyAsync(found, nearer).ConfigureAwait(false);
                }

                if (_attempts.Count == before)
                {
                    Add(store, SymbolMiss.NotThere, $"does not have {request.Name} {request.Key}");
                }
            }
        }

        return null;
    }

    /// <summary>A plain folder has the file itself, below a folder of its kind as debuggers have it, or as a store.</summary>
    private async Task<FoundFile?> LookInFolderAsync(string folder)
    {
        if (!_looked.Add(folder))
        {
            return null;
        }

        int before = _attempts.Count;
        string kind = Path.GetExtension(request.Name).TrimStart('.');
        IEnumerable<string> paths = places.Names.Find(folder, request.Name);
        if (kind.Length > 0)
        {
            paths = paths.Concat(places.Names.Find(folder, kind, request.Name))
                .Concat(places.Names.Find(folder, "symbols", kind, request.Name));
        }

        FoundFile? found = Use(paths, SymbolSource.Folder);
        if (found is null && request.Key is not null)
        {
            found = await LookInStoreAsync(new SymbolStoreLocation(folder), folder, []).ConfigureAwait(false);
        }

        if (found is null && _attempts.Count == before)
        {
            Add(folder, SymbolMiss.NotThere, $"does not have {request.Name}");
        }

        return found is { Source: SymbolSource.Store } inStore ? inStore with { Source = SymbolSource.Folder } : found;
    }

    private async Task<FoundFile?> LookInStoreAsync(SymbolStoreLocation location, string store, IReadOnlyList<string> nearer)
    {
        if (Use(StoreLayout.Find(places.Names, places.Files, store, request, request.Name), SymbolSource.Store) is { } found)
        {
            return found;
        }

        foreach (string path in StoreLayout.Find(places.Names, places.Files, store, request, request.CompressedName))
        {
            if (await ExpandAsync(path, nearer).ConfigureAwait(false) is { } expanded)
            {
                return expanded;
            }
        }

        foreach (string path in StoreLayout.Find(places.Names, places.Files, store, request, StoreLayout.PointerName))
        {
            if (Follow(path, location) is { } led)
            {
                return led;
            }
        }

        return null;
    }

    /// <summary>The first of some files that is the wanted one.</summary>
    private FoundFile? Use(IEnumerable<string> paths, SymbolSource source)
    {
        foreach (string path in paths)
        {
            cancellation.ThrowIfCancellationRequested();
            if (places.Files.Open(path, out string? problem) is not { } bytes)
            {
                if (problem is not null)
                {
                    Add(path, SymbolMiss.Unreadable, problem);
                }

                continue;
            }

            if (request.Check(bytes) is not { } wrong)
            {
                return new FoundFile(bytes, path, path, source);
            }

            (bytes as IDisposable)?.Dispose();
            Add(path, wrong);
        }

        return null;
    }

    private async Task<FoundFile?> ExpandAsync(string path, IReadOnlyList<string> nearer)
    {
        if (places.Files.Open(path, out string? problem) is not { } bytes)
        {
            if (problem is not null)
            {
                Add(path, SymbolMiss.Unreadable, problem);
            }

            return null;
        }

        string[] targets = nearer.Count > 0 ? [.. nearer] : places.Settings.CacheFolder is { } cache ? [cache] : [];
        StoreWriting.Result result = await ExpandAsync(bytes, targets).ConfigureAwait(false);
        (bytes as IDisposable)?.Dispose();
        if (result.Problem is { } wrong)
        {
            Add(path, wrong);
        }

        return result.Bytes is null ? null : new FoundFile(result.Bytes, result.Path!, path, SymbolSource.Store);
    }

    private async Task<StoreWriting.Result> ExpandAsync(SymbolBytes compressed, IEnumerable<string> targets)
    {
        if (!CabinetFile.TryRead(compressed, out CabinetFile? cabinet, out string? unreadable))
        {
            return new StoreWriting.Result(null, null, new SymbolProblem(SymbolMiss.Compressed, unreadable));
        }

        return await _writing.WriteAsync(targets, target => Task.FromResult(
            cabinet.TryExpand(target, places.Settings.MaximumExpandedBytes, out string? problem, cancellation)
                ? null
                : new SymbolProblem(SymbolMiss.Damaged, problem))).ConfigureAwait(false);
    }

    private FoundFile? Follow(string pointer, SymbolStoreLocation store)
    {
        if (places.Files.Open(pointer, out string? problem) is not { } bytes)
        {
            if (problem is not null)
            {
                Add(pointer, SymbolMiss.Unreadable, problem);
            }

            return null;
        }

        (string? path, string? message) = StorePointer.Read(bytes.At(0, StorePointer.MaximumLength));
        (bytes as IDisposable)?.Dispose();
        if (path is null || !StorePointer.MayFollow(path, store, places.Plan.NamedFolders, out string target))
        {
            AddPointer(pointer, path, message);
            return null;
        }

        if (!places.Files.Exists(target))
        {
            Add(pointer, SymbolMiss.Pointer, $"leads to {ForeignText.Printable(target)}, which is not there");
        }

        return Use([target], SymbolSource.Store);
    }

    private void AddPointer(string place, string? path, string? message) => Add(
        place, SymbolMiss.Pointer,
        path is null ? $"says: {ForeignText.Printable(message!)}"
            : $"leads to {ForeignText.Printable(path)}, which is not followed: it is in no local folder of the symbol path");

    private async Task<FoundFile?> LookFarAsync(SymbolPlan.Step step)
    {
        for (int i = 0; i < step.Stores.Count; i++)
        {
            SymbolStoreLocation location = step.Stores[i].Location;
            if (!location.IsServer || !_looked.Add(location.Text))
            {
                continue;
            }

            Uri server = new(location.Text);
            if (places.Client is not { } client)
            {
                Add(ForeignText.Printable(server), SymbolMiss.NotAsked, "is not asked: downloads are off");
                continue;
            }

            string[] nearer = FoldersOf(step.Stores.Take(i));
            ServerQuestion question = new(places, client, request, _writing, ExpandAsync, cancellation);
            ServerQuestion.Answer answer = await question.AskAsync(server, [.. Enumerable.Reverse(nearer)]).ConfigureAwait(false);
            if (answer.File is { } found)
            {
                return await CopyAsync(found, nearer).ConfigureAwait(false);
            }

            if (answer.PointerPath is not null || answer.PointerMessage is not null)
            {
                AddPointer(answer.Place, answer.PointerPath, answer.PointerMessage);
            }
            else
            {
                Add(answer.Place, answer.Problem!);
            }
        }

        return null;
    }

    /// <summary>Copies a file to the stores that are nearer than its own; the nearest one is used.</summary>
    private async Task<FoundFile> CopyAsync(FoundFile found, string[] nearer)
    {
        for (int i = nearer.Length - 1; i >= 0; i--)
        {
            if (StoreLayout.PathOf(places.Files, nearer[i], request) == found.Path)
            {
                continue;
            }

            StoreWriting.Result copy = await _writing.WriteAsync([nearer[i]], target => Copy(found.Bytes, target)).ConfigureAwait(false);
            if (copy.Bytes is null)
            {
                Add(nearer[i], copy.Problem!);
                continue;
            }

            (found.Bytes as IDisposable)?.Dispose();
            found = found with { Bytes = copy.Bytes, Path = copy.Path! };
        }

        return found;
    }

    private Task<SymbolProblem?> Copy(SymbolBytes bytes, Stream target)
    {
        for (long at = 0; at < bytes.Length; at += CopyStep)
        {
            cancellation.ThrowIfCancellationRequested();
            target.Write(bytes.At(at, CopyStep));
        }

        return Task.FromResult<SymbolProblem?>(null);
    }

    private static string[] FoldersOf(IEnumerable<SymbolPlan.Store> stores) =>
        [.. from store in stores where store.Folder is not null select store.Folder];
}
