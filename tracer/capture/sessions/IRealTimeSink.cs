namespace Tracer.Capture.Sessions;

/// <summary>
/// Takes the events of a real-time session as a reader of files would give them, one after the other, on the reading thread.
/// </summary>
public interface IRealTimeSink
{
    /// <summary>One event; kernel events have hook ids. Nothing is allocated for it.</summary>
    /// <param name="traceEvent">It, without extended items; valid during the call only.</param>
    void OnEvent(in EtlEvent traceEvent);

    /// <summary>Events that the reader missed.</summary>
    void OnLost(int count);
}
