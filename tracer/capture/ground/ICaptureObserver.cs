namespace Tracer.Capture.Ground;

/// <summary>Shows a running capture to the user. Every call comes on the engine's thread and delays it: be quick.</summary>
public interface ICaptureObserver
{
    /// <summary>How often <see cref="OnStatus"/> is wanted.</summary>
    TimeSpan StatusInterval { get; }

    /// <summary>How it stands; at most once in <see cref="StatusInterval"/>, and at each change of phase.</summary>
    void OnStatus(CaptureStatus status);

    /// <summary>Something to be told once.</summary>
    /// <param name="text">A sentence without a full stop.</param>
    void OnNote(CaptureNoteLevel level, string text);

    void OnEpisode(CapturedEpisode episode);

    /// <summary>An episode's file was deleted because a worse one took its place.</summary>
    void OnDropped(CapturedEpisode episode);
}
