namespace Tracer.Forecast;

/// <summary>How a measure changed, with its 95 % interval and how often chance alone gives such a difference.</summary>
public sealed record Compared
{
    /// <summary>New over base; null where base is 0.</summary>
    public required double? Ratio { get; init; }

    /// <summary>Low end of the interval of the ratio.</summary>
    public required double Low { get; init; }

    /// <summary>High end; infinite where the base had none.</summary>
    public required double High { get; init; }

    /// <summary>How often chance alone gives a difference as large, to either side.</summary>
    public required double P { get; init; }

    /// <summary>Variance over mean of counts; 1 where events come alone, and of values.</summary>
    public double Dispersion { get; init; } = 1;

    /// <summary>
    /// The least ratio that would have been shown four times in five; null where the interval has no end. It follows from the width of the
    /// interval: 1.96 deviations to each side, and 1.96 + 0.84 are needed. Values that did not spread at all tell nothing of it.
    /// </summary>
    public double? Detectable => Low > 0 && double.IsFinite(High) && High > Low ? Math.Exp(2.8 * Math.Log(High / Low) / (2 * 1.96)) : null;
}

internal static class ComparisonRules
{
    /// <summary>Intervals are those of 95 %.</summary>
    public const double Outside = 0.05;

    /// <summary>Times drawn anew for an interval: 25 of them lie beyond on each side.</summary>
    public const int Draws = 1000;

    /// <summary>
    /// Ways in which blocks are dealt out to the two sides: chance to a thousandth, so that twenty questions can be asked.
    /// </summary>
    public const int Deals = 1999;

    /// <summary>All random numbers have a fixed seed: two traces give the same bytes each time.</summary>
    public const ulong Seed = 0x6469_6666;

    /// <summary>How often chance gives a difference, of the deals with a larger and with a smaller one.</summary>
    public static double TwoSided(int atLeast, int atMost) => Math.Min(1, 2.0 * (1 + Math.Min(atLeast, atMost)) / (Deals + 1));
}
