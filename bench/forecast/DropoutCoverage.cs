using Tracer.Forecast;
using Tracer.Forecast.Tests;

namespace Tracer.Bench.Forecasts;

/// <summary>
/// How often the 95 % interval of dropouts an hour holds their true number, which is taken from all series of the family together.
/// </summary>
internal sealed record DropoutCoverage(string Family, double PerHour, int Series, int Holds, int Below, double Dispersion)
{
    /// <summary>Measures one family at a slack.</summary>
    /// <param name="number">Its number, which is the seed.</param>
    /// <param name="series">How many series.</param>
    /// <param name="slackNs">How late an application may be.</param>
    public static DropoutCoverage Of(TailFamily family, int number, int series, double slackNs)
    {
        const double Period = 1e9 / TailFamily.Rate;
        var buffering = new Buffering(2, Period, Period - slackNs);
        Dropouts[] dropouts = [.. Enumerable.Range(0, series).Select(i =>
        {
            LatencySeries made = family.Make(new RandomNumbers((ulong)(1_000_000 + 1000 * number + i)));
            return Dropouts.Of(new MeasuredTail(made, new HdrHistogram(HdrLayout.Latencies)), buffering)!;
        })];
        double mean = dropouts.Average(one => one.PerHour);
        return new DropoutCoverage(
            family.Name,
            mean,
            series,
            dropouts.Count(one => one.LowPerHour <= mean && mean <= one.HighPerHour),
            dropouts.Count(one => one.HighPerHour < mean),
            dropouts.Average(one => one.Dispersion)!.Value);
    }
}
