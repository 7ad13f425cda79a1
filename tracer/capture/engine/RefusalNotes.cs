using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Engine;

/// <summary>Tells what Windows refused of a recorder, each refusal once: what is asked for otherwise, or not known.</summary>
internal sealed class RefusalNotes(ICaptureObserver observer)
{
    private readonly HashSet<string> _told = [];
    private bool _hasToldCounters;

    public void Tell(ITraceSession recorder, RecorderWatch watch)
    {
        foreach (string refusal in recorder.Refusals.Where(_told.Add))
        {
            observer.OnNote(CaptureNoteLevel.Info, refusal);
        }

        if (watch.Refusal is { } untold && !_hasToldCounters)
        {
            _hasToldCounters = true;
            observer.OnNote(
                CaptureNoteLevel.Warning, $"what the recording loses is not known as long as Windows does not tell: {untold.Message}");
        }
    }
}
