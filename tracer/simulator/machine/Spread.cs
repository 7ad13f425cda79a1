namespace Tracer.Simulator;

/// <summary>How long something takes, as a distribution; draws are whole nanoseconds and never below 1.</summary>
public sealed class Spread
{
    private readonly Shape _shape;
    private readonly long _first;
    private readonly long _second;
    private readonly double _sigma;

    private Spread(Shape shape, long first, long second, double sigma)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(first);
        ArgumentOutOfRangeException.ThrowIfLessThan(second, first);
        _shape = shape;
        _first = first;
        _second = second;
        _sigma = sigma;
    }

    private enum Shape
    {
        Uniform,
        Exponential,
        LogNormal,
    }

    /// <summary>Always the same length.</summary>
    /// <param name="ns">Nanoseconds.</param>
    public static Spread Constant(long ns) => new(Shape.Uniform, ns, ns, 0);

    /// <summary>Each length between two, both included, as likely.</summary>
    /// <param name="leastNs">The shortest, in nanoseconds.</param>
    /// <param name="mostNs">The longest, in nanoseconds.</param>
    public static Spread Uniform(long leastNs, long mostNs) => new(Shape.Uniform, leastNs, mostNs, 0);

    /// <summary>Lengths between events that know nothing of each other, cut off at ten times the mean.</summary>
    /// <param name="meanNs">The mean, in nanoseconds.</param>
    public static Spread Exponential(long meanNs) => new(Shape.Exponential, meanNs, checked(meanNs * 10), 0);

    /// <summary>The lengths of most code: many near the median and a long tail (log-normal), cut off at a most.</summary>
    /// <param name="medianNs">As many draws lie below as above, in nanoseconds.</param>
    /// <param name="sigma">Standard deviation of the logarithm; 0.3 is narrow, 1 has a tail of ten times the median in 1 of 100.</param>
    /// <param name="mostNs">No draw is longer, in nanoseconds.</param>
    public static Spread LogNormal(long medianNs, double sigma, long mostNs) => new(Shape.LogNormal, medianNs, mostNs, sigma);

    /// <summary>Draws a length in nanoseconds, at least 1.</summary>
    public long Next(RandomSequence random)
    {
        ArgumentNullException.ThrowIfNull(random);
        long drawn = _shape switch
        {
            Shape.Uniform => _first == _second ? _first : _first + random.NextBelow(_second - _first + 1),
            Shape.Exponential => Math.Min(_second, (long)(-PortableLogarithm.Log(1 - random.NextFraction()) * _first)),
            _ => Math.Min(_second, (long)(_first * PortableLogarithm.Exp(_sigma * Normal(random)))),
        };
        return Math.Max(1, drawn);
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
