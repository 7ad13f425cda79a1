using Tracer.Forecast;
using Tracer.Forecast.Tests;

namespace Tracer.Bench.Forecasts;

/// <summary>How often the 95 % interval of a return level holds the true level.</summary>
internal sealed class Coverage(string method, double times)
{
    public string Method => method;

    /// <summary>How many times the observed time the forecast is for.</summary>
    public double Times => times;

    /// <summary>Series of which a level was told.</summary>
    public int Told { get; private set; }

    /// <summary>Of these, those whose interval holds the true level.</summary>
    public int Holds { get; private set; }

    /// <summary>Of these, those whose interval lies below it: the forecast was too good.</summary>
    public int Below { get; private set; }

    /// <summary>High end over low end of the intervals that were told.</summary>
    public List<double> Widths { get; } = [];

    /// <summary>How often which reason refused.</summary>
    public SortedDictionary<RefusalReason, int> Refusals { get; } = [];

    /// <summary>Counts a forecast.</summary>
    public void Add(ReturnLevels levels, int horizon, double trueNs)
    {
        if ((levels.Refusal ?? levels.Levels[horizon].Refusal) is { } refusal)
        {
            Refusals[refusal.Reason] = Refusals.GetValueOrDefault(refusal.Reason) + 1;
            return;
        }

        ReturnLevel level = levels.Levels[horizon];
        Told++;
        double high = level.HighNs ?? double.PositiveInfinity;
        Holds += level.LowNs <= trueNs && trueNs <= high ? 1 : 0;
        Below += high < trueNs ? 1 : 0;
        Widths.Add(high / Math.Max(1, level.LowNs ?? 1));
    }

    /// <param name="number">Its number, which is the seed.</param>
    /// <param name="series">How many series.</param>
    public static Coverage[] Of(TailFamily family, int number, int series)
    {
        double[] times = [1, 8];
        Coverage[] peaks = [.. times.Select(times => new Coverage("peaks", times))];
        Coverage[] blocks = [.. times.Select(times => new Coverage("blocks", times))];
        for (int i = 0; i < series; i++)
        {
            LatencySeries made = family.Make(new RandomNumbers((ulong)(1000 * number + i)));
            long[] horizons = [.. times.Select(times => (long)(times * made.ObservedNs))];
            (ReturnLevels ofPeaks, ReturnLevels ofBlocks) = ExtremeValues.Of(made, horizons);
            for (int horizon = 0; horizon < times.Length; horizon++)
            {
                double level = family.LevelNs(times[horizon] * made.Waits);
                peaks[horizon].Add(ofPeaks, horizon, level);
                blocks[horizon].Add(ofBlocks, horizon, level);
            }
        }

        return [.. peaks, .. blocks];
    }
}
