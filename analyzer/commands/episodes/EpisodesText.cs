using Tracer.Analysis.Report;
using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Episodes;

/// <summary>
/// Prints episodes for people. The samples stand as the latency cause tool of Cota-Robles &amp; Held printed them (their Table 4).
/// </summary>
internal static class EpisodesText
{
    private const int BarColumns = 16;
    private const int TimeColumns = 14;
    private const int SampleColumns = 8;

    /// <summary>Prints the episodes and what ran on the CPUs during each.</summary>
    /// <param name="only">The number of the only episode to print; null for all.</param>
    /// <param name="top">How many of the worst to print, the worst first; null for all by time.</param>
    public static void Print(BlameResult result, int? only, int? top, ReportOutput output)
    {
        IReadOnlyList<Episode> episodes = result.Report.Episodes;
        var strips = result.Strips.ToDictionary(one => one.EpisodeId);
        IEnumerable<Episode> shown = only is not null
            ? episodes.Where(episode => episode.Id == only)
            : top is { } count
                ? episodes.OrderByDescending(episode => episode.Latency).ThenBy(episode => episode.Id).Take(count)
                : episodes;
        bool isFirst = true;
        foreach (Episode episode in shown)
        {
            if (!isFirst)
            {
                output.Writer.Write('\n');
            }

            output.Print(PageOf(result.Report.Trace, episode, strips.GetValueOrDefault(episode.Id), output.Columns));
            isFirst = false;
        }

        if (episodes.Count == 0)
        {
            var page = new ReportPage(output.Columns);
            if (result.Report.Trace.Clock is not null)
            {
                page.Line(0, $"No latency of {ReadableDuration.Of(result.Report.Settings.Threshold)} or more.");
            }

            page.Line(0, result.Report.Summary.Conclusion);
            output.Print(page);
        }
    }

    /// <param name="strips">What ran on the CPUs; null where that is not known.</param>
    public static ReportPage PageOf(
        TraceSummary trace, Episode episode, EpisodeStrips? strips, int columns = ReportPage.UsualColumns)
    {
        var page = new ReportPage(columns);
        page.Line(0, new PagePiece(
            string.Create(CultureInfo.InvariantCulture, $"Analysis of latency episode number {episode.Id}"), Ink.Heading));
        page.Line(4, $"  {ReadableDuration.Of(episode.Latency)} {EpisodeWords.When(episode, trace)}, {EpisodeWords.Where(episode)}; "
            + EpisodeWords.Victim(episode));
        if (EpisodeWords.Job(episode) is { } job)
        {
            page.Line(4, "  " + job);
        }

        if (episode.Chain is { } chain)
        {
            page.BlankLine();
            AddChain(page, chain);
        }
        else if (EpisodeWords.Phases(episode) is { } phases)
        {
            page.Line(4, "  " + phases);
        }

        page.BlankLine();
        AddSamples(page, episode.Samples);
        page.BlankLine();
        var column = DurationColumn.For([episode.Latency, .. episode.Causes.Select(cause => cause.Time), episode.Unexplained]);
        AddCauses(page, episode, column);
        if (strips is { Cpus.Count: > 0 })
        {
            page.BlankLine();
            CpuTimelineText.Add(page, episode.Latency, column, strips.Cpus);
        }

        return page;
    }

    /// <summary>The way of the wake-up, a line for each step, by time from the enqueue.</summary>
    private static void AddChain(ReportPage page, WakeupChain chain)
    {
        var column = DurationColumn.For([chain.Interrupt ?? Duration.Zero, chain.Enqueue, chain.DpcStart, chain.Ready, chain.Run]);
        if (chain.Interrupt is { } interrupt)
        {
            string on = chain.InterruptCpu.ToString(CultureInfo.InvariantCulture);
            AddStep(page, interrupt, "interrupt", chain.InterruptRoutine ?? "", $" on CPU {on}");
        }

        AddStep(page, chain.Enqueue, "DPC", "", EpisodeWords.Enqueued(chain));
        string target = chain.TargetCpu.ToString(CultureInfo.InvariantCulture);
        AddStep(page, chain.DpcStart, "DPC starts", chain.DpcRoutine, $" on CPU {target}");
        AddStep(page, chain.Ready, "ready", "", "the DPC made the thread ready");
        AddStep(page, chain.Run, "runs", "", "");

        void AddStep(ReportPage page, Duration at, string what, string name, string rest) => page.Line(
            TimeColumns + 20, $"{column.Write(at, TimeColumns)} {column.Unit}  {what,-12}  ", new PagePiece(name, Ink.Name), rest);
    }

    private static void AddSamples(ReportPage page, EpisodeSamples samples)
    {
        foreach (SampledFunction one in samples.Functions)
        {
            page.Line(
                SampleColumns + 2,
                $"{Count(one.Count)} {(one.Count == 1 ? "sample  in" : "samples in")} ",
                new PagePiece(one.Module ?? "unknown", Ink.Name),
                $" function {one.Function ?? "unknown"}");
        }

        long rest = samples.Total - samples.Functions.Sum(one => (long)one.Count);
        if (rest > 0)
        {
            page.Line(2, $"{Count(rest)} {(rest == 1 ? "sample elsewhere" : "samples elsewhere")}");
        }

        page.Line(2, new PagePiece($"{new string(' ', SampleColumns - 5)}-----", Ink.Faint));
        page.Line(2, $"{Count(samples.Total)} total {(samples.Total == 1 ? "sample" : "samples")} in episode");
    }

    private static void AddCauses(ReportPage page, Episode episode, DurationColumn column)
    {
        foreach (Cause cause in episode.Causes)
        {
            string routine = cause.Routine is null ? "" : $"  {cause.Routine}";
            AddPart(page, episode, column, cause.Time, $"{KebabCase.Of(cause.Mechanism),-12}  ", EpisodeWords.OwnerOf(cause), routine);
            if (EpisodeWords.Through(cause) is { } through)
            {
                page.Line(TimeColumns + 15, new string(' ', TimeColumns + 13) + through);
            }
        }

        AddPart(page, episode, column, episode.Unexplained, KebabCase.Of(Mechanism.Unexplained), "", "");
        page.Line(2, new PagePiece("  " + new string('-', TimeColumns - 2), Ink.Faint));
        Duration explained = episode.Latency - episode.Unexplained;
        page.Line(
            2,
            new PagePiece($"{column.Write(episode.Latency, TimeColumns)} {column.Unit}", Ink.Name),
            $" = {column.Of(explained)} {column.Unit} of {ReportWords.Count(episode.Causes.Count, "cause")} + "
                + $"{column.Of(episode.Unexplained)} {column.Unit} unexplained");
    }

    private static void AddPart(
        ReportPage page, Episode episode, DurationColumn column, Duration time, string how, string who, string routine)
    {
        double share = ReportWords.Share(time.Nanoseconds, episode.Latency.Nanoseconds);
        (PagePiece full, PagePiece rest) = ReportWords.Bar(share, BarColumns);
        bool hasBar = page.Columns >= ReportPage.UsualColumns;
        page.Line(
            hasBar ? TimeColumns + 33 : TimeColumns + 15,
            $"{column.Write(time, TimeColumns)} {column.Unit} {ReportWords.Percent(share),8}  ",
            hasBar ? full : "",
            hasBar ? rest : "",
            hasBar ? $"  {how}" : how,
            new PagePiece(who, Ink.Name),
            routine);
    }

    private static string Count(long count) => count.ToString(CultureInfo.InvariantCulture).PadLeft(SampleColumns);
}
