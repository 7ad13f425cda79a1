using Tracer.Forecast.Tests;

namespace Tracer.Bench.Forecasts;

/// <summary>Measures forecasts against made series of which the truth is known, and writes bench/forecast.md.</summary>
internal static class ForecastRun
{
    private const int Series = 200;

    /// <summary>Runs with an output file, and optionally another number of series.</summary>
    public static int Run(string[] args)
    {
        string path = args.Length > 0 ? args[0] : Path.Combine("bench", "forecast.md");
        int series = args.Length > 1 ? int.Parse(args[1], CultureInfo.InvariantCulture) : Series;
        IReadOnlyList<TailFamily> known = TailFamily.Known;
        var coverages = new Coverage[known.Count + TailFamily.Unknowable.Count][];
        TailFamily[] all = [.. known, .. TailFamily.Unknowable];
        Parallel.For(0, all.Length, i =>
        {
            coverages[i] = Coverage.Of(all[i], i, series);
            Console.Error.WriteLine(all[i].Name);
        });
        DropoutCoverage[] dropouts =
        [
            DropoutCoverage.Of(all.Single(family => family.Name == "exponential"), 50, series, 824e3),
            DropoutCoverage.Of(all.Single(family => family.Name == "exponential"), 51, series, 1188e3),
            DropoutCoverage.Of(all.Single(family => family.Name == "bursts"), 52, series, 1000e3),
            DropoutCoverage.Of(all.Single(family => family.Name == "bursts"), 53, series, 2500e3),
            DropoutCoverage.Of(all.Single(family => family.Name == "autocorrelated"), 54, series, 1300e3),
        ];
        (TailFamily, Coverage[])[] rows = [.. all.Zip(coverages)];
        File.WriteAllText(path, ForecastDocument.Of(series, rows[..known.Count], rows[known.Count..], dropouts));
        return 0;
    }
}
