namespace Tracer.Capture.Ground;

public enum CaptureEnd
{
    /// <summary>The time asked for is over.</summary>
    Duration,

    /// <summary>As many episodes as asked for were captured.</summary>
    Episodes,

    /// <summary>The user, or the system, asked for it.</summary>
    Cancelled,

    /// <summary>The disk has too little room for another episode.</summary>
    DiskFull,
}

public sealed record CaptureResult
{
    public required CaptureEnd End { get; init; }

    /// <summary>How it stood at the end; the episodes kept are in it.</summary>
    public required CaptureStatus Status { get; init; }

    /// <summary>Whether a latency reached the user's threshold, captured or not.</summary>
    public bool IsHit => Status.EpisodesSeen > 0;
}

/// <summary>A capture could not begin or go on; everything it had changed is undone.</summary>
/// <param name="message">Why, and what can be done, as one sentence without a full stop.</param>
/// <param name="inner">What was thrown, if something was.</param>
public sealed class CaptureException(string message, Exception? inner = null) : Exception(message, inner);
