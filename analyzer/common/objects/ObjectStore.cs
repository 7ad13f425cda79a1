using Tracer.AnalyzerShared.Inputs;
using Tracer.Symbols;

namespace Tracer.AnalyzerCommand.Common.Objects;

/// <summary>
/// Gets traces from addresses that the user gave, and puts cases there. Nothing else of the program reaches a network by it, and no name
/// or password is ever sent.
/// </summary>
internal static class ObjectStore
{
    /// <summary>The option by which redirects to other hosts are followed.</summary>
    public const string FollowOption = "--follow-redirects";

    /// <summary>No trace is larger, in bytes: a server that never ends fills no disk.</summary>
    private const long MostBytes = 64L << 30;

    /// <summary>After so many objects in a row that a server failed to give, it is not asked again.</summary>
    private const int FailuresToGiveUp = 8;

    private static readonly Lazy<HttpClient> Http = new(SymbolClient.CreateHttp);

    private static readonly Lazy<SymbolClient> OneHost = new(() => ClientOf(followsToOtherHosts: false));
    private static readonly Lazy<SymbolClient> AnyHost = new(() => ClientOf(followsToOtherHosts: true));

    /// <summary>Gets a trace: it is in a temporary file, which is gone when the reader is closed.</summary>
    /// <param name="followsToOtherHosts">Whether a redirect to another host is followed, which then has what the address holds.</param>
    /// <exception cref="ObjectUnreachableException">The server did not give it.</exception>
    /// <exception cref="IOException">It cannot be had, or is no trace; the message has nothing of the address that is secret.</exception>
    public static EtlReader Open(string address, bool followsToOtherHosts)
    {
        string name = ObjectAddress.Printable(address);
        if (ObjectAddress.Problem(address) is { } problem)
        {
            throw new IOException(problem);
        }

        FileStream copy = ScratchSpace.File();
        try
        {
            SymbolDownload end = (followsToOtherHosts ? AnyHost : OneHost).Value
                .DownloadAsync(ObjectAddress.Parsed(address)!, copy).GetAwaiter().GetResult();
            if (end.Status != SymbolDownloadStatus.Complete)
            {
                throw new ObjectUnreachableException($"{name}: the server {end.Problem}"
                    + (followsToOtherHosts || !end.Problem.StartsWith("redirects to another host", StringComparison.Ordinal)
                        ? "" : $"; {FollowOption} follows"));
            }
        }
        catch
        {
            copy.Dispose();
            throw;
        }

        copy.Position = 0;
        return PackedTrace.Open(copy, name, null);
    }

    private static SymbolClient ClientOf(bool followsToOtherHosts) => new(Http.Value, new SymbolClientSettings
    {
        Attempts = 4,
        FailuresToGiveUp = FailuresToGiveUp,
        FileTimeout = Timeout.InfiniteTimeSpan,
        MaximumBytes = MostBytes,
        FollowsToOtherHosts = followsToOtherHosts,
    });

    /// <summary>Puts a file in its place, whole or not at all; what was there before is replaced.</summary>
    /// <exception cref="IOException">The server did not take it; the message has nothing of the address that is secret.</exception>
    public static void Put(string address, Stream content, bool followsToOtherHosts)
    {
        var upload = new ObjectUpload(Http.Value, ObjectAddress.Parsed(address)!, content, followsToOtherHosts);
        if (upload.SendAsync(CancellationToken.None).GetAwaiter().GetResult() is { } problem)
        {
            throw new IOException($"{ObjectAddress.Printable(address)}: the server {problem}; the cases are not kept: run it again, or "
                + "write to a file with -o FILE");
        }
    }
}

/// <summary>A server did not give an object; another time it may.</summary>
internal sealed class ObjectUnreachableException(string message) : IOException(message);
