using System.Globalization;
using System.Net;
using System.Text;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>
/// The report of a fleet as one HTML file without scripts, which loads nothing. Nothing of a case stands in it but as escaped text.
/// </summary>
internal static class FleetHtml
{
    private const int MostRows = 100;

    private const string Style = """
        :root { color-scheme: light dark }
        body { margin: 0 auto; padding: 1.5rem; max-width: 76rem; font: 15px/1.5 system-ui, sans-serif;
          color: light-dark(#1b1f24, #dfe3e8); background: light-dark(#fff, #16191d) }
        h1 { font-size: 1.35rem; color: light-dark(#b00020, #ff8a80) }
        h1.well { color: light-dark(#1b6e2c, #8ddf9a) }
        h2 { font-size: 1.1rem; margin: 2rem 0 .5rem }
        h3 { font-size: 1rem; margin: 0 0 .5rem }
        .scroll { overflow-x: auto }
        table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
        th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid light-dark(#d9dee4, #343a41); vertical-align: top }
        th { font-weight: 600; color: light-dark(#545d68, #9aa4b0) }
        .n { text-align: right; white-space: nowrap }
        .bar { min-width: 6rem }
        .bar div { height: .75rem; border-radius: 2px; background: light-dark(#b00020, #ff8a80) }
        code, .faint { color: light-dark(#545d68, #9aa4b0); font-family: ui-monospace, Consolas, monospace; overflow-wrap: anywhere }
        .news { color: light-dark(#b00020, #ff8a80); font-weight: 600 }
        section { border: 1px solid light-dark(#d9dee4, #343a41); border-radius: 6px; padding: .8rem 1rem; margin: 1rem 0 }
        dl { display: grid; grid-template-columns: 6rem 1fr; gap: .15rem .8rem; margin: 0 }
        dt { color: light-dark(#545d68, #9aa4b0) }
        dd { margin: 0; overflow-wrap: anywhere }
        section table { margin-top: .8rem }
        """;

    /// <summary>Writes the page as UTF-8.</summary>
    /// <param name="report">The report.</param>
    /// <param name="top">Causes that are told at length; the table above has more.</param>
    /// <param name="output">Where to.</param>
    public static void Write(FleetReport report, int top, Stream output)
    {
        StringBuilder html = StillPage.Begin("analyzer fleet", Style).Append("<main>\n");
        Line(html, $"<h1{(report.Clusters.Count == 0 ? " class=\"well\"" : "")}>", FleetWords.Conclusion(report), "</h1>");
        Line(html, "<p>", FleetWords.CasesOf(report.Summary) + "; " + FleetWords.EpisodesOf(report.Summary) + ".", "</p>");
        Causes(html, report);
        foreach ((FleetCluster cluster, int index) in report.Clusters.Take(top).Select((cluster, index) => (cluster, index)))
        {
            Cause(html, report, cluster, index + 1);
        }

        Drill(html, report);
        Latencies(html, report);
        if (report.Warnings.Count > 0)
        {
            html.Append("<h2>What limits this</h2>\n<ul>\n");
            foreach (string warning in report.Warnings)
            {
                Line(html, "<li>", warning, "</li>");
            }

            html.Append("</ul>\n");
        }

        Line(html, "<p class=\"faint\">", FleetWords.NoteOf(report), "</p>");
        output.Write(StillPage.End(html.Append("</main>\n")));
    }

    private static void Causes(StringBuilder html, FleetReport report)
    {
        if (report.Clusters.Count == 0)
        {
            return;
        }

        bool hasNews = report.Summary.SinceUtc is not null;
        html.Append("<h2>Causes</h2>\n");
        Table(
            html,
            ["#", "cause", "how", "!machines", "", "!time", "!of all time", "!worst", .. hasNews ? ["since"] : Array.Empty<string>(), "id"],
            report.Clusters.Take(MostRows).Select((one, index) => (string[])
            [
                Number(index + 1), FleetWords.OwnerOf(one), KebabCase.Of(one.Mechanism), Number(one.Machines),
                string.Create(CultureInfo.InvariantCulture, $"%{one.MachineShare * 100:0.#}"), ReadableDuration.Of(one.Time),
                ReportWords.Percent(one.TimeShare), ReadableDuration.Of(one.Worst),
                .. hasNews ? [one.Since?.State ?? ""] : Array.Empty<string>(), one.Id,
            ]),
            report.Clusters.Count);
    }

    private static void Cause(StringBuilder html, FleetReport report, FleetCluster one, int rank)
    {
        html.Append("<section>\n");
        Line(html, "<h3>", $"{rank}. {FleetWords.OwnerOf(one)}", $" <code>{one.Id}</code></h3>");
        html.Append("<dl>\n");
        Detail("how", FleetWords.HowOf(one));
        Detail("on", FleetWords.MachinesOf(one, report.Summary));
        Detail("time", FleetWords.TimeOf(one));
        Detail("seen", FleetWords.SeenOf(one));
        Detail("since", one.Since is { } change ? FleetWords.ChangeOf(change) : null, one.Since?.State is "new" or "rose");
        Detail("worst", FleetWords.PlaceOf(one.Example));
        html.Append("</dl>\n");
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

        html.Append("</section>\n");

        void Detail(string name, string? text, bool isNews = false)
        {
            if (text is not null)
            {
                Line(html, $"<dt>{name}</dt><dd{(isNews ? " class=\"news\"" : "")}>", text, "</dd>");
            }
        }
    }

    private static void Drill(StringBuilder html, FleetReport report)
    {
        if (report is not { Machines: { } machines, Cases: { } cases })
        {
            return;
        }

        html.Append("<h2>Machines of the chosen cause</h2>\n");
        Table(
            html,
            ["machine", "!cases", "!episodes", "!time", "!worst"],
            machines.Take(MostRows).Select(one => (string[])
            [
                one.Machine ?? "not told", Number(one.Cases), Number(one.Episodes), ReadableDuration.Of(one.Time),
                ReadableDuration.Of(one.Worst),
            ]),
            machines.Count);
        html.Append("<h2>Its cases</h2>\n");
        Table(
            html,
            ["case", "!recorded", "!episodes", "!time", "!worst"],
            cases.Take(MostRows).Select(one => (string[])
            [
                FleetWords.PlaceOf(one), one.RecordedUtc is { } moment ? FleetWords.Day(moment) : "", Number(one.Episodes),
                ReadableDuration.Of(one.Time), ReadableDuration.Of(one.Worst),
            ]),
            cases.Count);
    }

    private static void Latencies(StringBuilder html, FleetReport report)
    {
        if (report.Latencies.Count == 0)
        {
            return;
        }

        html.Append("<h2>How late all was, on all machines</h2>\n");
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

    /// <summary>A table; headings with ! are of numbers, and cells of a column without a heading are bars of so many percent.</summary>
    private static void Table(StringBuilder html, IReadOnlyList<string> headings, IEnumerable<string[]> rows, int all)
    {
        html.Append("<div class=\"scroll\"><table>\n<tr>");
        foreach (string heading in headings)
        {
            html.Append(heading.StartsWith('!') ? "<th class=\"n\">" : "<th>").Append(Escaped(heading.TrimStart('!'))).Append("</th>");
        }

        html.Append("</tr>\n");
        int shown = 0;
        foreach (string[] row in rows)
        {
            shown++;
            html.Append("<tr>");
            for (int i = 0; i < row.Length; i++)
            {
                html.Append(headings[i].Length == 0 ? $"<td class=\"bar\"><div style=\"width:{row[i][1..]}%\"></div></td>"
                    : $"<td{(headings[i].StartsWith('!') ? " class=\"n\"" : "")}>{Escaped(row[i])}</td>");
            }

            html.Append("</tr>\n");
        }

        html.Append("</table></div>\n");
        if (shown < all)
        {
            Line(html, "<p class=\"faint\">", $"... and {all - shown:N0} more; --format json has them", "</p>");
        }
    }

    private static void Line(StringBuilder html, string begin, string text, string end) =>
        html.Append(begin).Append(Escaped(text)).Append(end).Append('\n');

    private static string Number(long number) => ReportWords.Number(number);

    private static string Escaped(string text) => WebUtility.HtmlEncode(PrintableText.Of(text));
}
