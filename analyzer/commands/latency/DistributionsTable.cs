using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// A row for each distribution of <c>analyzer latency</c>, with its percentiles; behind them, and in columns behind these, forecasts, or
/// what texts of other programs tell.
/// </summary>
internal static class DistributionsTable
{
    public static void Write(LatencyReport report, TextWriter output)
    {
        string[] names = [.. LatencyDistributions.Percents.Select(percent =>
            $"p{percent.ToString(CultureInfo.InvariantCulture).Replace(".", "", StringComparison.Ordinal)}")];
        string percentiles = string.Join(',', names.Select(name => $"{name}_us"));
        string bands = string.Join(',', names.Select(name => $"{name}_low_us,{name}_high_us"));
        string header = "kind,source,trace,cpu,priority,group,process,label,rest_of,count,min_us,mean_us,"
            + $"{percentiles},max_us,total_us,deviation_us,{bands}";
        if (report.RunTimes is { } runTimes)
        {
            CsvLine.Write(
                $"{header},driver,measured_us",
                report.Distributions.Select(one => Line(one).Add(null).Add(null)).Concat(runTimes.Select(Line)),
                output);
            return;
        }

        if (report.Forecasts is not { } forecasts)
        {
            CsvLine.Write(header, report.Distributions.Select(Line), output);
            return;
        }

        CsvLine.Write(
            $"{header},{ForecastLines.Header}",
            report.Distributions.Select(one => ForecastLines.Fill(Line(one))).Concat(forecasts.SelectMany(ForecastLines.Of)),
            output);
    }

    /// <summary>The cells of a row of a forecast: whose it is, how many waits, and nothing more of what distributions have.</summary>
    public static CsvLine Begin(LatencyForecast of)
    {
        const int Others = 5; // min_us, mean_us, max_us, total_us, deviation_us
        CsvLine line = new CsvLine()
            .Add(KebabCase.Of(of.Kind))
            .Add(KebabCase.Of(of.Source))
            .Text(of.Trace)
            .Add(null)
            .Add(null)
            .Add(of.Group is { } group ? KebabCase.Of(group) : null)
            .Text(of.Thread)
            .Add(null)
            .Add(null)
            .Number(of.Waits);
        for (int i = 0; i < Others + 3 * LatencyDistributions.Percents.Count; i++)
        {
            line.Add(null);
        }

        return line;
    }

    private static CsvLine Line(LatencyDistribution one)
    {
        CsvLine line = new CsvLine()
            .Add(KebabCase.Of(one.Kind))
            .Add(KebabCase.Of(one.Source))
            .Text(one.Part.Trace)
            .Number(one.Part.Cpu)
            .Number(one.Part.Priority)
            .Add(one.Part.Group is { } group ? KebabCase.Of(group) : null)
            .Text(one.Part.Process is "" ? "unknown process" : one.Part.Process)
            .Text(one.Part.Label is "" ? "before the first mark" : one.Part.Label)
            .Text(one.Part.RestOf)
            .Number(one.Count)
            .Microseconds(one.Minimum)
            .Microseconds(one.Mean);
        foreach (LatencyPercentile percentile in one.Percentiles)
        {
            line.Microseconds(percentile.Value);
        }

        line.Microseconds(one.Maximum).Microseconds(one.Total).Microseconds(one.Deviation);
        for (int i = 0; i < LatencyDistributions.Percents.Count; i++)
        {
            LatencyPercentile? told = i < one.Percentiles.Count ? one.Percentiles[i] : null;
            line.Microseconds(told?.Low).Microseconds(told?.High);
        }

        return line;
    }

    /// <summary>Run times stand in the columns of latencies, with the driver behind; what they have not is empty.</summary>
    private static CsvLine Line(ToldRunTimes one)
    {
        CsvLine line = new CsvLine().Add(one.Isr ? "isr-run-time" : "dpc-run-time").Add(KebabCase.Of(one.Source)).Text(one.Input);
        const int Parts = 6; // cpu, priority, group, process, label, rest_of
        for (int i = 0; i < Parts; i++)
        {
            line.Add(null);
        }

        line.Number(one.Count).Add(null).Microseconds(one.Mean);
        for (int i = 0; i < LatencyDistributions.Percents.Count; i++)
        {
            line.Microseconds(i < one.Percentiles.Count ? one.Percentiles[i].Value : null);
        }

        line.Microseconds(one.Longest).Microseconds(one.Total).Add(null);
        for (int i = 0; i < 2 * LatencyDistributions.Percents.Count; i++)
        {
            line.Add(null);
        }

        return line.Text(one.Driver).Microseconds(one.Measured);
    }
}
