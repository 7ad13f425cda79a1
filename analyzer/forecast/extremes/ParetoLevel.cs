namespace Tracer.Forecast;

/// <summary>
/// How well a level that is exceeded once in so many excesses agrees with the excesses: the likelihood of the best distribution that has
/// this level, beside that of the best of all (the profile likelihood of a return level; Coles 2001, 4.3.3).
/// </summary>
internal static class ParetoLevel
{
    /// <summary>Points of the grid over the shape, for the likelihood of one level.</summary>
    private const int Grid = 8;

    /// <summary>Steps of the search between two of them: to a hundredth of the shape, which moves the likelihood by nothing.</summary>
    private const int Steps = 12;

    /// <summary>Twice the logarithm by which the level is less likely than the best one; at least 0.</summary>
    /// <param name="excesses">The excesses in ascending order.</param>
    /// <param name="best">The most likely distribution.</param>
    /// <param name="once">The level is exceeded once in so many excesses; above 1.</param>
    /// <param name="level">The level above the threshold; above 0.</param>
    public static double Deviance(ReadOnlySpan<double> excesses, GeneralizedPareto best, double once, double level)
    {
        var profile = new Profile(excesses, once, level);
        double value = LineSearch.Highest(ref profile, ParetoFit.LeastShape, ParetoFit.MostShape, Grid, Steps).Value;
        return Math.Max(0, 2 * (best.LogLikelihood(excesses) - value));
    }

    private readonly ref struct Profile(ReadOnlySpan<double> excesses, double once, double level) : LineSearch.IFunction
    {
        private readonly ReadOnlySpan<double> _excesses = excesses;
        private readonly double _once = once;
        private readonly double _level = level;

        public double At(double shape) =>
            new GeneralizedPareto(shape, _level / GeneralizedPareto.Growth(_once, shape)).LogLikelihood(_excesses);
    }
}
