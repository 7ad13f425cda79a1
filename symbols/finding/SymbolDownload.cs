namespace Tracer.Symbols;

/// <summary>How a download ended.</summary>
public enum SymbolDownloadStatus
{
    /// <summary>All bytes are there. What they are is still to be checked.</summary>
    Complete,

    /// <summary>The server says that it does not have the file.</summary>
    NotThere,

    /// <summary>
    /// The server's answer is not accepted: too large, a redirect that is not followed, an encoding that was not asked for.
    /// </summary>
    Refused,

    /// <summary>There was no whole answer, however often the server was asked.</summary>
    Failed,
}

/// <summary>The end of a download.</summary>
/// <param name="Status">How it ended.</param>
/// <param name="Problem">Why it is not complete, as a sentence's end whose beginning is the server: "answers 500".</param>
public readonly record struct SymbolDownload(SymbolDownloadStatus Status, string Problem);

/// <summary>How far a download is.</summary>
/// <param name="Server">The host that is asked.</param>
/// <param name="Name">The file's name.</param>
/// <param name="Bytes">How many are here; fewer than before when it had to begin again.</param>
/// <param name="TotalBytes">How many there will be; null if the server does not tell.</param>
public readonly record struct SymbolProgress(string Server, string Name, long Bytes, long? TotalBytes);
