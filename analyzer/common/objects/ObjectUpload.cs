using System.Net;

namespace Tracer.AnalyzerCommand.Common.Objects;

/// <summary>
/// Puts one object to a presigned address of S3, GCS or Azure, over as many attempts as it takes: the same bytes twice are the same
/// object.
/// </summary>
/// <param name="http">What sends; it must not follow redirects itself.</param>
/// <param name="content">What it is to hold; it must be able to seek.</param>
/// <param name="followsToOtherHosts">Whether a redirect to another host is followed, which then has what the address holds.</param>
internal sealed class ObjectUpload(HttpClient http, Uri address, Stream content, bool followsToOtherHosts)
{
    private const int Attempts = 5;
    private const int MostRedirects = 5;

    /// <summary>Slower servers are given up: bytes in a second.</summary>
    private const long SlowestBytes = 64 * 1024;

    private static readonly TimeSpan LeastPatience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    /// <summary>The pause before the second attempt; twice as long before each one after that.</summary>
    public TimeSpan FirstPause { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <returns>What the server did where it did not take it, as the rest of a sentence; null where it did.</returns>
    public async Task<string?> SendAsync(CancellationToken cancellation)
    {
        TimeSpan pause = FirstPause;
        string problem = "";
        for (int attempt = 1; attempt <= Attempts; attempt++)
        {
            (string? failure, bool mayPass, TimeSpan? wanted) = await TryOnceAsync(cancellation).ConfigureAwait(false);
            if (failure is null || !mayPass)
            {
                return failure;
            }

            problem = failure;
            if (attempt < Attempts)
            {
                TimeSpan next = wanted > pause ? wanted.Value : pause;
                await Task.Delay(next < LongestPause ? next : LongestPause, cancellation).ConfigureAwait(false);
                pause *= 2;
            }
        }

        return $"{problem} (asked {Attempts} times)";
    }

    private static (string? Failure, bool MayPass, TimeSpan? Pause) Judged(HttpResponseMessage response)
    {
        int status = (int)response.StatusCode;
        TimeSpan? wanted = response.Headers.RetryAfter?.Delta ?? (response.Headers.RetryAfter?.Date - DateTimeOffset.UtcNow);
        return status switch
        {
            >= 200 and < 300 => (null, false, null),
            401 or 403 => ($"does not take it ({status}): is the address presigned for PUT, and not too old?", false, null),
            408 or 429 or >= 500 => ($"answers {status}", true, wanted),
            _ => ($"answers {status}", false, null),
        };
    }

    private async Task<(string? Failure, bool MayPass, TimeSpan? Pause)> TryOnceAsync(CancellationToken cancellation)
    {
        TimeSpan enough = LeastPatience + TimeSpan.FromSeconds(content.Length / SlowestBytes);
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(enough);
        try
        {
            Uri current = address;
            for (int redirects = 0; redirects <= MostRedirects; redirects++)
            {
                using HttpResponseMessage response = await PutAsync(current, patience.Token).ConfigureAwait(false);
                if (response.StatusCode is not (HttpStatusCode.TemporaryRedirect or HttpStatusCode.PermanentRedirect))
                {
                    return Judged(response);
                }

                if (response.Headers.Location is not { } location || !Uri.TryCreate(current, location, out Uri? next)
                    || (next.Scheme != Uri.UriSchemeHttps && (next.Scheme != Uri.UriSchemeHttp || current.Scheme == Uri.UriSchemeHttps)))
                {
                    return ("redirects to where it is not followed", false, null);
                }

                if (!followsToOtherHosts && (next.Port != current.Port
                    || !next.IdnHost.Equals(current.IdnHost, StringComparison.OrdinalIgnoreCase)))
                {
                    return ($"redirects to another host, which is not followed without {ObjectStore.FollowOption}", false, null);
                }

                current = next;
            }

            return ($"redirects more than {MostRedirects} times", false, null);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return ($"took longer than {enough.TotalSeconds:0} s", true, null);
        }
        catch (HttpRequestException fault)
        {
            // A name that is unknown and a certificate that is wrong stay so.
            bool mayPass = fault.HttpRequestError is not (HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError);
            return ($"can't be reached: {fault.Message.TrimEnd('.')}", mayPass, null);
        }
        catch (IOException)
        {
            return ("broke off", true, null);
        }
    }

    private async Task<HttpResponseMessage> PutAsync(Uri current, CancellationToken cancellation)
    {
        using var request = new HttpRequestMessage(HttpMethod.Put, current) { Content = new SeekableContent(content) };
        request.Headers.TryAddWithoutValidation("User-Agent", "Tracer");
        // Azure wants to know what sort of object it is; others pass it by.
        request.Headers.TryAddWithoutValidation("x-ms-blob-type", "BlockBlob");
        return await http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, cancellation).ConfigureAwait(false);
    }

    /// <summary>All of a stream, which stays open: it may have to be sent again.</summary>
    private sealed class SeekableContent(Stream content) : HttpContent
    {
        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context)
        {
            content.Position = 0;
            return content.CopyToAsync(stream);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = content.Length;
            return true;
        }
    }
}
