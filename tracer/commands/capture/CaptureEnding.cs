using System.Text;
using Tracer.Capture.Ground;
using Tracer.TracerCommand.Common;
using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Capture;

/// <summary>What a capture prints at its end: the files with their sizes and verdicts, and the blame of the worst episode.</summary>
internal static class CaptureEnding
{
    /// <param name="isJson">Whether JSON lines are wanted: the last one is the blame (<c>tracer.blame/1</c>).</param>
    public static void Print(CaptureResult result, CaptureBlame blame, bool isJson, TextWriter output)
    {
        CapturedEpisode? worst = result.Status.Episodes.MaxBy(static episode => episode.Latency);
        BlameReport? report = worst is null ? null : blame.AtTheEnd(worst.File);
        if (isJson)
        {
            if (report is not null)
            {
                using var json = new MemoryStream();
                ReportJson.Write(json, report, indented: false);
                output.WriteLine(Encoding.UTF8.GetString(json.GetBuffer().AsSpan(0, (int)json.Length)));
            }

            return;
        }

        output.WriteLine(Summary(result));
        if (CostText.Of(result.Status.Cost) is { } cost)
        {
            output.WriteLine(cost);
        }

        foreach (CapturedEpisode episode in result.Status.Episodes)
        {
            output.WriteLine(
                $"{episode.File}: {ByteCount.Of(episode.Bytes)}, {What(episode)}, {episode.VerdictLine}");
        }

        if (report is not null)
        {
            output.WriteLine();
            PagePrinter.Print(FirstScreen.PageOf(report, columns: Terminal.ColumnsOf(Terminal.IsOutput)), output);
        }
    }

    private static string What(CapturedEpisode episode) => episode.Trigger.IsInstant()
        ? CaptureSentences.Name(episode.Trigger).Replace('-', ' ')
        : $"{ReadableDuration.Of(episode.Latency)} ({CaptureSentences.Name(episode.Trigger)})";

    private static string Summary(CaptureResult result)
    {
        CaptureStatus status = result.Status;
        string worst = status.Worst is { } latency ? $"; the worst latency was {ReadableDuration.Of(latency)}" : "";
        string seen = status.EpisodesSeen == 0
            ? status.MeasurementsLost == 0
                ? $"nothing reached {status.Threshold}{worst}"
                : $"nothing that was measured reached {status.Threshold}{worst}; but "
                    + $"{Counted.Of(status.MeasurementsLost, "measurement")} got lost, and one of them may have"
            : string.Create(
                CultureInfo.InvariantCulture,
                $"{status.EpisodesSeen:N0} {(status.EpisodesSeen == 1 ? "episode" : "episodes")} of {status.Threshold} or more{worst}");
        return result.End == CaptureEnd.DiskFull ? $"the disk is full: {seen}" : seen;
    }
}
