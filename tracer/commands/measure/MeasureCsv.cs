namespace Tracer.TracerCommand.Commands.Measure;

/// <summary>
/// A measurement as comma-separated values, a line for each number: <c>measurement,part,name,number,value,unit</c>. A part is
/// <c>figure</c>, <c>table</c>, <c>series</c>, <c>bin</c> or <c>cost</c>.
/// </summary>
internal static class MeasureCsv
{
    private const string Microseconds = "us";

    public static void Write(MeasureReport report, TextWriter output)
    {
        output.Write("measurement,part,name,number,value,unit\n");
        foreach (MeasureFigure figure in report.Figures)
        {
            Line("figure", figure.Name, "value", figure.Value, figure.Unit);
        }

        foreach (MeasureTable table in report.Tables)
        {
            foreach (MeasureRow row in table.Rows)
            {
                foreach ((MeasureColumn column, decimal? value) in table.Columns.Zip(row.Values))
                {
                    Line("table", $"{table.Name}: {row.Name}", column.Name, value, column.Unit);
                }
            }
        }

        foreach (MeasureSeries series in report.Series)
        {
            Line("series", series.Name, "count", series.Count, "");
            Line("series", series.Name, "min", series.Minimum.Microseconds, Microseconds);
            Line("series", series.Name, "mean", series.Mean.Microseconds, Microseconds);
            Line("series", series.Name, "deviation", series.Deviation.Microseconds, Microseconds);
            foreach (LatencyPercentile percentile in series.Percentiles)
            {
                Line("series", series.Name, $"p{Number(percentile.Percent)}", percentile.Value?.Microseconds, Microseconds);
            }

            Line("series", series.Name, "max", series.Maximum.Microseconds, Microseconds);
            foreach (LatencyBin bin in series.Bins)
            {
                Line("bin", series.Name, $"{Number(bin.From.Microseconds)} to {Number(bin.To.Microseconds)} us", bin.Count, "");
            }
        }

        Line("cost", "clock read", "value", report.Cost.ClockReadNs, "ns");
        Line("cost", "counting", "value", report.Cost.RecordNs, "ns");
        Line("cost", "CPU share", "value", report.Cost.CpuShare, "");

        void Line(string part, string name, string number, decimal? value, string unit) => output.Write(
            $"{CsvCell.OfText(report.Measurement)},{part},{CsvCell.OfText(name)},{CsvCell.OfText(number)},{Number(value)},"
            + $"{CsvCell.OfText(unit)}\n");
    }

    private static string Number(decimal? value) => value?.ToString("0.######", CultureInfo.InvariantCulture) ?? "";
}
