using System.Text;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>
/// Measurements as one HTML page that needs no network and no other file. It holds the JSON as well, so that programs can read it again.
/// </summary>
internal static class MeasureHtml
{
    public static string Of(MeasureReport report) => Page(
        report.Result,
        html => Report(html, report, isAlone: true),
        json => ReportJson.Write(json, report, indented: false));

    /// <summary>Writes a paper's figures beside a machine's, and what was measured for them.</summary>
    public static string Of(MeasureSummary summary) => Page(
        summary.Paper,
        html =>
        {
            Line(html, $"There: {summary.PaperMachine}", "dim");
            Line(html, $"Here: {MeasureText.Machine(summary.Reports[0].Machine)}", "dim");
            html.Table(
                ["where", "what", "!there", "!here", "unit"],
                summary.Rows.Select(static row => (PageCell[])
                    [row.Place, row.What, row.Published, row.Measured is { } value ? MeasureText.Number(value) : "-", row.Unit]));
            foreach (string note in summary.Notes)
            {
                Line(html, note);
            }

            foreach (MeasureReport report in summary.Reports)
            {
                html.Line("<details><summary>", Title(report), "</summary>");
                Report(html, report, isAlone: false);
                html.Add("</details>\n");
            }
        },
        json => ReportJson.Write(json, summary, indented: false));

    private static string Title(MeasureReport report) =>
        $"{report.Measurement}, {report.Parameters.First(static one => one.Name == "priority").Value}: {report.Result}";

    private static string Page(string title, Action<StillPage> body, Action<Stream> json)
    {
        using var bytes = new MemoryStream();
        json(bytes);
        // Within a script element only "</" and "<!--" have a meaning; the escape is JSON's own.
        string data = Encoding.UTF8.GetString(bytes.ToArray()).Replace("<", "\\u003c", StringComparison.Ordinal);
        var html = new StillPage("tracer measure");
        html.Card(Ink.Plain, null, title);
        body(html);
        html.Add($"<script type=\"application/json\" id=\"measure\">{data}</script>\n");
        return Encoding.UTF8.GetString(html.End());
    }

    private static void Report(StillPage html, MeasureReport report, bool isAlone)
    {
        if (report.WasCutShort)
        {
            Line(html, MeasureText.CutShort, "doubt");
        }

        if (isAlone)
        {
            Line(html, MeasureText.Machine(report.Machine), "dim");
        }

        Line(html, MeasureText.Asked(report), "dim");
        foreach (MeasureSetting setting in report.Settings)
        {
            Line(html, MeasureText.Setting(setting) + MeasureText.SettingDoubt(setting),
                setting.Refusal is null && setting.IsRestored ? "dim" : "doubt");
        }

        foreach (MeasureTable table in report.Tables)
        {
            html.Line("<h3>", table.Name, "</h3>");
            html.Table(
                ["", .. table.Columns.Select(static one => one.Unit.Length == 0 ? "!" + one.Name : $"!{one.Name} {one.Unit}")],
                table.Rows.Select(static row => (PageCell[])
                    [row.Name, .. row.Values.Select(static value => value is { } known ? MeasureText.Number(known) : "-")]),
                table.Meaning);
        }

        if (report.Figures.Count > 0)
        {
            html.Add("<h3>Figures</h3>\n");
            html.Table(
                ["", "!", "", ""],
                report.Figures.Select(static one => (PageCell[])[one.Name, MeasureText.Number(one.Value), one.Unit, one.Meaning]));
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
            Line(html, MeasureText.Cost(report.Cost), "dim");
        }
    }

    private static void Series(StillPage html, MeasureSeries series)
    {
        html.Line("<h3>", series.Name, "</h3>");
        (string Head, string Number)[] numbers = MeasureText.Numbers(series);
        html.Table(
            [.. numbers.Select(static one => "!" + one.Head)],
            series.Count == 0 ? [] : [[.. numbers.Select(static one => PageCell.FromString(one.Number))]],
            series.Meaning);
        if (series.Count == 0)
        {
            Line(html, "none");
            return;
        }

        double most = Math.Log(1 + series.Bins.Max(static bin => bin.Count));
        html.Table(
            ["!from us", "!to us", "bars grow by the count's logarithm"],
            series.Bins.Select(bin => (PageCell[])
            [
                MeasureText.Number(bin.From.Microseconds), MeasureText.Number(bin.To.Microseconds),
                PageCell.Bar(Math.Log(1 + bin.Count) / most, MeasureText.Number(bin.Count)),
            ]));
    }

    private static void Line(StillPage html, string text, string? kind = null) =>
        html.Line(kind is null ? "<p>" : $"<p class=\"{kind}\">", text, "</p>");
}
