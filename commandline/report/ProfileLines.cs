namespace Tracer.CommandLine;

/// <summary>Where the samples hit and who had the CPUs, of a trace that has no ISR and DPC records to blame by.</summary>
internal static class ProfileLines
{
    private const int BarColumns = 20;
    private const int CountColumns = 10;
    private const int TimeColumns = 14;
    private const int MostProcessColumns = 40;

    /// <summary>A narrower page has no bars.</summary>
    private const int ColumnsWithBars = 80;

    /// <summary>Adds them, if there is a profile.</summary>
    public static void Add(ReportPage page, TraceProfile? profile, int top)
    {
        if (profile is null || top == 0)
        {
            return;
        }

        if (profile.Functions.Count > 0)
        {
            page.Heading($"Where the {ReportWords.Count(profile.Samples, "sample")} hit that found a CPU busy");
            foreach (SampledFunction function in profile.Functions.Take(top))
            {
                double share = ReportWords.Share(function.Count, profile.Samples);
                (PagePiece full, PagePiece rest) = ReportWords.Bar(share, BarColumns);
                bool hasBar = page.Columns >= ColumnsWithBars;
                page.Line(
                    hasBar ? 46 : 26,
                    "  ",
                    hasBar ? full : "",
                    hasBar ? rest : "",
                    $" {ReportWords.Percent(share),8}  {ReportWords.Number(function.Count).PadLeft(CountColumns)}  ",
                    new PagePiece(function.Module ?? "no image", Ink.Name),
                    $"  {function.Function ?? "function unknown"}");
            }

            LeftOut.Add(page, profile.Functions.Count, top);
        }

        if (profile.Processes.Count > 0)
        {
            string switches = profile.Switches is { } count ? $", by {ReportWords.Count(count, "context switch")}" : "";
            page.Heading("Who had the CPUs" + switches);
            var times = DurationColumn.For(profile.Processes.Select(one => one.Time));
            int processColumns = Math.Min(MostProcessColumns, page.Columns - 2 - 2 - TimeColumns - 2 - CountColumns);
            page.Line(2, new PagePiece(
                $"  {"process".PadRight(processColumns)}  {"ran " + times.Unit,TimeColumns}  {"times",CountColumns}", Ink.Faint));
            foreach (ProcessRunTime process in profile.Processes.Take(top))
            {
                page.Line(
                    4,
                    $"  {PageText.Fit(process.Process, processColumns)}  {times.Write(process.Time, TimeColumns)}  "
                        + ReportWords.Number(process.Switches).PadLeft(CountColumns));
            }

            LeftOut.Add(page, profile.Processes.Count, top);
        }
    }
}
