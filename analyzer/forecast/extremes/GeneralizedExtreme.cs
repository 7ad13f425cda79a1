namespace Tracer.Forecast;

/// <summary>
/// The distribution that the maxima of long blocks tend to (Coles 2001, chapter 3); with shape 0 it is Gumbel's.
/// </summary>
/// <param name="Scale">sigma, above 0.</param>
internal readonly record struct GeneralizedExtreme(double Shape, double Scale, double Place)
{
    /// <summary>The level that a block's maximum is above once in so many blocks, on average of their expected crossings.</summary>
    /// <param name="blocks">How many blocks; above 0.</param>
    public double ExceededOnceIn(double blocks) => Place + Scale * GeneralizedPareto.Growth(blocks, Shape);

    /// <summary>The level that a block's maximum stays below with a probability.</summary>
    public double Below(double probability) => ExceededOnceIn(-1 / Math.Log(probability));

    /// <summary>How likely a block's maximum is to be at or below a level.</summary>
    public double Probability(double level)
    {
        double at = (level - Place) / Scale;
        if (Math.Abs(Shape) < GeneralizedPareto.Flat)
        {
            return Math.Exp(-Math.Exp(-at));
        }

        double inside = 1 + Shape * at;
        return inside > 0 ? Math.Exp(-Math.Exp(-Math.Log(inside) / Shape)) : Shape > 0 ? 0 : 1;
    }

    /// <summary>The logarithm of how likely these maxima are; negative infinity where one can't be.</summary>
    public double LogLikelihood(ReadOnlySpan<double> maxima)
    {
        if (!(Scale > 0))
        {
            return double.NegativeInfinity;
        }

        double sum = 0;
        foreach (double maximum in maxima)
        {
            double at = (maximum - Place) / Scale;
            double inside = 1 + Shape * at;
            if (inside <= 0)
            {
                return double.NegativeInfinity;
            }

            double log = Math.Abs(Shape) < GeneralizedPareto.Flat ? at : Math.Log(inside) / Shape;
            sum += (1 + Shape) * log + Math.Exp(-log);
        }

        return -maxima.Length * Math.Log(Scale) - sum;
    }
}
