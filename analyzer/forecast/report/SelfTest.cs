using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>
/// A forecast that tests itself: made from the first half of what was measured, and held against the second. Where the second half is
/// outside of what the first one forecasts, the workload changed or the method does not fit it.
/// </summary>
internal static class SelfTest
{
    /// <summary>Of fewer waits in a half nothing is forecast.</summary>
    private const long LeastWaits = Dropouts.LeastWaits;

    /// <summary>The tests of each application, and of the longest latency where the first half allows a forecast of it.</summary>
    public static IReadOnlyList<ForecastSelfTest> Of(LatencySeries series, ForecastQuestion question)
    {
        if (series.Blocks.Count < 2 || series.Waits < 2 * LeastWaits)
        {
            return [];
        }

        (LatencySeries first, LatencySeries second) = series.Cut(MiddleOf(series));
        if (first.Waits < LeastWaits || second.Waits < LeastWaits)
        {
            return [];
        }

        List<ForecastSelfTest> tests = [];
        foreach (AskedApplication asked in question.Applications)
        {
            double slack = asked.Buffering.SlackNs;
            if (slack >= series.PeaksAboveNs)
            {
                tests.Add(OfLate(asked.Name, first, second, slack));
            }
        }

        const long Longer = (long)ExtremeRules.MostHorizon;
        long horizon = first.ObservedNs > long.MaxValue / Longer ? 0 : first.ObservedNs * Longer;
        ExtremeValues tail = ExtremeValues.Of(first, [horizon]);
        if (tail.Peaks.Law?.Level(horizon).HighNs is { } high && second.Longest is { } longest)
        {
            tests.Add(new ForecastSelfTest
            {
                Name = null,
                AtMost = new Duration(high),
                Longest = new Duration(longest.LatencyNs),
                IsHit = longest.LatencyNs <= high,
            });
        }

        return tests;
    }

    /// <summary>
    /// How many waits will be late, from how many were: square roots of counts spread alike whatever their mean (Anscombe 1948). What comes
    /// in bursts counts by its bursts.
    /// </summary>
    private static ForecastSelfTest OfLate(string name, LatencySeries first, LatencySeries second, double slackNs)
    {
        const double Shift = 0.375;
        double dispersion = Dispersion.Of(first, slackNs);
        double ratio = (double)second.Waits / first.Waits;
        double middle = Math.Sqrt(ratio * (Late(first, slackNs) / dispersion + Shift));
        double wide = Normal.InvCDF(0, 1, 1 - ExtremeRules.Outside / 2) / 2 * Math.Sqrt(1 + ratio);
        long low = (long)Math.Ceiling(Math.Max(0, (Math.Pow(Math.Max(0, middle - wide), 2) - Shift) * dispersion));
        long high = (long)Math.Floor((Math.Pow(middle + wide, 2) - Shift) * dispersion);
        long late = Late(second, slackNs);
        return new ForecastSelfTest { Name = name, LateLow = low, LateHigh = high, Late = late, IsHit = low <= late && late <= high };
    }

    private static long Late(LatencySeries series, double slackNs) => series.Peaks.Count(peak => peak.LatencyNs > slackNs);

    private static long MiddleOf(LatencySeries series)
    {
        long half = series.Blocks.Sum(block => block.ObservedNs) / 2;
        long seen = 0;
        foreach (LatencyBlock block in series.Blocks)
        {
            if (seen >= half)
            {
                return block.StartNs;
            }

            seen += block.ObservedNs;
        }

        return series.Blocks[^1].StartNs;
    }
}
