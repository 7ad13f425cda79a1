namespace Tracer.Symbols;

/// <summary>A file that is in use.</summary>
internal sealed record FoundFile(SymbolBytes Bytes, string Path, string Origin, SymbolSource Source);

/// <summary>
/// Asks one server for one file: for the file, the compressed file, and the pointer, as Microsoft's client does; and once more in two tiers
/// if the server's store has them.
/// </summary>
internal sealed class ServerQuestion(
    SymbolPlaces places, SymbolClient client, SymbolFileRequest request, StoreWriting writing,
    Func<SymbolBytes, IEnumerable<string>, Task<StoreWriting.Result>> expand, CancellationToken cancellation)
{
    private const int MaximumMarkLength = 64 * 1024;

    /// <summary>Asks for the file in each form that the server may have it in, until one is there.</summary>
    /// <param name="server">The address of its store.</param>
    /// <param name="targets">Folders of stores to download to; the first that can be written to is used.</param>
    public async Task<Answer> AskAsync(Uri server, IReadOnlyList<string> targets)
    {
        Answer answer = await AskAsync(server, targets, isTwoTier: false).ConfigureAwait(false);
        bool isElsewhere = answer.Problem is { Miss: SymbolMiss.NotThere } && request.Tier is not null
            && await HasTwoTiersAsync(server).ConfigureAwait(false);
        return isElsewhere
            ? await AskAsync(server, targets, isTwoTier: true).ConfigureAwait(false)
            : answer;
    }

    private async Task<Answer> AskAsync(Uri server, IReadOnlyList<string> targets, bool isTwoTier)
    {
        Uri address = StoreLayout.AddressOf(server, request, request.Name, isTwoTier);
        Answer answer = AnswerOf(
            address, await writing.WriteAsync(targets, target => DownloadAsync(address, target)).ConfigureAwait(false));
        if (answer.Problem is not { Miss: SymbolMiss.NotThere } miss)
        {
            return answer;
        }

        address = StoreLayout.AddressOf(server, request, request.CompressedName, isTwoTier);
        answer = AnswerOf(address, await DownloadCompressedAsync(address, targets).ConfigureAwait(false));
        if (answer.Problem is not { Miss: SymbolMiss.NotThere })
        {
            return answer;
        }

        address = StoreLayout.AddressOf(server, request, StoreLayout.PointerName, isTwoTier);
        using MemoryStream pointer = new();
        if (await DownloadAsync(address, pointer, StorePointer.MaximumLength).ConfigureAwait(false) is not { } problem)
        {
            (string? path, string? message) = StorePointer.Read(pointer.GetBuffer().AsSpan(0, (int)pointer.Length));
            return new Answer(ForeignText.Printable(address), null, null, path, message);
        }

        return problem.Miss == SymbolMiss.NotThere
            ? new Answer(ForeignText.Printable(server), null, miss with { Text = $"{miss.Text}: {request.Name} {request.Key}" }, null, null)
            : new Answer(ForeignText.Printable(address), null, problem, null, null);
    }

    private static Answer AnswerOf(Uri address, StoreWriting.Result result)
    {
        string place = ForeignText.Printable(address);
        FoundFile? file = result.Bytes is null ? null : new FoundFile(result.Bytes, result.Path!, place, SymbolSource.Server);
        return new Answer(place, file, result.Problem, null, null);
    }

    private async Task<SymbolProblem?> DownloadAsync(Uri address, Stream target, long maximumBytes = long.MaxValue)
    {
        SymbolDownload download = await client.DownloadAsync(address, target, maximumBytes, cancellation).ConfigureAwait(false);
        return download.Status switch
        {
            SymbolDownloadStatus.Complete => null,
            SymbolDownloadStatus.NotThere => new SymbolProblem(SymbolMiss.NotThere, download.Problem),
            _ => new SymbolProblem(SymbolMiss.Server, download.Problem),
        };
    }

    private async Task<StoreWriting.Result> DownloadCompressedAsync(Uri address, IReadOnlyList<string> targets)
    {
        StoreWriting.Result result = default;
        foreach (string target in targets)
        {
            using ISymbolFileDraft? draft = places.Files.Begin(target, out string? reason);
            if (draft is null)
            {
                result = new StoreWriting.Result(null, null, new SymbolProblem(SymbolMiss.Unreadable, $"is not used: {target} {reason}"));
                continue;
            }

            if (await DownloadAsync(address, draft.Content).ConfigureAwait(false) is { } problem)
            {
                return new StoreWriting.Result(null, null, problem);
            }

            if (draft.Open(out reason) is not { } compressed)
            {
                return new StoreWriting.Result(null, null, new SymbolProblem(SymbolMiss.Damaged, reason ?? "is empty"));
            }

            result = await expand(compressed, targets).ConfigureAwait(false);
            (compressed as IDisposable)?.Dispose();
            return result;
        }

        return result;
    }

    private async Task<bool> HasTwoTiersAsync(Uri server)
    {
        if (!places.TwoTierServers.ContainsKey(server))
        {
            using MemoryStream mark = new();
            if (await DownloadAsync(StoreLayout.MarkOf(server), mark, MaximumMarkLength).ConfigureAwait(false) is not null)
            {
                return false;
            }

            places.TwoTierServers.TryAdd(server, true);
        }

        return true;
    }

    /// <summary>What the server gave: a file, or what is wrong, or a pointer.</summary>
    public sealed record Answer(string Place, FoundFile? File, SymbolProblem? Problem, string? PointerPath, string? PointerMessage);
}
