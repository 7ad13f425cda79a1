using System.Diagnostics;
using System.Net;
using System.Net.Http.Headers;

namespace Tracer.Symbols;

/// <summary>
/// One file on its way from a server into a stream, over as many attempts as its client makes: an attempt goes on where the one before
/// broke off, if the server's file is surely the same one, and begins again otherwise.
/// </summary>
internal sealed class SymbolTransfer(HttpClient http, SymbolClientSettings settings, Uri address, Stream target, long maximumBytes)
{
    private const int MaximumRedirects = 5;
    private const int BufferSize = 64 * 1024;

    private RangeConditionHeaderValue? _sameFile;
    private long? _totalBytes;

    /// <returns>How it ended; <see cref="SymbolDownloadStatus.Failed"/> if it may be asked again.</returns>
    public async Task<(SymbolDownload End, TimeSpan? Pause)> TryOnceAsync(CancellationToken cancellation)
    {
        Uri current = address;
        for (int redirects = 0; redirects <= MaximumRedirects; redirects++)
        {
            using HttpResponseMessage response = await AskAsync(current, cancellation).ConfigureAwait(false);
            if (response.RequestMessage?.RequestUri is { } asked && asked != current)
            {
                return (Refused("was asked by a client that follows redirects by itself"), null);
            }

            if (response.StatusCode is not (HttpStatusCode.MovedPermanently or HttpStatusCode.Found or HttpStatusCode.SeeOther
                or HttpStatusCode.TemporaryRedirect or HttpStatusCode.PermanentRedirect))
            {
                return (await TakeAsync(response, cancellation).ConfigureAwait(false), PauseOf(response));
            }

            if (response.Headers.Location is not { } location || !Uri.TryCreate(current, location, out Uri? next))
            {
                return (Refused("redirects to nowhere"), null);
            }

            if (next.Scheme != Uri.UriSchemeHttps && (next.Scheme != Uri.UriSchemeHttp || current.Scheme == Uri.UriSchemeHttps))
            {
                return (Refused($"redirects to {ForeignText.Printable(next)}, which is not followed from {current.Scheme}"), null);
            }

            if (!settings.FollowsToOtherHosts && !IsSameHost(current, next))
            {
                return (Refused($"redirects to another host, {ForeignText.Printable(next.Host)}, which is not followed"), null);
            }

            current = next;
        }

        return (Refused($"redirects more than {MaximumRedirects} times"), null);
    }

    private static bool IsSameHost(Uri one, Uri other) =>
        one.IdnHost.Equals(other.IdnHost, StringComparison.OrdinalIgnoreCase) && one.Port == other.Port;

    private static SymbolDownload Refused(string problem) => new(SymbolDownloadStatus.Refused, problem);

    private static SymbolDownload Failed(string problem) => new(SymbolDownloadStatus.Failed, problem);

    private static TimeSpan? PauseOf(HttpResponseMessage response) =>
        response.Headers.RetryAfter?.Delta ?? (response.Headers.RetryAfter?.Date - DateTimeOffset.UtcNow);

    private async Task<HttpResponseMessage> AskAsync(Uri current, CancellationToken cancellation)
    {
        using HttpRequestMessage request = new(HttpMethod.Get, current);
        request.Headers.TryAddWithoutValidation("User-Agent", "Tracer");
        request.Headers.TryAddWithoutValidation("Accept-Encoding", "identity");
        if (target.Length > 0 && _sameFile is not null)
        {
            request.Headers.Range = new RangeHeaderValue(target.Length, null);
            request.Headers.IfRange = _sameFile;
        }

        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(settings.AnswerTimeout);
        try
        {
            return await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, patience.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new TimeoutException($"did not answer within {settings.AnswerTimeout.TotalSeconds:0.###} s");
        }
    }

    private async Task<SymbolDownload> TakeAsync(HttpResponseMessage response, CancellationToken cancellation)
    {
        int status = (int)response.StatusCode;
        switch (status)
        {
            case 200:
                BeginAgain(response);
                break;
            case 206 when IsTheRest(response):
                break;
            case 206 or 416:
                BeginAgain(null);
                return Failed("sent another part of the file than was asked for");
            case 404 or 410:
                return new SymbolDownload(SymbolDownloadStatus.NotThere, $"does not have it ({status})");
            case 403:
                // So answers a store whose contents may not be listed, for a file that it does not have.
                return new SymbolDownload(SymbolDownloadStatus.NotThere, "does not have it or does not give it (403)");
            case 401 or 407:
                return Refused($"wants a name and password ({status})");
            case 408 or 429 or >= 500:
                return Failed($"answers {status}");
            default:
                return Refused($"answers {status}");
        }

        if (response.Content.Headers.ContentEncoding.FirstOrDefault(encoding => encoding != "identity") is { } encoding)
        {
            return Refused($"sends the file encoded as {ForeignText.Printable(encoding)}, which was not asked for");
        }

        return _totalBytes > maximumBytes
            ? Refused($"has a file of {_totalBytes} bytes, more than the {maximumBytes} that are allowed")
            : await CopyAsync(response, cancellation).ConfigureAwait(false);
    }

    private bool IsTheRest(HttpResponseMessage response) =>
        target.Length > 0 && _sameFile is not null
        && response.Content.Headers.ContentRange is { Unit: "bytes" } range
        && range.From == target.Length
        && (range.Length is null || _totalBytes is null || range.Length == _totalBytes);

    private void BeginAgain(HttpResponseMessage? response)
    {
        target.SetLength(0);
        _totalBytes = response?.Content.Headers.ContentLength;
        _sameFile = response?.Headers.ETag is { IsWeak: false } tag ? new RangeConditionHeaderValue(tag)
            : response?.Content.Headers.LastModified is { } time ? new RangeConditionHeaderValue(time)
            : null;
    }

    private async Task<SymbolDownload> CopyAsync(HttpResponseMessage response, CancellationToken cancellation)
    {
        Stream content = await response.Content.ReadAsStreamAsync(cancellation).ConfigureAwait(false);
        byte[] buffer = new byte[BufferSize];
        string name = Uri.UnescapeDataString(address.Segments[^1]);
        (long since, long from) = (Stopwatch.GetTimestamp(), target.Length);
        while (true)
        {
            int count;
            try
            {
                count = await ReadAsync(content, buffer, cancellation).ConfigureAwait(false);
            }
            catch (Exception fault) when (fault is IOException or HttpRequestException or TimeoutException)
            {
                return Failed($"{(fault is TimeoutException ? "fell silent" : "broke off")} after {target.Length}{Of()} bytes");
            }

            if (Stopwatch.GetElapsedTime(since) >= settings.SilenceTimeout)
            {
                if (count > 0 && target.Length + count - from < settings.LeastBytesInTimeout)
                {
                    return Failed($"is too slow: {target.Length + count}{Of()} bytes came, of them "
                        + $"{target.Length + count - from} in the last {Stopwatch.GetElapsedTime(since).TotalSeconds:0.###} s");
                }

                (since, from) = (Stopwatch.GetTimestamp(), target.Length);
            }

            if (count == 0)
            {
                break;
            }

            if (target.Length + count > maximumBytes)
            {
                return Refused($"sends more than the {maximumBytes} bytes that are allowed");
            }

            target.Write(buffer, 0, count);
            settings.Progress?.Report(new SymbolProgress(address.Host, name, target.Length, _totalBytes));
        }

        return _totalBytes is null || target.Length == _totalBytes
            ? new SymbolDownload(SymbolDownloadStatus.Complete, "")
            : Failed($"sent {target.Length} of {_totalBytes} bytes");

        string Of() => _totalBytes is { } total ? $" of {total}" : "";
    }

    private async Task<int> ReadAsync(Stream content, byte[] buffer, CancellationToken cancellation)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(settings.SilenceTimeout);
        try
        {
            return await content.ReadAsync(buffer, patience.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new TimeoutException();
        }
    }
}
