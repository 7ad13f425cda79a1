namespace Tracer.AnalyzerCommand.Commands.Fleet.Print;

/// <summary>
/// The report of a fleet as one HTML file, which loads nothing. Nothing of a case stands in it but as escaped text.
/// </summary>
internal static class FleetHtml
{
    private const int MostRows = 100;

    /// <summary>Writes the page as UTF-8.</summary>
    /// <param name="top">Causes that are told at length; the table above has more.</param>
    public static void Write(FleetReport report, int top, Stream output)
    {
        var html = new StillPage("analyzer fleet");
        html.Card(
            report.Clusters.Count > 0 ? Ink.Guilty : report.Summary.Judged > 0 ? Ink.Innocent : Ink.Doubt,
            report.Clusters.Count > 0 ? FleetWords.NameOf(report.Clusters[0]) : null,
            FleetWords.Conclusion(report),
            ("cases", FleetWords.CasesOf(report.Summary)),
            ("episodes", FleetWords.EpisodesOf(report.Summary)));
        Causes(html, report, top);
        foreach ((FleetCluster cluster, int index) in report.Clusters.Take(top).Select((cluster, index) => (cluster, index)))
        {
            Cause(html, report, cluster, index + 1);
        }

        Drill(html, report);
        Unjudged(html, report);
        Latencies(html, report);
        html.Limits(report.Warnings, FleetWords.NoteOf(report));
        output.Write(html.End());
    }

    private static void Causes(StillPage html, FleetReport report, int top)
    {
        if (report.Clusters.Count == 0)
        {
            return;
        }

        bool hasNews = report.Summary.SinceUtc is not null;
        var times = DurationColumn.For(report.Clusters.Take(MostRows).Select(one => one.Time));
        var worst = DurationColumn.For(report.Clusters.Take(MostRows).Select(one => one.Worst));
        html.Add("<h2>Causes</h2>\n");
        Table(
            html,
            [
                "#", "cause", "machines", "how", "late time", $"!time {times.Unit}", $"!worst {worst.Unit}",
                .. hasNews ? ["since"] : Array.Empty<string>(),
            ],
            report.Clusters.Take(MostRows).Select((one, index) => (PageCell[])
            [
                Number(index + 1),
                index < top ? PageCell.Link(FleetWords.NameOf(one), $"#cause-{one.Id}") : FleetWords.NameOf(one),
                PageCell.Bar(one.MachineShare, Number(one.Machines)), KebabCase.Of(one.Mechanism),
                PageCell.Bar(one.TimeShare, ReportWords.Percent(one.TimeShare)), PageCell.Of(one.Time, times),
                PageCell.Of(one.Worst, worst),
                .. hasNews ? [one.Since?.State ?? ""] : Array.Empty<PageCell>(),
            ]),
            report.Clusters.Count);
    }

    private static void Cause(StillPage html, FleetReport report, FleetCluster one, int rank)
    {
        html.Add($"<section class=\"culprit{(rank == 1 ? " first" : "")}\" id=\"cause-{one.Id}\">\n");
        html.Line("<h3>", $"{rank}. {FleetWords.NameOf(one)}", $" <code>{one.Id}</code></h3>");
        html.Add("<dl class=\"facts\">\n");
        List<string> details = [];
        Detail("how", FleetWords.HowOf(one));
        Detail("on", FleetWords.MachinesOf(one, report.Summary));
        Detail("time", FleetWords.TimeOf(one));
        Detail("seen", FleetWords.SeenOf(one));
        Detail("at", FleetWords.PlanOf(one));
        Detail("since", one.Since is { } change ? FleetWords.ChangeOf(change) : null, one.Since?.State is "new" or "rose");
        Detail("worst", FleetWords.PlaceOf(one.Example));
        html.Add("</dl>\n");
        html.Explain(string.Join(' ', details));
        if (one.WorstOfCases.Count > 1)
        {
            long most = one.WorstOfCases.Max(bin => bin.Cases);
            html.Table(
                ["", "cases"],
                one.WorstOfCases.Select(bin => (PageCell[])
                [
                    $"{ReadableDuration.Of(bin.From)} to {ReadableDuration.Of(bin.To)}",
                    PageCell.Bar((double)bin.Cases / most, Number(bin.Cases)),
                ]),
                $"The worst episode of each case, of cause {rank}");
        }

        if (one.Contrasts.Count > 0)
        {
            Table(
                html,
                ["affected machines share", "!affected with it", "!affected of others", "!how much more often", "!chance"],
                one.Contrasts.Select(contrast => (PageCell[])
                [
                    FleetWords.SharedOf(contrast), $"{contrast.Affected:N0} of {contrast.Machines:N0}",
                    $"{contrast.OtherAffected:N0} of {contrast.OtherMachines:N0}",
                    FleetWords.RatioOf(contrast.Ratio, contrast.Low, contrast.High),
                    FleetWords.ChanceOf(contrast.Chance)["chance ".Length..],
                ]),
                one.Contrasts.Count);
        }

        if (one.Routines.Count > 1 && one.Routines.Any(routine => routine.Name is not null))
        {
            var column = DurationColumn.For(one.Routines.Select(routine => routine.Time));
            Table(
                html,
                ["code", "version", "!machines", $"!time {column.Unit}"],
                one.Routines.Select(routine => (PageCell[])
                [
                    routine.Name ?? "no routine known", routine.Version ?? "", Number(routine.Machines), PageCell.Of(routine.Time, column),
                ]),
                one.Routines.Count);
        }

        html.Add("</section>\n");

        void Detail(string name, string? text, bool isNews = false)
        {
            if (text is not null)
            {
                details.Add(text);
                html.Line($"<dt>{name}</dt><dd{(isNews ? " class=\"bad\"" : "")}>", text, "</dd>");
            }
        }
    }

    private static void Drill(StillPage html, FleetReport report)
    {
        if (report is not { Machines: { } machines, Cases: { } cases })
        {
            return;
        }

        var times = DurationColumn.For([.. machines.Select(one => one.Time), .. cases.Select(one => one.Time)]);
        var worst = DurationColumn.For([.. machines.Select(one => one.Worst), .. cases.Select(one => one.Worst)]);
        html.Add("<h2>Machines of the chosen cause</h2>\n");
        Table(
            html,
            ["machine", "!cases", "!episodes", $"!time {times.Unit}", $"!worst {worst.Unit}"],
            machines.Take(MostRows).Select(one => (PageCell[])
            [
                one.Machine ?? "not known", Number(one.Cases), Number(one.Episodes), PageCell.Of(one.Time, times),
                PageCell.Of(one.Worst, worst),
            ]),
            machines.Count);
        html.Add("<h2>Its cases</h2>\n");
        Table(
            html,
            ["case", "!recorded", "!episodes", $"!time {times.Unit}", $"!worst {worst.Unit}"],
            cases.Take(MostRows).Select(one => (PageCell[])
            [
                FleetWords.PlaceOf(one), one.RecordedUtc is { } time ? FleetWords.Day(time) : "", Number(one.Episodes),
                PageCell.Of(one.Time, times), PageCell.Of(one.Worst, worst),
            ]),
            cases.Count);
    }

    private static void Unjudged(StillPage html, FleetReport report)
    {
        if (report.Unjudged is not { } unjudged)
        {
            return;
        }

        html.Add("<h2>Cases that could not be judged</h2>\n");
        Table(
            html,
            ["case", "machine", "why"],
            unjudged.Take(MostRows).Select(one => (PageCell[])
                [one.Trace ?? one.Id, one.Machine ?? "not known", FleetWords.WhyOf(one)]),
            unjudged.Count);
    }

    private static void Latencies(StillPage html, FleetReport report)
    {
        if (report.Latencies.Count == 0)
        {
            return;
        }

        var column = DurationColumn.For(report.Latencies.SelectMany(one => new[] { one.Median, one.P99, one.P999, one.Maximum }));
        html.Line("<h2>", $"All latencies, on all machines, in {column.Unit}", "</h2>");
        Table(
            html,
            ["kind", "source", "!count", "!median", "!99 %", "!99.9 %", "!longest"],
            report.Latencies.Select(one => (PageCell[])
            [
                KebabCase.Of(one.Kind), KebabCase.Of(one.Source), Number(one.Count), PageCell.Of(one.Median, column),
                PageCell.Of(one.P99, column), PageCell.Of(one.P999, column), PageCell.Of(one.Maximum, column),
            ]),
            report.Latencies.Count);
    }

    private static void Table(StillPage html, IReadOnlyList<string> headings, IEnumerable<PageCell[]> rows, int all)
    {
        int shown = html.Table(headings, rows, kind: "sorts");
        if (shown < all)
        {
            html.Line("<p class=\"dim\">", $"... and {all - shown:N0} more; --format json has them", "</p>");
        }
    }

    private static string Number(long number) => ReportWords.Number(number);
}
