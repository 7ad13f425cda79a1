namespace Tracer.Symbols;

/// <summary>How patient a <see cref="SymbolClient"/> is and what it accepts.</summary>
public sealed record SymbolClientSettings
{
    /// <summary>How often a file is asked for when the server fails or breaks off: at least 1.</summary>
    public int Attempts { get; init; } = 3;

    /// <summary>The pause before the second attempt; twice as long before each one after that.</summary>
    public TimeSpan FirstDelay { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The longest pause, also if the server asks for a longer one.</summary>
    public TimeSpan MaximumDelay { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the beginning of an answer may take.</summary>
    public TimeSpan AnswerTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long no byte may come in the middle of an answer.</summary>
    public TimeSpan SilenceTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long one file may take with all attempts; <see cref="Timeout.InfiniteTimeSpan"/> for as long as it comes.</summary>
    public TimeSpan FileTimeout { get; init; } = TimeSpan.FromMinutes(30);

    /// <summary>
    /// The least that must come of a file in each <see cref="SilenceTimeout"/>, in bytes: a byte now and then is no progress.
    /// </summary>
    public long LeastBytesInTimeout { get; init; } = 30 * 1024;

    /// <summary>Whether a redirect to another host is followed; what is in the address may be a key.</summary>
    public bool FollowsToOtherHosts { get; init; } = true;

    /// <summary>The largest file that is taken, in bytes.</summary>
    public long MaximumBytes { get; init; } = 2L << 30;

    /// <summary>After so many files in a row that failed, a server is not asked again by this process.</summary>
    public int FailuresToGiveUp { get; init; } = 2;

    /// <summary>Told now and then how far a download is; on any thread.</summary>
    public IProgress<SymbolProgress>? Progress { get; init; }
}
