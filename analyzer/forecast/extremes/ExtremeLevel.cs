namespace Tracer.Forecast;

/// <summary>
/// How well a level that is exceeded once in so many blocks agrees with their maxima; as <see cref="ParetoLevel"/>, for block maxima
/// (Coles 2001, 3.3.4).
/// </summary>
internal static class ExtremeLevel
{
    /// <summary>Twice the logarithm by which the level is less likely than the best one; at least 0.</summary>
    /// <param name="maxima">The maxima in ascending order.</param>
    /// <param name="best">The most likely distribution.</param>
    /// <param name="once">The level is exceeded once in so many blocks.</param>
    public static double Deviance(ReadOnlySpan<double> maxima, GeneralizedExtreme best, double once, double level)
    {
        var profile = new Profile(maxima, best.Scale, once, level);
        double most = best.LogLikelihood(maxima);
        double value = double.NegativeInfinity;
        Span<double> place = stackalloc double[2];
        for (double shape = best.Shape; shape <= ParetoFit.MostShape && double.IsNegativeInfinity(value); shape += 0.3)
        {
            // The scale that brings the level where it is asked, were the place the best one's.
            double scale = (level - best.Place) / GeneralizedPareto.Growth(once, shape);
            place[0] = shape;
            place[1] = scale > 0 ? Math.Log(scale / best.Scale) : 0;
            if (!double.IsNegativeInfinity(profile.At(place)))
            {
                value = SimplexSearch.Climb(ref profile, place, [0.1, 0.2]);
            }
        }

        return Math.Max(0, 2 * (most - value));
    }

    private readonly ref struct Profile(ReadOnlySpan<double> maxima, double unit, double once, double level) : SimplexSearch.IFunction
    {
        private readonly ReadOnlySpan<double> _maxima = maxima;
        private readonly double _unit = unit;
        private readonly double _once = once;
        private readonly double _level = level;

        public double At(scoped ReadOnlySpan<double> x)
        {
            if (x[0] is < ParetoFit.LeastShape or > ParetoFit.MostShape)
            {
                return double.NegativeInfinity;
            }

            double scale = Math.Exp(x[1]) * _unit;
            return new GeneralizedExtreme(x[0], scale, _level - scale * GeneralizedPareto.Growth(_once, x[0])).LogLikelihood(_maxima);
        }
    }
}
