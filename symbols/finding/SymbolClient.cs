using System.Collections.Concurrent;
using System.Net;

namespace Tracer.Symbols;

/// <summary>
/// Asks symbol servers for files over HTTP and HTTPS, patiently but not for ever. It decides nothing: only a <see cref="SymbolFinder"/>
/// that may ask servers uses it. Files that a server does not have are not asked for again, nor are servers that keep failing, as long as
/// the client lives. Safe for several threads at once.
/// </summary>
public sealed class SymbolClient
{
    private readonly HttpClient _http;
    private readonly ConcurrentDictionary<string, string> _notThere = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<string, Failures> _failures = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Makes a client.</summary>
    /// <param name="http">What sends the requests; it must not follow redirects itself. See <see cref="CreateHttp"/>.</param>
    /// <param name="settings">Timeouts and limits.</param>
    public SymbolClient(HttpClient http, SymbolClientSettings? settings = null)
    {
        ArgumentNullException.ThrowIfNull(http);
        (_http, Settings) = (http, settings ?? new SymbolClientSettings());
        ArgumentOutOfRangeException.ThrowIfLessThan(Settings.Attempts, 1, nameof(settings));
    }

    /// <summary>Timeouts and limits.</summary>
    public SymbolClientSettings Settings { get; }

    /// <summary>
    /// An HTTP client as this one needs it: the system's proxies; no redirects of its own, no decompression, no cookies, no name and
    /// password, no headers for tracing.
    /// </summary>
    public static HttpClient CreateHttp() => new(
        new SocketsHttpHandler
        {
            AllowAutoRedirect = false,
            AutomaticDecompression = DecompressionMethods.None,
            UseCookies = false,
            ActivityHeadersPropagator = null,
            MaxConnectionsPerServer = 8,
            ConnectTimeout = TimeSpan.FromSeconds(15),
            PooledConnectionLifetime = TimeSpan.FromMinutes(5),
        })
    {
        Timeout = Timeout.InfiniteTimeSpan,
    };

    /// <summary>Downloads a file.</summary>
    /// <param name="address">Where it is, over http or https.</param>
    /// <param name="target">Where it goes: an empty stream that can be written to and cut.</param>
    /// <param name="maximumBytes">The most bytes that are taken, if fewer than the settings say.</param>
    /// <param name="cancellation">Ends it.</param>
    public async Task<SymbolDownload> DownloadAsync(
        Uri address, Stream target, long maximumBytes = long.MaxValue, CancellationToken cancellation = default)
    {
        ArgumentNullException.ThrowIfNull(address);
        ArgumentNullException.ThrowIfNull(target);
        if (_notThere.TryGetValue(address.AbsoluteUri, out string? before))
        {
            return new SymbolDownload(SymbolDownloadStatus.NotThere, before);
        }

        Failures failures = _failures.GetOrAdd(address.GetLeftPart(UriPartial.Authority), _ => new Failures());
        if (failures.Count >= Settings.FailuresToGiveUp)
        {
            return new SymbolDownload(SymbolDownloadStatus.Failed, "is not asked again, for it " + failures.Last);
        }

        SymbolTransfer transfer = new(_http, Settings, address, target, Math.Min(maximumBytes, Settings.MaximumBytes));
        SymbolDownload download = await TryAsync(transfer, cancellation).ConfigureAwait(false);
        if (download.Status == SymbolDownloadStatus.NotThere)
        {
            _notThere.TryAdd(address.AbsoluteUri, download.Problem);
        }

        failures.Note(download);
        return download;
    }

    private async Task<SymbolDownload> TryAsync(SymbolTransfer transfer, CancellationToken cancellation)
    {
        using var patience = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        patience.CancelAfter(Settings.FileTimeout);
        TimeSpan delay = Settings.FirstDelay;
        SymbolDownload end = default;
        try
        {
            for (int attempt = 1; attempt <= Settings.Attempts; attempt++)
            {
                TimeSpan? pause;
                (end, pause, bool isFinal) = await TryOnceAsync(transfer, patience.Token).ConfigureAwait(false);
                if (end.Status != SymbolDownloadStatus.Failed || isFinal)
                {
                    return end;
                }

                if (attempt < Settings.Attempts)
                {
                    TimeSpan wanted = pause > delay ? pause.Value : delay;
                    await Task.Delay(wanted < Settings.MaximumDelay ? wanted : Settings.MaximumDelay, patience.Token).ConfigureAwait(false);
                    delay *= 2;
                }
            }
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            return new SymbolDownload(
                SymbolDownloadStatus.Failed, $"took longer than {Settings.FileTimeout.TotalSeconds:0.###} s for one file");
        }

        return Settings.Attempts == 1 ? end : end with { Problem = $"{end.Problem} (asked {Settings.Attempts} times)" };
    }

    private static async Task<(SymbolDownload End, TimeSpan? Pause, bool IsFinal)> TryOnceAsync(
        SymbolTransfer transfer, CancellationToken cancellation)
    {
        try
        {
            (SymbolDownload end, TimeSpan? pause) = await transfer.TryOnceAsync(cancellation).ConfigureAwait(false);
            return (end, pause, false);
        }
        catch (TimeoutException fault)
        {
            return (new SymbolDownload(SymbolDownloadStatus.Failed, fault.Message), null, false);
        }
        catch (HttpRequestException fault)
        {
            // A name that is unknown and a certificate that is wrong stay so.
            bool isFinal = fault.HttpRequestError is HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError;
            string problem = "can't be reached: " + ForeignText.Printable(fault.Message).TrimEnd('.');
            return (new SymbolDownload(SymbolDownloadStatus.Failed, problem), null, isFinal);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or InvalidOperationException)
        {
            // The disk is full: asking again changes nothing.
            return (new SymbolDownload(SymbolDownloadStatus.Refused, "gave a file that can't be taken: " + fault.Message), null, true);
        }
    }

    /// <summary>Files in a row that a server failed to give.</summary>
    private sealed class Failures
    {
        private int _count;

        public int Count => Volatile.Read(ref _count);

        public string Last { get; private set; } = "";

        public void Note(SymbolDownload download)
        {
            if (download.Status == SymbolDownloadStatus.Failed)
            {
                Last = download.Problem;
                Interlocked.Increment(ref _count);
            }
            else
            {
                Volatile.Write(ref _count, 0);
            }
        }
    }
}
