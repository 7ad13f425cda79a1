using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>A capture as it stands after a while.</summary>
internal static class StatusSample
{
    /// <summary>The start: nothing is known yet.</summary>
    public static CaptureStatus Nothing { get; } = new()
    {
        Phase = CapturePhase.Starting,
        Elapsed = Duration.Zero,
        Limit = null,
        Threshold = Duration.FromMicroseconds(500),
        Bar = Duration.FromMicroseconds(500),
        Triggers = [Of(TriggerKind.Wakeup, 0, 0, null, [])],
        Worst = null,
        Episodes = [],
        EpisodesSeen = 0,
        EpisodesCaptured = 0,
        Suspects = [],
        Ring = new RingStatus { Bytes = 256 << 20, Wanted = Duration.FromMicroseconds(2_260_000), Measured = null, Estimated = null },
        EventsLost = 0,
        MeasurementsLost = 0,
        DiskUsedBytes = 0,
        DiskFreeBytes = long.MaxValue,
        NotGranted = [],
    };

    /// <summary>Two triggers, three episodes, a ring that is too short.</summary>
    public static CaptureStatus Busy { get; } = Nothing with
    {
        Phase = CapturePhase.Watching,
        Elapsed = Duration.FromSeconds(3_723),
        Limit = Duration.FromSeconds(8 * 3_600),
        Bar = Duration.FromMicroseconds(2_100),
        Triggers =
        [
            Of(
                TriggerKind.Wakeup, 3_723_001, 3, Duration.FromMicroseconds(6_167),
                [2_100_340, 1_500_000, 120_000, 2_600, 55, 2, 1, 0, 2, 1]),
            Of(TriggerKind.Dpc, 812_004, 1, Duration.FromMicroseconds(6_102), [700_000, 112_000, 3, 0, 0, 0, 0, 0, 0, 1]),
        ],
        Worst = Duration.FromMicroseconds(6_167),
        Episodes = [Episode(1, 2_100, null), Episode(2, 6_167, "e1d68x64.sys"), Episode(3, 3_000, "hardware/firmware")],
        EpisodesSeen = 17,
        EpisodesCaptured = 5,
        Suspects =
        [
            new CaptureSuspect("e1d68x64.sys", Duration.FromMicroseconds(6_100), 1),
            new CaptureSuspect("hardware/firmware", Duration.FromMicroseconds(2_950), 1),
        ],
        Ring = Nothing.Ring with { Measured = Duration.FromMilliseconds(2_100), Estimated = Duration.FromMilliseconds(1_900) },
        EventsLost = 12,
        DiskUsedBytes = 36_400_000,
        DiskFreeBytes = 120_000_000_000,
        NotGranted = ["INTERRUPT_STEER"],
    };

    /// <summary>An episode of a number, a latency in microseconds, and a culprit.</summary>
    public static CapturedEpisode Episode(int number, int latencyUs, string? culprit) => new()
    {
        Number = number,
        File = $"capture-{number}.etl",
        Bytes = 12_000_000 + (number * 100_000),
        Trigger = TriggerKind.Wakeup,
        StartQpc = 0,
        StartUtc = new DateTime(2026, 3, 1, 12, 0, number, 250, DateTimeKind.Utc),
        Latency = Duration.FromMicroseconds(latencyUs),
        Cpu = number,
        PreCovered = Duration.FromMilliseconds(1_900),
        Blame = culprit is null ? null : new BlameSummary
        {
            Verdict = culprit.EndsWith(".sys", StringComparison.Ordinal) ? Verdict.Driver : Verdict.Hardware,
            Culprit = culprit,
            Conclusion = "",
            Probes = 1,
            Episodes = 1,
            Worst = Duration.FromMicroseconds(latencyUs),
            OverThreshold = Duration.FromMicroseconds(latencyUs),
        },
        Suspects = [],
    };

    private static TriggerStatus Of(TriggerKind kind, long count, long over, Duration? worst, long[] buckets) => new()
    {
        Kind = kind,
        Count = count,
        OverThreshold = over,
        Lost = 0,
        Worst = worst,
        Median = count == 0 ? null : Duration.FromMicroseconds(14),
        P99 = count == 0 ? null : Duration.FromMicroseconds(39),
        P999 = count == 0 ? null : Duration.FromMicroseconds(56),
        Floor = kind == TriggerKind.Wakeup ? new Duration(11_300) : null,
        Buckets =
        [
            .. buckets.Select((number, index) => new LatencyBucket(
                new Duration(8_192L << index), new Duration(16_384L << index), number)),
        ],
    };
}
