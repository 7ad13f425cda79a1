namespace Tracer.Simulator.Draws;

/// <summary>How long something takes, as a distribution; draws are whole nanoseconds and never below 1.</summary>
public sealed class Spread
{
    private const double NanosecondsPerMicrosecond = 1_000;

    private readonly Func<RandomSequence, long> _draw;

    private Spread(Func<RandomSequence, long> draw) => _draw = draw;

    /// <summary>Always the same length.</summary>
    public static Spread Constant(long ns)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(ns);
        return new(_ => ns);
    }

    /// <summary>Each length between two, both included, as likely.</summary>
    public static Spread Uniform(long leastNs, long mostNs)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(leastNs);
        ArgumentOutOfRangeException.ThrowIfLessThan(mostNs, leastNs);
        return leastNs == mostNs ? Constant(leastNs) : new(random => leastNs + random.NextBelow(mostNs - leastNs + 1));
    }

    /// <summary>Lengths between events that know nothing of each other, cut off at ten times the mean.</summary>
    public static Spread Exponential(long meanNs)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(meanNs);
        long most = checked(meanNs * 10);
        return new(random => Math.Min(most, (long)(-PortableLogarithm.Log(1 - random.NextFraction()) * meanNs)));
    }

    /// <summary>The lengths of most code: many near the median and a long tail (log-normal), cut off at a most.</summary>
    /// <param name="medianNs">As many draws lie below as above, in nanoseconds.</param>
    /// <param name="sigma">Standard deviation of the logarithm; 0.3 is narrow, 1 has a tail of ten times the median in 1 of 100.</param>
    /// <param name="mostNs">No draw is longer, in nanoseconds.</param>
    public static Spread LogNormal(long medianNs, double sigma, long mostNs)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(medianNs);
        ArgumentOutOfRangeException.ThrowIfLessThan(mostNs, medianNs);
        return new(random => Math.Min(mostNs, (long)(medianNs * PortableLogarithm.Exp(sigma * Normal(random)))));
    }

    /// <summary>A tail without a scale (Pareto): twice as long is so many times as rare at every length; cut off at a most.</summary>
    /// <param name="leastNs">The shortest, in nanoseconds; at least 1.</param>
    /// <param name="exponent">Twice as long is 2 to the power of this times as rare; above 0.</param>
    /// <param name="mostNs">No draw is longer, in nanoseconds.</param>
    public static Spread Pareto(long leastNs, double exponent, long mostNs)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(leastNs, 1);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(exponent);
        ArgumentOutOfRangeException.ThrowIfLessThan(mostNs, leastNs);
        return new(random =>
        {
            double logarithm = -PortableLogarithm.Log(1 - random.NextFraction()) / exponent;
            return Math.Min(mostNs, (long)(leastNs * PortableLogarithm.Exp(Math.Min(logarithm, 600))));
        });
    }

    /// <summary>What was measured: between two quantiles the logarithm of the length grows evenly.</summary>
    /// <param name="quantiles">
    /// The part of all that is as short or shorter, from 0 to 1, and the length in microseconds, above 0; neither falls. Between two of one
    /// part there is nothing.
    /// </param>
    public static Spread Measured(params ReadOnlySpan<(double Part, double Microseconds)> quantiles)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(quantiles.Length, 2, nameof(quantiles));
        double[] parts = new double[quantiles.Length];
        double[] logarithms = new double[quantiles.Length];
        for (int i = 0; i < quantiles.Length; i++)
        {
            (double part, double microseconds) = quantiles[i];
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(microseconds, nameof(quantiles));
            parts[i] = part;
            logarithms[i] = PortableLogarithm.Log(microseconds * NanosecondsPerMicrosecond);
            if (i > 0 && (parts[i] < parts[i - 1] || logarithms[i] < logarithms[i - 1]))
            {
                throw new ArgumentException("Quantiles rise.", nameof(quantiles));
            }
        }

        if (parts[0] != 0 || parts[^1] != 1)
        {
            throw new ArgumentException("Quantiles reach from 0 to 1.", nameof(quantiles));
        }

        return new(random =>
        {
            double drawn = random.NextFraction();
            int above = 1;
            while (parts[above] <= drawn)
            {
                above++;
            }

            double share = (drawn - parts[above - 1]) / (parts[above] - parts[above - 1]);
            double logarithm = logarithms[above - 1] + (share * (logarithms[above] - logarithms[above - 1]));
            return (long)PortableLogarithm.Exp(logarithm);
        });
    }

    /// <summary>What a histogram counts: within a bucket the logarithm of the length grows evenly.</summary>
    /// <param name="counts">
    /// How many lengths lie up to 1 us, above that up to 2, up to 4, and so on; the last is not 0. Below a quarter of 1 us nothing runs.
    /// </param>
    public static Spread Histogram(params ReadOnlySpan<long> counts)
    {
        double all = 0;
        foreach (long count in counts)
        {
            all += count;
        }

        List<(double Part, double Microseconds)> quantiles = [];
        double until = 0;
        for (int i = 0; i < counts.Length; i++)
        {
            double top = 1L << i;
            if (counts[i] > 0)
            {
                quantiles.Add((until / all, i == 0 ? 0.25 : top / 2));
                until += counts[i];
                quantiles.Add((until / all, top));
            }
        }

        return Measured([.. quantiles]);
    }

    /// <summary>Now and then one distribution, else another.</summary>
    /// <param name="probability">How often the first, 0 to 1.</param>
    public static Spread Mixed(double probability, Spread rare, Spread usual)
    {
        ArgumentNullException.ThrowIfNull(rare);
        ArgumentNullException.ThrowIfNull(usual);
        return new(random => (random.Happens(probability) ? rare : usual).Next(random));
    }

    /// <summary>The same with every draw above a most cut off there.</summary>
    /// <param name="mostNs">No draw is longer, in nanoseconds.</param>
    public Spread CutOffAt(long mostNs) => new(random => Math.Min(mostNs, Next(random)));

    /// <summary>The same, each draw so many times as long.</summary>
    /// <param name="factor">Above 0.</param>
    public Spread Times(double factor) => new(random => (long)(factor * Next(random)));

    /// <summary>Draws a length in nanoseconds, at least 1.</summary>
    public long Next(RandomSequence random)
    {
        ArgumentNullException.ThrowIfNull(random);
        return Math.Max(1, _draw(random));
    }

    /// <summary>A draw near the standard normal distribution: twelve uniform ones, less their mean; it stays within 6 either way.</summary>
    private static double Normal(RandomSequence random)
    {
        double sum = -6;
        for (int i = 0; i < 12; i++)
        {
            sum += random.NextFraction();
        }

        return sum;
    }
}
