namespace Tracer.Analysis.Tests.Beats;

/// <summary>A distribution of intervals between events that know nothing of each other: a renewal process, which keeps no beat.</summary>
/// <param name="Name">Its name, with its parameters in units of its period.</param>
/// <param name="Variation">Its coefficient of variation: standard deviation by mean.</param>
internal sealed record IntervalFamily(string Name, double Variation, Func<MadeTimes, double> Interval)
{
    /// <summary>From one that nobody would take for a beat to one that spreads as little as the test can tell from a beat.</summary>
    public static readonly IReadOnlyList<IntervalFamily> All =
    [
        new("lognormal", 1.5, made => Math.Exp(Math.Sqrt(Math.Log(3.25)) * made.Normal())),
        new("exponential", 1, made => made.Exponential()),
        new("gamma of shape 4", 0.5, made => made.Exponential() + made.Exponential() + made.Exponential() + made.Exponential()),
        new("1 or 1.6, each normal with 0.05", 0.24, made => (made.Whole(0, 2) == 0 ? 1 : 1.6) * (1 + (0.05 * made.Normal()))),
        new("uniform from 0.7 to 1", 0.10, made => made.Uniform(0.7, 1)),
        new("normal", 0.05, made => Math.Max(0, 1 + (0.05 * made.Normal()))),
    ];
}
