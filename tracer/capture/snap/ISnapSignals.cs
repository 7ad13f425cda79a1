namespace Tracer.Capture.Snap;

/// <summary>What became of a signal to a running capture.</summary>
public enum SnapOutcome
{
    /// <summary>It has got it.</summary>
    Signalled,

    NoCapture,

    /// <summary>One runs, but this user may not signal it.</summary>
    NotAllowed,
}

/// <summary>How <c>tracer snap</c> reaches a running capture, in whatever session and process that is.</summary>
public interface ISnapSignals
{
    /// <summary>Makes the signal that others may set; it is gone when this is disposed.</summary>
    /// <param name="problem">Why it could not be made, as a sentence's end; null where it was.</param>
    /// <returns>Set whenever somebody signals, and reset by waiting for it; null where it could not be made.</returns>
    WaitHandle? Listen(out string? problem);

    SnapOutcome Signal();
}
