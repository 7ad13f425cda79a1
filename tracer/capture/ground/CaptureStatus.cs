namespace Tracer.Capture.Ground;

/// <summary>A running capture at one moment, as <see cref="CaptureStatusLine"/> has it. All of it is a copy and may be kept.</summary>
public sealed record CaptureStatus
{
    public required CapturePhase Phase { get; init; }

    public required Duration Elapsed { get; init; }

    public required Duration? Limit { get; init; }

    public required Duration Threshold { get; init; }

    /// <summary>What a latency must reach to be captured now: the threshold, or more where worse ones are kept already.</summary>
    public required Duration Bar { get; init; }

    public required IReadOnlyList<TriggerStatus> Triggers { get; init; }

    public required Duration? Worst { get; init; }

    /// <summary>The episodes that are kept, in order of their number.</summary>
    public required IReadOnlyList<CapturedEpisode> Episodes { get; init; }

    public required long EpisodesSeen { get; init; }

    public required int EpisodesCaptured { get; init; }

    public required IReadOnlyList<CaptureSuspect> Suspects { get; init; }

    public required RingStatus Ring { get; init; }

    /// <summary>What watching costs; null before it began.</summary>
    public CaptureCost? Cost { get; init; }

    public required long EventsLost { get; init; }

    public required long MeasurementsLost { get; init; }

    public required long DiskUsedBytes { get; init; }

    /// <summary>Bytes free where they are kept.</summary>
    public required long DiskFreeBytes { get; init; }

    public required IReadOnlyList<string> NotGranted { get; init; }
}
