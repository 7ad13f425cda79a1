using System.Globalization;
using Tracer.Contract;

namespace Tracer.AnalyzerCommand;

/// <summary>A row for each distribution of <c>analyzer latency</c>, with its percentiles.</summary>
internal static class DistributionsTable
{
    /// <summary>Writes the table.</summary>
    public static void Write(LatencyReport report, TextWriter output)
    {
        string percentiles = string.Join(',', LatencyDistributions.Percents.Select(percent =>
            $"p{percent.ToString(CultureInfo.InvariantCulture).Replace(".", "", StringComparison.Ordinal)}_us"));
        CsvLine.Write(
            $"kind,source,trace,cpu,priority,group,process,label,rest_of,count,min_us,mean_us,{percentiles},max_us,total_us",
            report.Distributions.Select(Line),
            output);
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

        return line.Microseconds(one.Maximum).Microseconds(one.Total);
    }
}
