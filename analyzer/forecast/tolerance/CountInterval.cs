using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>What a number of events says about their mean number.</summary>
public static class CountInterval
{
    /// <summary>Intervals are those of 95 %.</summary>
    private const double Outside = 0.05;

    /// <summary>
    /// The 95 % interval: exact for events that come alone (Garwood 1936). Of events that come in bursts, so many are worth one, and the
    /// interval is that of the bursts. Of none, it goes from 0 to what 95 of 100 such times would have shown one of.
    /// </summary>
    /// <param name="dispersion">Variance over mean of their number, at least 1.</param>
    public static (double Low, double High) Of(long count, double dispersion)
    {
        double bursts = count / dispersion;
        return count == 0
            ? (0, -Math.Log(Outside) * dispersion)
            : (ChiSquared.InvCDF(2 * bursts, Outside / 2) / 2 * dispersion,
                ChiSquared.InvCDF(2 * (bursts + 1), 1 - Outside / 2) / 2 * dispersion);
    }
}
