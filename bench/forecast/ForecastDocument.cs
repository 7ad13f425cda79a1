using System.Text;
using Tracer.Forecast.Tests;

namespace Tracer.Bench.Forecasts;

/// <summary>Writes what was measured as bench/forecast.md.</summary>
internal static class ForecastDocument
{
    public static string Of(
        int series,
        IReadOnlyList<(TailFamily Family, Coverage[] Coverages)> known,
        IReadOnlyList<(TailFamily Family, Coverage[] Coverages)> unknowable,
        IReadOnlyList<DropoutCoverage> dropouts)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"""
            # Forecasts against known truth

            Written by `dotnet run -c Release --project bench -- forecast`, from {series} made series of each kind, an hour of
            {TailFamily.Rate} waits a second each ([forecast](../docs/use/forecast.md) tells the method). The seeds are fixed: the same
            sources write the same document.

            ## Return levels

            Of the series of which a level was told: how often its 95 % interval holds the true level, how often it lies below it (the
            forecast was too good), and how wide it is, as the middle high end over low end. For the hour that was observed and for eight
            times as long, by peaks over a threshold and by block maxima. Less than 90 % would have to be mended or refused.

            | latencies | method | for | told | holds | below | above | width | refused |
            |---|---|---|---|---|---|---|---|---|

            """);
        foreach ((TailFamily family, Coverage[] coverages) in known)
        {
            foreach (Coverage coverage in coverages)
            {
                text.Append(CultureInfo.InvariantCulture, $"| {family.Name} | {coverage.Method} | {coverage.Times} h | {coverage.Told} | ");
                text.Append(coverage.Told == 0 ? "- | - | - | - |" : string.Create(CultureInfo.InvariantCulture,
                    $"{100.0 * coverage.Holds / coverage.Told:0.0} % | {coverage.Below} | {Above(coverage)} | {Width(coverage):0.00} |"));
                text.Append(CultureInfo.InvariantCulture, $" {Refusals(coverage)} |\n");
            }
        }

        text.Append("\nThe kinds:\n\n");
        foreach ((TailFamily family, _) in known.Concat(unknowable))
        {
            text.Append(CultureInfo.InvariantCulture, $"- {family.Name}: {family.What}\n");
        }

        text.Append("\n## What must be refused\n\n| latencies | method | refused | why |\n|---|---|---|---|\n");
        foreach ((TailFamily family, Coverage[] coverages) in unknowable)
        {
            foreach (Coverage coverage in coverages.Where(coverage => coverage.Times > 1))
            {
                text.Append(CultureInfo.InvariantCulture,
                    $"| {family.Name} | {coverage.Method} | {series - coverage.Told} of {series} | {Refusals(coverage)} |\n");
            }
        }

        text.Append("""

            ## Dropouts an hour

            How often the 95 % interval of dropouts an hour, from one hour, holds their true number, which is the mean of all series.

            | latencies | true an hour | series | holds | below | variance over mean, estimated |
            |---|---|---|---|---|---|

            """);
        foreach (DropoutCoverage one in dropouts)
        {
            text.Append(CultureInfo.InvariantCulture, $"| {one.Family} | {one.PerHour:0.00} | {one.Series} | ");
            text.Append(CultureInfo.InvariantCulture, $"{100.0 * one.Holds / one.Series:0.0} % | {one.Below} | {one.Dispersion:0.0} |\n");
        }

        return text.ToString();
    }

    private static int Above(Coverage coverage) => coverage.Told - coverage.Holds - coverage.Below;

    private static double Width(Coverage coverage) => coverage.Widths.Order().ElementAt(coverage.Widths.Count / 2);

    private static string Refusals(Coverage coverage) => coverage.Refusals.Count == 0
        ? "none"
        : string.Join(", ", coverage.Refusals.Select(one => $"{KebabCase.Of(one.Key)} {one.Value}"));
}
