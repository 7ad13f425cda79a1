namespace Tracer.Capture;

/// <summary>A trigger source that has something to tell the user: what it was not granted, what it costs. Optional.</summary>
public interface ITriggerRemarks
{
    /// <summary>
    /// What is to be told since the last call, for <see cref="ICaptureObserver.OnNote"/>; also after the source is disposed.
    /// </summary>
    /// <returns>A sentence each, without a full stop.</returns>
    IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks();
}
