using System.Globalization;
using System.Net;
using System.Text;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>
/// Measurements as one HTML page that needs no network and no other file. It holds the JSON as well, so that programs can read it again.
/// </summary>
internal static class MeasureHtml
{
    private const string Style = """
        :root { color-scheme: light dark; }
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; } h3 { font-size: 1rem; margin-bottom: .2rem; }
        p { margin: .3rem 0; } .faint { opacity: .7; } .doubt { color: #b54708; }
        table { border-collapse: collapse; margin: .4rem 0 1rem; } caption { text-align: left; opacity: .7; }
        th, td { padding: .15rem .7rem .15rem 0; text-align: left; vertical-align: top; } th { font-weight: 600; }
        td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; } tbody tr { border-top: 1px solid #8884; }
        td.bar { width: 22rem; } .bar i { display: block; height: .8rem; margin-top: .3rem; background: #3b7dd8; border-radius: 2px; }
        """;

    /// <summary>Writes a measurement.</summary>
    public static string Of(MeasureReport report) => Page(
        report.Result,
        html => Report(html, report, isAlone: true),
        json => ReportJson.Write(json, report, indented: false));

    /// <summary>Writes a paper's figures beside a machine's, and what was measured for them.</summary>
    public static string Of(MeasureSummary summary) => Page(
        summary.Paper,
        html =>
        {
            Line(html, $"There: {summary.PaperMachine}", "faint");
            Line(html, $"Here: {MeasureText.Machine(summary.Reports[0].Machine)}", "faint");
            Table(
                html, "", [("where", false), ("what", false), ("there", true), ("here", true), ("unit", false)],
                summary.Rows.Select(static row => (string[])
                    [row.Place, row.What, row.Published, row.Measured is { } value ? MeasureText.Number(value) : "-", row.Unit]));
            foreach (string note in summary.Notes)
            {
                Line(html, note);
            }

            foreach (MeasureReport report in summary.Reports)
            {
                html.Append("<details><summary>").Append(Text(Title(report))).Append("</summary>\n");
                Report(html, report, isAlone: false);
                html.Append("</details>\n");
            }
        },
        json => ReportJson.Write(json, summary, indented: false));

    private static string Title(MeasureReport report) =>
        $"{report.Measurement}, {report.Parameters.First(static one => one.Name == "priority").Value}: {report.Result}";

    private static string Page(string title, Action<StringBuilder> body, Action<Stream> json)
    {
        using var bytes = new MemoryStream();
        json(bytes);
        // Within a script element only "</" and "<!--" have a meaning; the escape is JSON's own.
        string data = Encoding.UTF8.GetString(bytes.ToArray()).Replace("<", "\\u003c", StringComparison.Ordinal);
        StringBuilder html = StillPage.Begin("tracer measure", Style).Append("<h1>").Append(Text(title)).Append("</h1>\n");
        body(html);
        html.Append("<script type=\"application/json\" id=\"measure\">").Append(data).Append("</script>\n");
        return Encoding.UTF8.GetString(StillPage.End(html));
    }

    private static void Report(StringBuilder html, MeasureReport report, bool isAlone)
    {
        if (report.WasCutShort)
        {
            Line(html, MeasureText.CutShort, "doubt");
        }

        if (isAlone)
        {
            Line(html, MeasureText.Machine(report.Machine), "faint");
        }

        Line(html, MeasureText.Asked(report), "faint");
        foreach (MeasureSetting setting in report.Settings)
        {
            Line(html, MeasureText.Setting(setting) + MeasureText.SettingDoubt(setting),
                setting.Refusal is null && setting.IsRestored ? "faint" : "doubt");
        }

        foreach (MeasureTable table in report.Tables)
        {
            html.Append("<h3>").Append(Text(table.Name)).Append("</h3>\n");
            Table(
                html, table.Meaning,
                [("", false), .. table.Columns.Select(static one => (one.Unit.Length == 0 ? one.Name : $"{one.Name} {one.Unit}", true))],
                table.Rows.Select(static row => (string[])
                    [row.Name, .. row.Values.Select(static value => value is { } known ? MeasureText.Number(known) : "-")]));
        }

        if (report.Figures.Count > 0)
        {
            html.Append("<h3>Figures</h3>\n");
            Table(
                html, "", [("", false), ("", true), ("", false), ("", false)],
                report.Figures.Select(static one => (string[])[one.Name, MeasureText.Number(one.Value), one.Unit, one.Meaning]));
        }

        foreach (MeasureSeries series in report.Series)
        {
            Series(html, series);
        }

        foreach (string note in report.Notes)
        {
            Line(html, note);
        }

        if (report.Cost.ClockReadNs > 0)
        {
            Line(html, MeasureText.Cost(report.Cost), "faint");
        }
    }

    private static void Series(StringBuilder html, MeasureSeries series)
    {
        html.Append("<h3>").Append(Text(series.Name)).Append("</h3>\n");
        Table(
            html, series.Meaning, [.. MeasureText.Heads.Select(static head => (head, true))],
            series.Count == 0 ? [] : [MeasureText.Numbers(series)]);
        if (series.Count == 0)
        {
            Line(html, "none");
            return;
        }

        double most = Math.Log(1 + series.Bins.Max(static bin => bin.Count));
        html.Append("<table>\n<thead><tr><th class=\"n\">from us</th><th class=\"n\">to us</th><th class=\"n\">count</th>")
            .Append("<th>count, bars grow by its logarithm</th></tr></thead>\n<tbody>\n");
        foreach (LatencyBin bin in series.Bins)
        {
            string width = (100 * Math.Log(1 + bin.Count) / most).ToString("0.0", CultureInfo.InvariantCulture);
            html.Append("<tr>");
            foreach (decimal number in (decimal[])[bin.From.Microseconds, bin.To.Microseconds, bin.Count])
            {
                html.Append("<td class=\"n\">").Append(MeasureText.Number(number)).Append("</td>");
            }

            html.Append("<td class=\"bar\"><i style=\"width:").Append(width).Append("%\"></i></td></tr>\n");
        }

        html.Append("</tbody></table>\n");
    }

    private static void Table(
        StringBuilder html, string caption, IReadOnlyList<(string Name, bool IsNumber)> columns, IEnumerable<string[]> rows)
    {
        html.Append("<table>\n");
        if (caption.Length > 0)
        {
            html.Append("<caption>").Append(Text(caption)).Append("</caption>\n");
        }

        if (columns.Any(static column => column.Name.Length > 0))
        {
            Row(html, "th", columns, [.. columns.Select(static column => column.Name)]);
        }

        foreach (string[] row in rows)
        {
            Row(html, "td", columns, row);
        }

        html.Append("</table>\n");
    }

    private static void Row(StringBuilder html, string cell, IReadOnlyList<(string Name, bool IsNumber)> columns, string[] texts)
    {
        html.Append("<tr>");
        foreach (((string Name, bool IsNumber) column, string text) in columns.Zip(texts))
        {
            html.Append('<').Append(cell).Append(column.IsNumber ? " class=\"n\">" : ">").Append(Text(text)).Append("</").Append(cell)
                .Append('>');
        }

        html.Append("</tr>\n");
    }

    private static void Line(StringBuilder html, string text, string? kind = null) =>
        html.Append(kind is null ? "<p>" : $"<p class=\"{kind}\">").Append(Text(text)).Append("</p>\n");

    private static string Text(string text) => WebUtility.HtmlEncode(text);
}
