using Tracer.Contract;

namespace Tracer.Capture;

/// <summary>What a capture is doing.</summary>
public enum CapturePhase
{
    /// <summary>Starts its sessions and sources, and sees whether events arrive.</summary>
    Starting,

    /// <summary>Watches.</summary>
    Watching,

    /// <summary>An episode was heard of; the time after it is being recorded.</summary>
    Recording,

    /// <summary>Writes an episode: snapshot, rundown, merge, blame. Nothing triggers meanwhile.</summary>
    Writing,

    /// <summary>Stops everything and undoes what it changed.</summary>
    Stopping,
}

/// <summary>A running capture at one moment; for a live screen. All of it is a copy and may be kept.</summary>
public sealed record CaptureStatus
{
    /// <summary>What it is doing.</summary>
    public required CapturePhase Phase { get; init; }

    /// <summary>Since it began to watch; zero before.</summary>
    public required Duration Elapsed { get; init; }

    /// <summary>How long it is to watch; null for no limit.</summary>
    public required Duration? Limit { get; init; }

    /// <summary>The user's threshold.</summary>
    public required Duration Threshold { get; init; }

    /// <summary>What a latency must reach to be captured now: the threshold, or more where worse ones are kept already.</summary>
    public required Duration Bar { get; init; }

    /// <summary>What each trigger measured.</summary>
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

    /// <summary>Events that the recorder lost.</summary>
    public required long EventsLost { get; init; }

    /// <summary>Measurements that triggers lost.</summary>
    public required long MeasurementsLost { get; init; }

    /// <summary>Bytes of the episodes that are kept.</summary>
    public required long DiskUsedBytes { get; init; }

    /// <summary>Bytes free where they are kept.</summary>
    public required long DiskFreeBytes { get; init; }

    /// <summary>What was wanted and Windows did not grant, a phrase each.</summary>
    public required IReadOnlyList<string> NotGranted { get; init; }
}

/// <summary>What one trigger measured.</summary>
public sealed record TriggerStatus
{
    /// <summary>Which.</summary>
    public required TriggerKind Kind { get; init; }

    /// <summary>Measurements.</summary>
    public required long Count { get; init; }

    /// <summary>Measurements at or above the user's threshold.</summary>
    public required long OverThreshold { get; init; }

    /// <summary>Measurements lost on the way.</summary>
    public required long Lost { get; init; }

    /// <summary>The longest; null before the first measurement.</summary>
    public required Duration? Worst { get; init; }

    /// <summary>The median, to a quarter of a power of two, upward; null before the first measurement.</summary>
    public required Duration? Median { get; init; }

    /// <summary>99 of 100 are not longer, likewise.</summary>
    public required Duration? P99 { get; init; }

    /// <summary>999 of 1,000 are not longer, likewise.</summary>
    public required Duration? P999 { get; init; }

    /// <summary>Latency of the idle machine; null where it is not measured.</summary>
    public required Duration? Floor { get; init; }

    /// <summary>How many measurements lie in each power of two, from the first bucket used to the last.</summary>
    public required IReadOnlyList<LatencyBucket> Buckets { get; init; }
}

/// <summary>Measurements from one latency up to, not including, another.</summary>
/// <param name="From">The shortest of the bucket.</param>
/// <param name="To">What is longer than all of it.</param>
/// <param name="Count">How many.</param>
public readonly record struct LatencyBucket(Duration From, Duration To, long Count);

/// <summary>How far back the recorder's ring reaches.</summary>
public sealed record RingStatus
{
    /// <summary>Its size in bytes.</summary>
    public required long Bytes { get; init; }

    /// <summary>What it has to cover: time before, time after and what a trigger takes to be heard.</summary>
    public required Duration Wanted { get; init; }

    /// <summary>What the last snapshot covered on all CPUs; null before the first that was full.</summary>
    public required Duration? Measured { get; init; }

    /// <summary>What it covers now by the rate at which buffers fill; null where that is not known yet.</summary>
    public required Duration? Estimated { get; init; }
}

/// <summary>One who is to blame in captured episodes.</summary>
/// <param name="Name">As <see cref="Culprit.Name"/>.</param>
/// <param name="Blamed">Blamed time in the episodes that are kept.</param>
/// <param name="Episodes">How many of them have it as first culprit.</param>
public sealed record CaptureSuspect(string Name, Duration Blamed, int Episodes);
