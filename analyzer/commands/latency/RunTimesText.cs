using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>Prints how long ISRs and DPCs ran, as texts of other programs tell it, and traces beside them.</summary>
internal static class RunTimesText
{
    private const int MostDrivers = 12;

    public static void Write(IReadOnlyList<ToldRunTimes> runTimes, TextWriter output)
    {
        foreach (IGrouping<(bool Isr, string Input, RunTimeSource Source), ToldRunTimes> one in runTimes
            .GroupBy(run => (run.Isr, run.Input, run.Source)).OrderBy(group => group.Key.Isr))
        {
            ToldRunTimes[] drivers =
            [
                .. one.Where(run => run.Driver is not null)
                    .OrderByDescending(run => run.Total).ThenByDescending(run => run.Longest),
            ];
            output.WriteLine();
            output.WriteLine($"{(one.Key.Isr ? "ISRs" : "DPCs")}, how long they ran, {LatencyWords.Of(one.Key.Source)} {one.Key.Input}, "
                + $"{ReadableDuration.Of(one.First().Measured)}: percentiles and longest are upper bounds");
            List<string[]> rows =
            [
                [
                    "us", "count", "a second", "us a second", "mean",
                    .. LatencyDistributions.Percents.Select(percent => percent.ToString(CultureInfo.InvariantCulture) + " %"),
                    "longest",
                ],
            ];
            rows.AddRange(one.Where(run => run.Driver is null).Concat(drivers.Take(MostDrivers)).Select(run => (string[])
            [
                run.Driver ?? "all",
                run.Count?.ToString("N0", CultureInfo.InvariantCulture) ?? "-",
                run.PerSecond is { } rate ? RoundedNumber.Of(rate) : "-",
                LatencyText.Microseconds(run.TimePerSecond),
                LatencyText.Microseconds(run.Mean),
                .. LatencyDistributions.Percents.Select((_, i) =>
                    LatencyText.Microseconds(i < run.Percentiles.Count ? run.Percentiles[i].Value : null)),
                LatencyText.Microseconds(run.Longest),
            ]));
            LatencyText.WriteRows(rows, output);
            if (drivers.Length > MostDrivers)
            {
                output.WriteLine($"  ... and {drivers.Length - MostDrivers} more; --format json has all");
            }
        }
    }
}
