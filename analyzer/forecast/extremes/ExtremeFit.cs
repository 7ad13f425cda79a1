using MathNet.Numerics;

namespace Tracer.Forecast;

/// <summary>Fits a generalized extreme-value distribution to the maxima of blocks.</summary>
internal static class ExtremeFit
{
    /// <summary>The most likely distribution, looked for from the estimate by L-moments.</summary>
    /// <param name="maxima">Maxima in ascending order, at least three that are not all equal.</param>
    public static GeneralizedExtreme MostLikely(ReadOnlySpan<double> maxima)
    {
        GeneralizedExtreme start = OfMoments(maxima);
        var likelihood = new Likelihood(maxima, start.Scale);
        Span<double> place = [Math.Clamp(start.Shape, -0.4, 1), 0, start.Place / start.Scale];
        if (double.IsNegativeInfinity(likelihood.At(place)))
        {
            place[0] = 0;
        }

        _ = SimplexSearch.Climb(ref likelihood, place, [0.1, 0.2, 0.2]);
        return likelihood.Of(place);
    }

    /// <summary>The estimate by L-moments (Hosking, Wallis, Wood 1985).</summary>
    public static GeneralizedExtreme OfMoments(ReadOnlySpan<double> maxima)
    {
        int n = maxima.Length;
        double first = 0;
        double second = 0;
        double third = 0;
        for (int i = 0; i < n; i++)
        {
            first += maxima[i];
            second += maxima[i] * i / (n - 1);
            third += maxima[i] * i / (n - 1) * (i - 1) / (n - 2);
        }

        (first, second, third) = (first / n, second / n, third / n);
        double width = 2 * second - first;
        double skew = (6 * third - 6 * second + first) / width;
        double c = 2 / (3 + skew) - Math.Log(2) / Math.Log(3);
        double k = 7.8590 * c + 2.9554 * c * c;
        k = Math.Clamp(Math.Abs(k) < 1e-4 ? 1e-4 : k, -0.9, 0.9);
        double gamma = SpecialFunctions.Gamma(1 + k);
        double scale = width * k / ((1 - Math.Pow(2, -k)) * gamma);
        return new GeneralizedExtreme(-k, scale, first - scale * (1 - gamma) / k);
    }

    /// <summary>
    /// The likelihood by shape, logarithm of the scale and place; scale and place in units of the first estimate's scale.
    /// </summary>
    private readonly ref struct Likelihood(ReadOnlySpan<double> maxima, double unit) : SimplexSearch.IFunction
    {
        private readonly ReadOnlySpan<double> _maxima = maxima;
        private readonly double _unit = unit;

        public GeneralizedExtreme Of(scoped ReadOnlySpan<double> x) => new(x[0], Math.Exp(x[1]) * _unit, x[2] * _unit);

        public double At(scoped ReadOnlySpan<double> x) =>
            x[0] is < ParetoFit.LeastShape or > ParetoFit.MostShape ? double.NegativeInfinity : Of(x).LogLikelihood(_maxima);
    }
}
