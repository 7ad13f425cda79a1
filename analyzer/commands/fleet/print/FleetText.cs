namespace Tracer.AnalyzerCommand.Commands.Fleet.Print;

/// <summary>The report of a fleet for people.</summary>
internal static class FleetText
{
    private const int Hang = 12;
    private const int DetailHang = 14;
    private const int MostShared = 5;
    private const int BarColumns = 20;

    /// <param name="chosen">The cluster that is looked into; null for none.</param>
    public static ReportPage Page(FleetReport report, int top, string? chosen, int columns)
    {
        var page = new ReportPage(columns);
        page.Line(0, new PagePiece(FleetWords.Conclusion(report), report.Clusters.Count > 0 ? Ink.Guilty
            : report.Summary.Judged > 0 ? Ink.Innocent : Ink.Doubt));
        page.BlankLine();
        page.Line(Hang, $"  cases     {FleetWords.CasesOf(report.Summary)}");
        page.Line(Hang, $"  episodes  {FleetWords.EpisodesOf(report.Summary)}");
        if (report.Summary.SinceUtc is { } since)
        {
            page.Line(Hang, $"  since     {since:yyyy-MM-dd HH:mm} UTC");
        }

        page.Heading(chosen is null ? "Causes" : $"Cause {chosen}");
        (FleetCluster Cluster, int Rank)[] clusters =
            [.. report.Clusters.Select((cluster, index) => (cluster, index + 1)).Where(one => chosen is null || one.cluster.Id == chosen)];
        foreach ((FleetCluster cluster, int rank) in clusters.Take(top))
        {
            Cluster(page, report, cluster, rank, chosen is null ? Math.Min(top, MostShared) : top, chosen is not null);
        }

        More(page, clusters.Length, top);
        Drill(page, report, top);
        Unjudged(page, report, top);
        if (chosen is null)
        {
            Latencies(page, report);
        }

        if (report.Warnings.Count > 0)
        {
            page.Heading("What limits this");
            foreach (string warning in report.Warnings)
            {
                page.Line(4, "  - " + warning);
            }
        }

        page.BlankLine();
        page.Line(0, FleetWords.NoteOf(report) + (chosen is null && clusters.Length > 0
            ? $" --cluster {clusters[0].Cluster.Id} lists machines and cases of the first."
            : ""));
        return page;
    }

    private static void Cluster(ReportPage page, FleetReport report, FleetCluster cluster, int rank, int most, bool isChosen)
    {
        (PagePiece full, PagePiece empty) = ReportWords.Bar(cluster.MachineShare, BarColumns);
        page.Line(
            Hang, $"  {rank + ".",-4}", full, empty, $"  {ReportWords.Percent(cluster.MachineShare),7}  ",
            new PagePiece(FleetWords.NameOf(cluster), Ink.Name), new PagePiece($"  {cluster.Id}", Ink.Faint));
        Detail(page, "how", FleetWords.HowOf(cluster));
        Detail(page, "on", FleetWords.MachinesOf(cluster, report.Summary));
        Detail(page, "time", FleetWords.TimeOf(cluster));
        if (FleetWords.SeenOf(cluster) is { } seen)
        {
            Detail(page, "seen", seen);
        }

        if (FleetWords.PlanOf(cluster) is { } plan)
        {
            Detail(page, "at", plan);
        }

        if (cluster.Since is { } change)
        {
            Detail(page, "since", FleetWords.ChangeOf(change), change.State is "new" or "rose" ? Ink.Guilty : Ink.Plain);
        }

        foreach (FleetContrast contrast in cluster.Contrasts.Take(most))
        {
            page.Line(
                DetailHang, "      shares  ", new PagePiece(FleetWords.SharedOf(contrast), Ink.Name),
                $": {FleetWords.NumbersOf(contrast)}, "
                + $"{FleetWords.RatioOf(contrast.Ratio, contrast.Low, contrast.High)}, {FleetWords.ChanceOf(contrast.Chance)}");
        }

        More(page, cluster.Contrasts.Count, most);
        Detail(page, "worst", FleetWords.PlaceOf(cluster.Example));
        if (isChosen && cluster.Routines.Any(routine => routine.Name is not null))
        {
            foreach (FleetRoutine routine in cluster.Routines.Take(most))
            {
                string build = routine.Version is { } version ? $", version {version}" : "";
                Detail(page, "code", $"{routine.Name ?? "no routine known"}{build}: "
                    + $"{Counted.Of(routine.Machines, "machine")}, {ReadableDuration.Of(routine.Time)}");
            }

            More(page, cluster.Routines.Count, most);
        }

        page.BlankLine();
    }

    private static void Drill(ReportPage page, FleetReport report, int top)
    {
        if (report is not { Machines: { } machines, Cases: { } cases })
        {
            return;
        }

        page.Heading("Its machines, the most time first");
        foreach (FleetMachine one in machines.Take(top))
        {
            page.Line(6, $"  {one.Machine ?? "not known"}: {Counted.Of(one.Cases, "case")}, {Counted.Of(one.Episodes, "episode")}, "
                + $"{ReadableDuration.Of(one.Time)}, worst {ReadableDuration.Of(one.Worst)}");
        }

        More(page, machines.Count, top);
        page.Heading("Its cases, the most time first");
        foreach (FleetCase one in cases.Take(top))
        {
            page.Line(6, $"  {FleetWords.PlaceOf(one)}: {(one.RecordedUtc is { } time ? $"{time:yyyy-MM-dd HH:mm}, " : "")}"
                + $"{Counted.Of(one.Episodes, "episode")}, {ReadableDuration.Of(one.Time)}, worst {ReadableDuration.Of(one.Worst)}");
        }

        More(page, cases.Count, top);
    }

    private static void Unjudged(ReportPage page, FleetReport report, int top)
    {
        if (report.Unjudged is not { } unjudged)
        {
            return;
        }

        page.Heading("Cases that could not be judged");
        foreach (FleetUnjudged one in unjudged.Take(top))
        {
            page.Line(6, $"  {one.Trace ?? one.Id}: {FleetWords.WhyOf(one)}");
        }

        More(page, unjudged.Count, top);
    }

    private static void Latencies(ReportPage page, FleetReport report)
    {
        if (report.Latencies.Count == 0)
        {
            return;
        }

        var column = DurationColumn.For(report.Latencies.SelectMany(one => new[] { one.Median, one.P99, one.P999, one.Maximum }));
        page.Heading($"All latencies, on all machines, in {column.Unit}");
        page.Line(0, new PagePiece(
            $"  {"kind",-18}{"source",-20}{"count",12}{"median",12}{"99 %",12}{"99.9 %",12}{"longest",12}", Ink.Faint));
        foreach (FleetLatency one in report.Latencies)
        {
            page.Line(0, $"  {KebabCase.Of(one.Kind),-18}{KebabCase.Of(one.Source),-20}{one.Count,12:N0}"
                + string.Concat(new[] { one.Median, one.P99, one.P999, one.Maximum }.Select(time => column.Write(time, 12))));
        }
    }

    private static void Detail(ReportPage page, string name, string text, Ink ink = Ink.Plain) =>
        page.Line(DetailHang, $"      {name,-8}", new PagePiece(text, ink));

    private static void More(ReportPage page, int count, int top)
    {
        if (count > top)
        {
            page.Line(0, new PagePiece($"  ... and {count - top:N0} more (--top lists them)", Ink.Faint));
        }
    }
}
