using System.Globalization;
using Tracer.CommandLine;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>A measurement as text for people.</summary>
internal static class MeasureText
{
    private const int NameColumns = 30;
    private const int NumberColumns = 12;
    private const int MostWorst = 3;
    private const int MostSeries = 4;
    private static readonly string[] Heads = ["count", "least", "mean", "st. dev.", "50 %", "99 %", "99.9 %", "most"];

    /// <summary>Writes it on a page.</summary>
    public static ReportPage Of(MeasureReport report)
    {
        var page = new ReportPage();
        page.Line(0, new PagePiece(report.Result, Ink.Heading));
        if (report.WasCutShort)
        {
            page.Line(2, new PagePiece("It was ended before its time: what was measured until then is told.", Ink.Doubt));
        }

        Machine(page, report);
        foreach (MeasureTable table in report.Tables)
        {
            Table(page, table);
        }

        Figures(page, report.Figures);
        // Where there are more, a table has what matters of them; the other formats have all.
        foreach (MeasureSeries series in report.Series.Count <= MostSeries ? report.Series : [])
        {
            Series(page, series);
        }

        page.Gap();
        foreach (string note in report.Notes)
        {
            page.Line(2, "  ", note);
        }

        page.Line(4, new PagePiece(
            $"  own cost: reading the counter {Number(report.Cost.ClockReadNs)} ns, counting a value {Number(report.Cost.RecordNs)} ns, "
            + $"{Number(Math.Round(100 * report.Cost.CpuShare, 1))} % of one CPU",
            Ink.Faint));
        if (report.Cost.AllocatedBytes > 0)
        {
            page.Line(4, new PagePiece(
                $"  {Number(report.Cost.AllocatedBytes)} bytes were allocated while it measured: collections may have disturbed it",
                Ink.Doubt));
        }

        return page;
    }

    private static void Machine(ReportPage page, MeasureReport report)
    {
        page.Gap();
        MeasuredMachine machine = report.Machine;
        page.Line(4, $"  {machine.System}, {machine.Processor ?? "unknown processor"}, {Counted.Of(machine.Cpus, "CPU")}"
            + (machine.ClockSource is { } source ? $", clock {source}" : "")
            + (machine.ClockTick is { } tick ? $", a tick each {ReadableDuration.Of(tick)}" : "")
            + (machine.PowerPolicy is { } policy ? $", {policy}" : "")
            + (machine.IsVirtual == true ? ", virtual" : ""));
        page.Line(4, $"  measured for {ReadableDuration.Of(report.Elapsed)}: "
            + string.Join(", ", report.Parameters.Where(static one => one.Name != "duration")
                .Select(static one => $"{one.Name} {one.Value}")));
        foreach (MeasureSetting setting in report.Settings)
        {
            bool isGood = setting.Refusal is null && setting.IsRestored;
            page.Line(
                4,
                $"  {setting.Name}: {setting.Got}",
                new PagePiece(
                    (setting.Refusal is { } refusal ? $"; {setting.Wanted} was refused: {refusal}" : "")
                    + (setting.IsRestored ? "" : $"; could not be set to {setting.Before} again"),
                    isGood ? Ink.Plain : Ink.Doubt));
        }
    }

    private static void Figures(ReportPage page, IReadOnlyList<MeasureFigure> figures)
    {
        page.Gap();
        foreach (MeasureFigure figure in figures)
        {
            page.Line(
                4,
                "  " + PageText.Fit(figure.Name, NameColumns) + WithUnit(figure).PadLeft(NumberColumns + 6) + "  ",
                new PagePiece(figure.Meaning, Ink.Faint));
        }
    }

    private static string WithUnit(MeasureFigure figure) => figure.Unit.Length == 0 ? Number(figure.Value)
        : $"{Number(figure.Value)} {figure.Unit}";

    private static void Table(ReportPage page, MeasureTable table)
    {
        page.Heading(table.Name);
        page.Line(2, new PagePiece("  " + table.Meaning, Ink.Faint));
        int names = table.Rows.Max(static row => PageText.ColumnsOf(row.Name));
        string head = string.Concat(table.Columns.Select(static column =>
            (column.Unit.Length == 0 ? column.Name : $"{column.Name} {column.Unit}").PadLeft(WidthOf(column))));
        page.Line(2, new PagePiece("  " + PageText.Fit("", names) + head, Ink.Faint));
        foreach (MeasureRow row in table.Rows)
        {
            page.Line(2, "  " + PageText.Fit(row.Name, names) + string.Concat(
                table.Columns.Zip(
                    row.Values, static (column, value) => (value is { } known ? Number(known) : "-").PadLeft(WidthOf(column)))));
        }
    }

    private static int WidthOf(MeasureColumn column) =>
        Math.Max(10, column.Name.Length + (column.Unit.Length == 0 ? 0 : column.Unit.Length + 1) + 2);

    private static void Series(ReportPage page, MeasureSeries series)
    {
        page.Heading(series.Name);
        page.Line(2, new PagePiece("  " + series.Meaning, Ink.Faint));
        if (series.Count == 0)
        {
            page.Line(2, "  none");
            return;
        }

        page.Line(2, new PagePiece(
            "  " + string.Concat(
                Heads.Select(static name => name.PadLeft(NumberColumns - 1))),
            Ink.Faint));
        page.Line(2, "  " + string.Concat(new[]
        {
            Number(series.Count), Time(series.Minimum), Time(series.Mean), Time(series.Deviation),
            At(series, 50), At(series, 99), At(series, 99.9m), Time(series.Maximum),
        }.Select(static text => text.PadLeft(NumberColumns - 1))));
        page.Line(4, new PagePiece(
            "  worst: " + string.Join(", ", series.Worst.Take(MostWorst)
                .Select(static one => $"{ReadableDuration.Of(one.Value)} at {ReadableDuration.Of(one.At)}")),
            Ink.Faint));
        page.Gap();
        foreach (LatencyBin bin in series.Bins)
        {
            page.Line(2, $"  {Number(bin.From.Microseconds),14} to {Number(bin.To.Microseconds),12} us {Number(bin.Count),14}");
        }
    }

    private static string At(MeasureSeries series, decimal percent) =>
        series.Percentiles.FirstOrDefault(one => one.Percent == percent)?.Value is { } value ? Time(value) : "-";

    private static string Time(Duration duration) => ReadableDuration.Of(duration);

    private static string Number(decimal value) => value.ToString("#,0.###", CultureInfo.InvariantCulture);
}
