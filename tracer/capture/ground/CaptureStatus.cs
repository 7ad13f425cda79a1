namespace Tracer.Capture.Ground;

/// <summary>A running capture at one moment; for a live screen. All of it is a copy and may be kept.</summary>
public sealed record CaptureStatus
{
    public required CapturePhase Phase { get; init; }

    /// <summary>Since it began to watch; zero before.</summary>
    public required Duration Elapsed { get; init; }

    /// <summary>How long it is to watch; null for no limit.</summary>
    public required Duration? Limit { get; init; }

    public required Duration Threshold { get; init; }

    /// <summary>What a latency must reach to be captured now: the threshold, or more where worse ones are kept already.</summary>
    public required Duration Bar { get; init; }

    public required IReadOnlyList<TriggerStatus> Triggers { get; init; }

    /// <summary>The longest latency of any trigger; null before the first measurement.</summary>
    public required Duration? Worst { get; init; }

    /// <summary>The episodes that are kept, in order of their number.</summary>
    public required IReadOnlyList<CapturedEpisode> Episodes { get; init; }

    /// <summary>Latencies at or above the threshold so far, one per moment.</summary>
    public required long EpisodesSeen { get; init; }

    /// <summary>Episodes written so far, those that worse ones replaced included.</summary>
    public required int EpisodesCaptured { get; init; }

    /// <summary>Who is to blame in the episodes that are kept, the most blamed time first.</summary>
    public required IReadOnlyList<CaptureSuspect> Suspects { get; init; }

    /// <summary>How far back the ring reaches.</summary>
    public required RingStatus Ring { get; init; }

    /// <summary>What watching costs; null before it began.</summary>
    public CaptureCost? Cost { get; init; }

    public required long EventsLost { get; init; }

    public required long MeasurementsLost { get; init; }

    /// <summary>Bytes of the episodes that are kept.</summary>
    public required long DiskUsedBytes { get; init; }

    /// <summary>Bytes free where they are kept.</summary>
    public required long DiskFreeBytes { get; init; }

    /// <summary>What was wanted and Windows did not grant, a phrase each.</summary>
    public required IReadOnlyList<string> NotGranted { get; init; }
}
