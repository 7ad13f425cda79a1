namespace Tracer.Symbols;

/// <summary>Puts a file into a store: written under another name, checked, and only then given its own.</summary>
internal sealed class StoreWriting(SymbolPlaces places, SymbolFileRequest request)
{
    /// <summary>Writes the file into the first store that can be written to.</summary>
    /// <param name="stores">The stores' folders.</param>
    /// <param name="fill">Writes the bytes; says what went wrong.</param>
    /// <returns>The file in the store, or what went wrong.</returns>
    public async Task<Result> WriteAsync(IEnumerable<string> stores, Func<Stream, Task<SymbolProblem?>> fill)
    {
        Result result = new(null, null, new SymbolProblem(SymbolMiss.NotAsked, "is not used: there is no cache to put the file into"));
        foreach (string store in stores)
        {
            using ISymbolFileDraft? draft = places.Files.Begin(store, out string? problem);
            if (draft is not null)
            {
                return await WriteAsync(draft, StoreLayout.PathOf(places.Files, store, request), fill).ConfigureAwait(false);
            }

            result = new Result(null, null, new SymbolProblem(SymbolMiss.Unreadable, $"is not used: the store {store} {problem}"));
        }

        return result;
    }

    private async Task<Result> WriteAsync(ISymbolFileDraft draft, string path, Func<Stream, Task<SymbolProblem?>> fill)
    {
        string? reason;
        try
        {
            if (await fill(draft.Content).ConfigureAwait(false) is { } failure)
            {
                return new Result(null, null, failure);
            }
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            return NotKept(path, "can't be written: " + fault.Message.TrimEnd('.'));
        }

        if (draft.Open(out reason) is not { } written)
        {
            return NotKept(path, reason ?? "is gone");
        }

        // Unmapped before it is renamed, which Windows would refuse otherwise.
        SymbolProblem? wrong = request.CheckWhole(written);
        (written as IDisposable)?.Dispose();
        if (wrong is not null)
        {
            return new Result(null, null, wrong);
        }

        bool isKept = draft.TryKeep(path, out reason);
        if (places.Files.Open(path, out string? unreadable) is not { } bytes)
        {
            return NotKept(path, reason ?? unreadable ?? "is gone");
        }

        // If it was not kept, another process may have been first and use the file: then that one is as good.
        if (request.Check(bytes) is not { } other)
        {
            return new Result(bytes, path, null);
        }

        (bytes as IDisposable)?.Dispose();
        return NotKept(path, isKept ? other.Text : reason ?? other.Text);
    }

    private static Result NotKept(string path, string reason) =>
        new(null, null, new SymbolProblem(SymbolMiss.Unreadable, $"is not used: {path} {reason}"));

    /// <summary>A file in a store, or what is wrong.</summary>
    public readonly record struct Result(SymbolBytes? Bytes, string? Path, SymbolProblem? Problem);
}
