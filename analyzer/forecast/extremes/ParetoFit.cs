namespace Tracer.Forecast;

/// <summary>Fits a generalized Pareto distribution to excesses.</summary>
internal static class ParetoFit
{
    /// <summary>A tail that ends more abruptly is not looked for: below it the likelihood has no regular maximum (Smith 1985).</summary>
    public const double LeastShape = -0.5;

    /// <summary>Beyond this nothing can be forecast anyway.</summary>
    public const double MostShape = 1.5;

    /// <summary>Points of the grid over the shape from which the search starts.</summary>
    private const int Grid = 11;

    /// <summary>Steps of the search between two of them: to a thousandth of the shape.</summary>
    private const int Steps = 16;

    /// <summary>
    /// The most likely distribution. Its likelihood depends on one number only, the shape over the scale (Grimshaw 1993); looked for around
    /// the estimate by probability-weighted moments.
    /// </summary>
    /// <param name="excesses">Excesses in ascending order, at least two, above 0.</param>
    public static GeneralizedPareto MostLikely(ReadOnlySpan<double> excesses)
    {
        double mean = Mean(excesses);
        GeneralizedPareto start = OfMoments(excesses);
        var profile = new Profile(excesses);
        double least = -(1 - 1e-7) / excesses[^1];
        double around = Math.Clamp(start.Shape, LeastShape, MostShape) / start.Scale;
        double from = Math.Max(least, around - 1 / mean);
        (double ratio, double value) = LineSearch.Highest(ref profile, from, Math.Max(around, 0) + 2 / mean, Grid, Steps);
        return value > profile.At(0) ? profile.Of(ratio) : new GeneralizedPareto(0, mean);
    }

    /// <summary>The estimate by probability-weighted moments (Hosking and Wallis 1987).</summary>
    public static GeneralizedPareto OfMoments(ReadOnlySpan<double> excesses)
    {
        double mean = Mean(excesses);
        double weighted = 0;
        int n = excesses.Length;
        for (int i = 0; i < n; i++)
        {
            weighted += excesses[i] * (n - 1 - i) / (n - 1.0);
        }

        weighted /= n;
        double below = mean - 2 * weighted;
        return below <= 0
            ? new GeneralizedPareto(MostShape, mean)
            : new GeneralizedPareto(2 - mean / below, 2 * mean * weighted / below);
    }

    private static double Mean(ReadOnlySpan<double> numbers)
    {
        double sum = 0;
        foreach (double number in numbers)
        {
            sum += number;
        }

        return sum / numbers.Length;
    }

    /// <summary>The likelihood as a function of the shape over the scale; both follow from it.</summary>
    private readonly ref struct Profile(ReadOnlySpan<double> excesses) : LineSearch.IFunction
    {
        private readonly ReadOnlySpan<double> _excesses = excesses;
        private readonly double _mean = Mean(excesses);

        public GeneralizedPareto Of(double ratio)
        {
            if (Math.Abs(ratio) * _mean < GeneralizedPareto.Flat)
            {
                return new GeneralizedPareto(0, _mean);
            }

            double sum = 0;
            foreach (double excess in _excesses)
            {
                sum += Math.Log(1 + ratio * excess);
            }

            double shape = sum / _excesses.Length;
            return new GeneralizedPareto(shape, shape / ratio);
        }

        public double At(double ratio)
        {
            GeneralizedPareto pareto = Of(ratio);
            return pareto.Shape is >= LeastShape and <= MostShape ? -Math.Log(pareto.Scale) - pareto.Shape - 1 : double.NegativeInfinity;
        }
    }
}
