using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Common.Screen;

/// <summary>
/// A capture as plain lines, for files, pipes and logs: what happens when it happens, and how it stands each ten seconds. Warnings go where
/// messages go.
/// </summary>
internal sealed class PlainScreen(TextWriter output, TextWriter error) : ICaptureScreen
{
    private CapturePhase _phase = CapturePhase.Stopping;

    public TimeSpan StatusInterval => TimeSpan.FromSeconds(10);

    public static string Line(CaptureStatus status) => string.Create(
        CultureInfo.InvariantCulture,
        $"{CaptureView.Clock(status.Elapsed)} {CaptureSentences.Of(status.Phase)}: worst {ReadableDuration.Of(status.Worst, "-")}")
        + string.Create(
            CultureInfo.InvariantCulture,
            $", {status.EpisodesSeen:#,0} over {status.Threshold}, {status.Episodes.Count} kept ({ByteCount.Of(status.DiskUsedBytes)})")
        + string.Create(
            CultureInfo.InvariantCulture,
            $", ring {ReadableDuration.Of(status.Ring.Estimated ?? status.Ring.Measured, "-")}")
        + string.Create(
            CultureInfo.InvariantCulture, $", lost {status.EventsLost:#,0} events, {status.MeasurementsLost:#,0} measurements");

    public void OnStatus(CaptureStatus status)
    {
        // Each change of phase comes, too; an episode has a line of its own.
        bool isTold = status.Phase == CapturePhase.Watching || (status.Phase != _phase && status.Phase == CapturePhase.Starting);
        _phase = status.Phase;
        if (isTold)
        {
            Write(output, Line(status));
        }
    }

    public void OnNote(CaptureNoteLevel level, string text)
    {
        if (level == CaptureNoteLevel.Warning)
        {
            Write(error, $"tracer: {text}");
        }
        else
        {
            Write(output, text);
        }
    }

    public void OnEpisode(CapturedEpisode episode) => Write(output, CaptureSentences.Of(episode));

    public void OnDropped(CapturedEpisode episode) => Write(output, CaptureSentences.Dropped(episode));

    public void Dispose() => output.Flush();

    private static void Write(TextWriter to, string line)
    {
        to.WriteLine(line);
        // Who reads along sees it now.
        to.Flush();
    }
}
