using Tracer.Measure;

namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>A measurement as text for people.</summary>
internal static class MeasureText
{
    private const int NameColumns = 30;
    private const int NumberColumns = 12;
    private const int LeastColumns = 10;
    private const int MostWorst = 3;

    /// <summary>.NET itself allocates some dozens of bytes on a thread whose code it has compiled again.</summary>
    private const int RuntimesOwnBytes = 1_024;

    /// <summary>What is told of a measurement that was ended early.</summary>
    public const string CutShort = "It was ended early: what was measured until then is shown.";

    private static readonly string[] Times = ["least", "mean", "st. dev.", "50 %", "99 %", "99.9 %", "most"];

    public static ReportPage Of(MeasureReport report)
    {
        var page = new ReportPage();
        page.Line(0, new PagePiece(report.Result, Ink.Heading));
        if (report.WasCutShort)
        {
            page.Line(2, new PagePiece(CutShort, Ink.Doubt));
        }

        Circumstances(page, report);
        foreach (MeasureTable table in report.Tables)
        {
            Table(page, table);
        }

        Figures(page, report.Figures);
        // Of the others a table has what matters; the other formats have all.
        foreach (MeasureSeries series in report.Series.Where(one => !IsInTable(report, one)))
        {
            Series(page, series);
        }

        page.BlankLine();
        foreach (string note in report.Notes)
        {
            page.Line(2, "  ", note);
        }

        if (report.Cost.ClockReadNs > 0)
        {
            page.Line(4, new PagePiece("  " + Cost(report.Cost), Ink.Faint));
        }

        if (report.Cost.AllocatedBytes > RuntimesOwnBytes)
        {
            page.Line(4, new PagePiece(
                $"  {Number(report.Cost.AllocatedBytes)} bytes were allocated while it measured"
                + (report.Cost.AllocatedBytes > MeasureRun.BytesWithoutCollection ? ": collections may have disturbed it" : ""),
                report.Cost.AllocatedBytes > MeasureRun.BytesWithoutCollection ? Ink.Doubt : Ink.Faint));
        }

        return page;
    }

    public static string Machine(MeasuredMachine machine) =>
        $"{machine.System}, {machine.Processor ?? "unknown processor"}, {Counted.Of(machine.Cpus, "CPU")}"
        + (machine.ClockSource is { } source ? $", clock {source}" : "")
        + (machine.ClockTick is { } tick ? $", a tick every {ReadableDuration.Of(tick)}" : "")
        + (machine.PowerPolicy is { } policy ? $", {policy}" : "")
        + (machine.IsVirtual == true ? ", virtual" : "");

    public static string Asked(MeasureReport report) => $"measured for {ReadableDuration.Of(report.Elapsed)}"
        + string.Concat(report.Parameters.Where(static one => one.Name != "duration")
            .Select(static (one, index) => $"{(index == 0 ? ": " : ", ")}{one.Name} {one.Value}"));

    /// <summary>A setting while it was measured.</summary>
    public static string Setting(MeasureSetting setting) => $"{setting.Name}: {setting.Got}";

    /// <summary>What is wrong with a setting; empty where nothing is.</summary>
    public static string SettingDoubt(MeasureSetting setting) =>
        (setting.Refusal is { } refusal ? $"; {setting.Wanted} was refused: {refusal}" : "")
        + (setting.IsRestored ? "" : $"; could not be set to {setting.Before} again");

    public static string Cost(MeasureCost cost) =>
        $"own cost: reading the counter {Number(cost.ClockReadNs)} ns, counting a value {Number(cost.RecordNs)} ns, "
        + $"{Number(Math.Round(100 * cost.CpuShare, 1))} % of one CPU";

    /// <summary>The numbers of a series under their heads, all times in one unit.</summary>
    public static (string Head, string Number)[] Numbers(MeasureSeries series)
    {
        Duration?[] times =
        [
            series.Minimum, series.Mean, series.Deviation, At(series, 50), At(series, 99), At(series, 99.9m), series.Maximum,
        ];
        var column = DurationColumn.For(times.OfType<Duration>());
        return
        [
            ("count", Number(series.Count)),
            .. Times.Zip(times, (name, time) => ($"{name} {column.Unit}", time is { } known ? column.Of(known) : "-")),
        ];
    }

    /// <summary>
    /// A number with commas between thousands and three significant digits, but no more than three decimals; whole numbers have all digits.
    /// </summary>
    public static string Number(decimal value) => value.ToString(
        Math.Abs(value) switch
        {
            >= 99.95m => "#,0",
            >= 9.995m => "0.#",
            >= 0.9995m => "0.##",
            _ => "0.###",
        },
        CultureInfo.InvariantCulture);

    private static bool IsInTable(MeasureReport report, MeasureSeries series) => report.Tables.SelectMany(static one => one.Rows)
        .Any(row => series.Name == row.Name || series.Name.StartsWith(row.Name + " ", StringComparison.Ordinal));

    private static void Circumstances(ReportPage page, MeasureReport report)
    {
        page.BlankLine();
        page.Line(4, "  " + Machine(report.Machine));
        page.Line(4, "  " + Asked(report));
        foreach (MeasureSetting setting in report.Settings)
        {
            bool isGood = setting.Refusal is null && setting.IsRestored;
            page.Line(4, "  " + Setting(setting), new PagePiece(SettingDoubt(setting), isGood ? Ink.Plain : Ink.Doubt));
        }
    }

    private static void Figures(ReportPage page, IReadOnlyList<MeasureFigure> figures)
    {
        page.BlankLine();
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
        int[] widths = [.. table.Columns.Select((column, index) => WidthOf(table, index))];
        string head = string.Concat(table.Columns.Select((column, index) => HeadOf(column).PadLeft(widths[index])));
        page.Line(2, new PagePiece("  " + PageText.Fit("", names) + head, Ink.Faint));
        foreach (MeasureRow row in table.Rows)
        {
            page.Line(2, "  " + PageText.Fit(row.Name, names) + string.Concat(
                widths.Zip(row.Values, static (width, value) => Cell(value).PadLeft(width))));
        }
    }

    private static string HeadOf(MeasureColumn column) => column.Unit.Length == 0 ? column.Name : $"{column.Name} {column.Unit}";

    private static string Cell(decimal? value) => value is { } known ? Number(known) : "-";

    private static int WidthOf(MeasureTable table, int column) => Math.Max(
        LeastColumns,
        Math.Max(HeadOf(table.Columns[column]).Length, table.Rows.Max(row => Cell(row.Values[column]).Length)) + 2);

    private static void Series(ReportPage page, MeasureSeries series)
    {
        page.Heading(series.Name);
        page.Line(2, new PagePiece("  " + series.Meaning, Ink.Faint));
        if (series.Count == 0)
        {
            page.Line(2, "  none");
            return;
        }

        (string Head, string Number)[] numbers = Numbers(series);
        page.Line(2, new PagePiece("  " + string.Concat(numbers.Select(static one => one.Head.PadLeft(NumberColumns - 1))), Ink.Faint));
        page.Line(2, "  " + string.Concat(numbers.Select(static one => one.Number.PadLeft(NumberColumns - 1))));
        page.Line(4, new PagePiece(
            "  worst: " + string.Join(", ", series.Worst.Take(MostWorst)
                .Select(static one => $"{ReadableDuration.Of(one.Value)} at {ReadableDuration.At(one.At)}")),
            Ink.Faint));
        page.BlankLine();
        foreach (LatencyBin bin in series.Bins)
        {
            page.Line(2, $"  {Number(bin.From.Microseconds),14} to {Number(bin.To.Microseconds),12} us {Number(bin.Count),14}");
        }
    }

    private static Duration? At(MeasureSeries series, decimal percent) =>
        series.Percentiles.FirstOrDefault(one => one.Percent == percent)?.Value;
}
