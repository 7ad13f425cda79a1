using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Common.Screen;

/// <summary>One-line sentences on what happens in a capture, for all screens that people read.</summary>
internal static class CaptureSentences
{
    public static string Of(CapturedEpisode episode) => FormattableString.Invariant(
        $"episode {episode.Number} at {episode.StartUtc:HH:mm:ss.fff} UTC: {What(episode)}: {episode.VerdictLine}; ")
        + $"{episode.File} ({ByteCount.Of(episode.Bytes)})";

    /// <summary>What triggered an episode: its latency, or the moment that it was.</summary>
    public static string What(CapturedEpisode episode) => episode.Trigger switch
    {
        TriggerKind.AskedFor => "asked for",
        TriggerKind.Event => FormattableString.Invariant($"event, CPU {episode.Cpu}"),
        _ => FormattableString.Invariant($"{ReadableDuration.Of(episode.Latency)} ({Name(episode.Trigger)}, CPU {episode.Cpu})"),
    };

    /// <summary>An episode that a worse one replaced.</summary>
    public static string Dropped(CapturedEpisode episode) =>
        FormattableString.Invariant($"episode {episode.Number} dropped for a worse one: {episode.File}");

    public static string Name(TriggerKind kind) => KebabCase.Of(kind);

    public static string Of(CapturePhase phase) => phase switch
    {
        CapturePhase.Starting => "starting",
        CapturePhase.Watching => "watching",
        CapturePhase.Recording => "an episode: recording what follows it",
        CapturePhase.Writing => "writing an episode",
        _ => "stopping",
    };
}
