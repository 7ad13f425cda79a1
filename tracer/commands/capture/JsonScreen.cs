using Tracer.Capture.Ground;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>A capture as JSON lines, one object each (<see cref="CaptureLine"/>).</summary>
internal sealed class JsonScreen(TextWriter output) : ICaptureScreen
{
    public TimeSpan StatusInterval => TimeSpan.FromSeconds(1);

    public void OnStatus(CaptureStatus status) => Write(ReportJson.Line(new CaptureStatusLine
    {
        Phase = status.Phase,
        Elapsed = status.Elapsed,
        Limit = status.Limit,
        Threshold = status.Threshold,
        Bar = status.Bar,
        Worst = status.Worst,
        EpisodesSeen = status.EpisodesSeen,
        EpisodesCaptured = status.EpisodesCaptured,
        EpisodesKept = status.Episodes.Count,
        Triggers = status.Triggers,
        Suspects = status.Suspects,
        Ring = status.Ring,
        Cost = status.Cost is { } cost
            ? cost with
            {
                OwnCpuPercent = Rounded(cost.OwnCpuPercent),
                EventsPerSecond = Rounded(cost.EventsPerSecond),
                StacksPerSecond = Rounded(cost.StacksPerSecond),
            }
            : null,
        EventsLost = status.EventsLost,
        MeasurementsLost = status.MeasurementsLost,
        DiskUsedBytes = status.DiskUsedBytes,
        DiskFreeBytes = status.DiskFreeBytes == long.MaxValue ? null : status.DiskFreeBytes,
        NotGranted = status.NotGranted,
    }));

    public void OnNote(CaptureNoteLevel level, string text) => Write(ReportJson.Line(new CaptureNoteLine(level, text)));

    public void OnEpisode(CapturedEpisode episode) => Write("episode", episode);

    public void OnDropped(CapturedEpisode episode) => Write("dropped", episode);

    public void Dispose() => output.Flush();

    private static double? Rounded(double? rate) => rate is { } known ? Math.Round(known, 2) : null;

    private void Write(string type, CapturedEpisode episode) => Write(ReportJson.Line(new CaptureEpisodeLine(type)
    {
        Number = episode.Number,
        File = episode.File,
        Bytes = episode.Bytes,
        Trigger = episode.Trigger,
        StartUtc = episode.StartUtc,
        Latency = episode.Trigger.IsInstant() ? null : episode.Latency,
        Cpu = episode.Cpu,
        PreCovered = episode.PreCovered,
        Verdict = episode.Blame?.Verdict,
        Culprit = episode.Blame?.Culprit,
    }));

    private void Write(string line)
    {
        output.WriteLine(line);
        output.Flush();
    }
}
