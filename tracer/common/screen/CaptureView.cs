using Tracer.Capture.Ground;

namespace Tracer.TracerCommand.Common.Screen;

/// <summary>The live screen of a capture as a page: what is on it at one moment. Pure: the same status gives the same page.</summary>
internal static class CaptureView
{
    private const string SaveKeyHelp = "S saves what the ring holds now; ";
    private const int MostEpisodes = 8;
    private const int MostSuspects = 5;
    private const int MostNotes = 4;
    private const int BarColumns = 50;
    private const int NameColumns = 24;
    private static readonly string[] TimesOfTriggers = ["median", "99 %", "99.9 %", "worst", "floor"];

    /// <param name="notes">What was told, the latest last.</param>
    public static ReportPage Of(CaptureStatus status, IReadOnlyList<CaptureNote> notes, bool hasKeys = false)
    {
        var page = new ReportPage();
        Head(page, status, hasKeys);
        Triggers(page, status);
        Episodes(page, status);
        Suspects(page, status);
        Recorder(page, status);
        Notes(page, notes);
        // Last: a small terminal cuts off what is below.
        foreach (TriggerStatus trigger in status.Triggers)
        {
            Histogram(page, trigger, status.Threshold);
        }

        return page;
    }

    /// <summary>Hours, minutes and seconds.</summary>
    public static string Clock(Duration duration)
    {
        long seconds = duration.Nanoseconds / 1_000_000_000;
        return string.Create(CultureInfo.InvariantCulture, $"{seconds / 3600:00}:{seconds / 60 % 60:00}:{seconds % 60:00}");
    }

    private static void Head(ReportPage page, CaptureStatus status, bool hasKeys)
    {
        string limit = status.Limit is { } end ? $" of {Clock(end)}" : "";
        string bar = status.Bar > status.Threshold ? $", {ReadableDuration.Of(status.Bar)} to be kept" : "";
        page.Line(
            2,
            new PagePiece("tracer capture", Ink.Name),
            $"  {Clock(status.Elapsed)}{limit}  ",
            new PagePiece(CaptureSentences.Of(status.Phase), status.Phase == CapturePhase.Watching ? Ink.Innocent : Ink.Doubt),
            new PagePiece($"  threshold {ReadableDuration.Of(status.Threshold)}{bar}", Ink.Faint));
        page.Line(
            2,
            "worst so far ",
            new PagePiece(
                ReadableDuration.Of(status.Worst, "-"), status.Worst >= status.Threshold ? Ink.Guilty : Ink.Innocent),
            new PagePiece($"; {(hasKeys ? SaveKeyHelp : "")}Ctrl+C ends it and prints the blame", Ink.Faint));
    }

    private static void Triggers(ReportPage page, CaptureStatus status)
    {
        page.BlankLine();
        var column = DurationColumn.For(status.Triggers
            .SelectMany(static one => new[] { one.Median, one.P99, one.P999, one.Worst, one.Floor }).OfType<Duration>());
        string heads = string.Concat(TimesOfTriggers.Select(one => $"{one + " " + column.Unit,13}"));
        page.Line(0, new PagePiece($"{"trigger",-8}{"measured",14}{"over",10}{heads}", Ink.Faint));
        foreach (TriggerStatus trigger in status.Triggers)
        {
            page.Line(
                2,
                string.Create(CultureInfo.InvariantCulture, $"{CaptureSentences.Name(trigger.Kind),-8}{trigger.Count,14:#,0}"),
                new PagePiece(
                    string.Create(CultureInfo.InvariantCulture, $"{trigger.OverThreshold,10:#,0}"),
                    trigger.OverThreshold > 0 ? Ink.Guilty : Ink.Plain),
                $"{Short(trigger.Median)}{Short(trigger.P99)}{Short(trigger.P999)}",
                new PagePiece(Short(trigger.Worst), trigger.Worst >= status.Threshold ? Ink.Guilty : Ink.Plain),
                Short(trigger.Floor));
        }

        string Short(Duration? duration) => column.Write(duration, 13);
    }

    /// <summary>Bars grow with the logarithm: one wake-up of a million is what the user is here for.</summary>
    private static void Histogram(ReportPage page, TriggerStatus trigger, Duration threshold)
    {
        if (trigger.Buckets.Count == 0)
        {
            return;
        }

        page.BlankLine();
        page.Line(0, new PagePiece($"{CaptureSentences.Name(trigger.Kind)}: how many took how long (logarithmic)", Ink.Faint));
        double most = Math.Log(1 + trigger.Buckets.Max(bucket => bucket.Count));
        foreach (LatencyBucket bucket in trigger.Buckets)
        {
            int columns = bucket.Count == 0 ? 0 : Math.Max(1, (int)Math.Round(BarColumns * Math.Log(1 + bucket.Count) / most));
            bool isOver = bucket.To > threshold;
            page.Line(
                2,
                $"{ReadableDuration.Of(bucket.From),12} -{ReadableDuration.Of(bucket.To),12}",
                string.Create(CultureInfo.InvariantCulture, $"{bucket.Count,14:#,0}  "),
                new PagePiece(new string('#', columns), isOver ? Ink.Bar : Ink.Faint));
        }
    }

    private static void Episodes(ReportPage page, CaptureStatus status)
    {
        page.BlankLine();
        page.Line(2, string.Create(
            CultureInfo.InvariantCulture,
            $"episodes: {status.EpisodesSeen:#,0} over the threshold, {status.EpisodesCaptured:#,0} captured, ")
            + string.Create(CultureInfo.InvariantCulture, $"{status.Episodes.Count} kept"));
        foreach (CapturedEpisode episode in status.Episodes.OrderByDescending(one => one.Latency).Take(MostEpisodes))
        {
            page.Line(
                6,
                string.Create(CultureInfo.InvariantCulture, $"  {episode.Number,3}  {episode.StartUtc:HH:mm:ss} UTC"),
                episode.Trigger.IsInstant()
                    ? new PagePiece($"{"-",12}", Ink.Faint)
                    : new PagePiece($"{ReadableDuration.Of(episode.Latency),12}", Ink.Guilty),
                string.Create(
                    CultureInfo.InvariantCulture, $"  {CaptureSentences.Name(episode.Trigger),-7} CPU {episode.Cpu,-3}"),
                new PagePiece($" {episode.VerdictLine}", Ink.Name),
                new PagePiece($"  {Path.GetFileName(episode.File)} ({ByteCount.Of(episode.Bytes)})", Ink.Faint));
        }

        if (status.Episodes.Count > MostEpisodes)
        {
            page.Line(6, new PagePiece($"       and {status.Episodes.Count - MostEpisodes} shorter ones", Ink.Faint));
        }
    }

    private static void Suspects(ReportPage page, CaptureStatus status)
    {
        if (status.Suspects.Count == 0)
        {
            return;
        }

        page.BlankLine();
        page.Line(0, "suspects");
        foreach (CaptureSuspect suspect in status.Suspects.Take(MostSuspects))
        {
            page.Line(
                4,
                new PagePiece($"  {suspect.Name.PadRight(NameColumns)}", Ink.Name),
                new PagePiece($"{ReadableDuration.Of(suspect.Blamed),12}", Ink.Guilty),
                $"  first in {suspect.Episodes} {(suspect.Episodes == 1 ? "episode" : "episodes")}");
        }
    }

    private static void Recorder(ReportPage page, CaptureStatus status)
    {
        RingStatus ring = status.Ring;
        Duration? covers = ring.Estimated ?? ring.Measured;
        bool isShort = covers < ring.Wanted;
        page.BlankLine();
        page.Line(
            2,
            string.Create(CultureInfo.InvariantCulture, $"ring of {ring.Bytes >> 20} MB: "),
            covers is { } known
                ? new PagePiece($"the last {ReadableDuration.Of(known)}", isShort ? Ink.Doubt : Ink.Plain)
                : new PagePiece("not full yet", Ink.Faint),
            $", {ReadableDuration.Of(ring.Wanted)} wanted; disk {ByteCount.Of(status.DiskUsedBytes)} used, {Free(status.DiskFreeBytes)}");
        page.Line(
            2,
            "lost ",
            new PagePiece(
                string.Create(CultureInfo.InvariantCulture, $"{status.EventsLost:#,0} events, {status.MeasurementsLost:#,0} measurements"),
                status.EventsLost + status.MeasurementsLost > 0 ? Ink.Doubt : Ink.Plain));
        if (status.NotGranted.Count > 0)
        {
            page.Line(2, new PagePiece($"not granted: {string.Join(", ", status.NotGranted)}", Ink.Doubt));
        }
    }

    private static string Free(long bytes) => bytes == long.MaxValue ? "free space not known" : $"{ByteCount.Of(bytes)} free";

    private static void Notes(ReportPage page, IReadOnlyList<CaptureNote> notes)
    {
        if (notes.Count == 0)
        {
            return;
        }

        page.BlankLine();
        foreach (CaptureNote note in notes.Skip(notes.Count - MostNotes))
        {
            page.Line(2, new PagePiece(note.Text, note.Level == CaptureNoteLevel.Warning ? Ink.Doubt : Ink.Faint));
        }
    }
}
