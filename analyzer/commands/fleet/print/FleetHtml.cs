namespace Tracer.AnalyzerCommand.Commands.Fleet.Print;

/// <summary>
/// The report of a fleet as one HTML file without scripts, which loads nothing. Nothing of a case stands in it but as escaped text.
/// </summary>
internal static class FleetHtml
{
    private const int MostRows = 100;

    /// <summary>Writes the page as UTF-8.</summary>
    /// <param name="top">Causes that are told at length; the table above has more.</param>
    public static void Write(FleetReport report, int top, Stream output)
    {
        var html = new StillPage("analyzer fleet");
        html.Add("<main>\n");
        html.Line($"<h1 class=\"{(report.Clusters.Count == 0 ? "good" : "bad")}\">", FleetWords.Conclusion(report), "</h1>");
        html.Line("<p>", FleetWords.CasesOf(report.Summary) + "; " + FleetWords.EpisodesOf(report.Summary) + ".", "</p>");
        Causes(html, report);
        foreach ((FleetCluster cluster, int index) in report.Clusters.Take(top).Select((cluster, index) => (cluster, index)))
        {
            Cause(html, report, cluster, index + 1);
        }

        Drill(html, report);
        Latencies(html, report);
        if (report.Warnings.Count > 0)
        {
            html.Add("<h2>What limits this</h2>\n<ul>\n");
            foreach (string warning in report.Warnings)
            {
                html.Line("<li>", warning, "</li>");
            }

            html.Add("</ul>\n");
        }

        html.Line("<p class=\"faint\">", FleetWords.NoteOf(report), "</p>");
        html.Add("</main>\n");
        output.Write(html.End());
    }

    private static void Causes(StillPage html, FleetReport report)
    {
        if (report.Clusters.Count == 0)
        {
            return;
        }

        bool hasNews = report.Summary.SinceUtc is not null;
        html.Add("<h2>Causes</h2>\n");
        Table(
            html,
            [
                "#", "cause", "how", "!machines", "%", "!time", "!of all time", "!worst",
                .. hasNews ? ["since"] : Array.Empty<string>(), "id",
            ],
            report.Clusters.Take(MostRows).Select((one, index) => (string[])
            [
                Number(index + 1), FleetWords.OwnerOf(one), KebabCase.Of(one.Mechanism), Number(one.Machines),
                StillPage.Bar(one.MachineShare), ReadableDuration.Of(one.Time),
                ReportWords.Percent(one.TimeShare), ReadableDuration.Of(one.Worst),
                .. hasNews ? [one.Since?.State ?? ""] : Array.Empty<string>(), one.Id,
            ]),
            report.Clusters.Count);
    }

    private static void Cause(StillPage html, FleetReport report, FleetCluster one, int rank)
    {
        html.Add("<section>\n");
        html.Line("<h3>", $"{rank}. {FleetWords.OwnerOf(one)}", $" <code>{one.Id}</code></h3>");
        html.Add("<dl>\n");
        Detail("how", FleetWords.HowOf(one));
        Detail("on", FleetWords.MachinesOf(one, report.Summary));
        Detail("time", FleetWords.TimeOf(one));
        Detail("seen", FleetWords.SeenOf(one));
        Detail("at", FleetWords.PlanOf(one));
        Detail("since", one.Since is { } change ? FleetWords.ChangeOf(change) : null, one.Since?.State is "new" or "rose");
        Detail("worst", FleetWords.PlaceOf(one.Example));
        html.Add("</dl>\n");
        if (one.Contrasts.Count > 0)
        {
            Table(
                html,
                ["affected machines share", "!affected with it", "!affected of others", "!how much more often", "!chance"],
                one.Contrasts.Select(contrast => (string[])
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
            Table(
                html,
                ["code", "version", "!machines", "!time"],
                one.Routines.Select(routine => (string[])
                [
                    routine.Name ?? "no routine known", routine.Version ?? "", Number(routine.Machines), ReadableDuration.Of(routine.Time),
                ]),
                one.Routines.Count);
        }

        html.Add("</section>\n");

        void Detail(string name, string? text, bool isNews = false)
        {
            if (text is not null)
            {
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

        html.Add("<h2>Machines of the chosen cause</h2>\n");
        Table(
            html,
            ["machine", "!cases", "!episodes", "!time", "!worst"],
            machines.Take(MostRows).Select(one => (string[])
            [
                one.Machine ?? "not told", Number(one.Cases), Number(one.Episodes), ReadableDuration.Of(one.Time),
                ReadableDuration.Of(one.Worst),
            ]),
            machines.Count);
        html.Add("<h2>Its cases</h2>\n");
        Table(
            html,
            ["case", "!recorded", "!episodes", "!time", "!worst"],
            cases.Take(MostRows).Select(one => (string[])
            [
                FleetWords.PlaceOf(one), one.RecordedUtc is { } time ? FleetWords.Day(time) : "", Number(one.Episodes),
                ReadableDuration.Of(one.Time), ReadableDuration.Of(one.Worst),
            ]),
            cases.Count);
    }

    private static void Latencies(StillPage html, FleetReport report)
    {
        if (report.Latencies.Count == 0)
        {
            return;
        }

        html.Add("<h2>How late all was, on all machines</h2>\n");
        Table(
            html,
            ["kind", "source", "!count", "!half are later than", "!1 %", "!0.1 %", "!greatest"],
            report.Latencies.Select(one => (string[])
            [
                KebabCase.Of(one.Kind), KebabCase.Of(one.Source), Number(one.Count), ReadableDuration.Of(one.Median),
                ReadableDuration.Of(one.P99), ReadableDuration.Of(one.P999), ReadableDuration.Of(one.Maximum),
            ]),
            report.Latencies.Count);
    }

    private static void Table(StillPage html, IReadOnlyList<string> headings, IEnumerable<string[]> rows, int all)
    {
        int shown = html.Table(headings, rows);
        if (shown < all)
        {
            html.Line("<p class=\"faint\">", $"... and {all - shown:N0} more; --format json has them", "</p>");
        }
    }

    private static string Number(long number) => ReportWords.Number(number);
}
