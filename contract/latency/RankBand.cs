namespace Tracer.Contract;

/// <summary>
/// Of measurements that do not depend on each other, how many lie beyond the true percentile: their number is binomial, which gives a band
/// for the percentile by the ranks of what was measured, whatever the distribution (David and Nagaraja 2003, 7.1).
/// </summary>
public static class RankBand
{
    /// <summary>The part that the band leaves out on each side.</summary>
    private const double Outside = 0.025;

    /// <summary>The standard normal distribution leaves as much beyond.</summary>
    private const double Deviations = 1.959964;

    /// <summary>From so many on, the normal distribution stands for the binomial one.</summary>
    private const double Many = 400;

    /// <param name="beyond">The part that lies beyond the percentile, 0 to 1; at most a half.</param>
    /// <returns>At least and at most so many are beyond, in 95 of 100 such measurements.</returns>
    public static (long Fewest, long Most) Of(long count, double beyond)
    {
        double mean = count * beyond;
        if (mean >= Many)
        {
            double wide = Deviations * Math.Sqrt(mean * (1 - beyond));
            return ((long)Math.Floor(mean - wide), Math.Min(count, (long)Math.Ceiling(mean + wide)));
        }

        // Below so many the chance of none is not too small for a number.
        double chance = Math.Exp(count * Math.Log(1 - beyond));
        double sum = chance;
        long fewest = 0;
        long most = 0;
        for (; most < count && sum < 1 - Outside; most++)
        {
            fewest = sum <= Outside ? most + 1 : fewest;
            chance *= (count - most) / (most + 1.0) * (beyond / (1 - beyond));
            sum += chance;
        }

        return (fewest, most);
    }
}
