namespace Tracer.Forecast;

/// <summary>
/// The distribution that what exceeds a high threshold tends to, whatever the rest is like (Pickands 1975; Coles 2001, chapter 4).
/// </summary>
/// <param name="Shape">xi: below 0 the tail ends somewhere, at 0 it falls like an exponential, above 0 like a power.</param>
/// <param name="Scale">sigma, in the unit of the excesses; above 0.</param>
internal readonly record struct GeneralizedPareto(double Shape, double Scale)
{
    /// <summary>A shape nearer to 0 than this counts as 0: the formulas would lose their digits.</summary>
    public const double Flat = 1e-6;

    /// <summary>How likely an excess is to be above one.</summary>
    public double Survival(double excess)
    {
        if (Math.Abs(Shape) < Flat)
        {
            return Math.Exp(-excess / Scale);
        }

        double inside = 1 + Shape * excess / Scale;
        return inside <= 0 ? 0 : Math.Exp(-Math.Log(inside) / Shape);
    }

    public double Exceeded(double probability) => Scale * Growth(1 / probability, Shape);

    /// <summary>
    /// (m^shape - 1) / shape: how many scales above the threshold lies what is exceeded once in m excesses; ln m where the shape is 0.
    /// </summary>
    public static double Growth(double m, double shape)
    {
        double log = Math.Log(m);
        return Math.Abs(shape) < Flat ? log : (Math.Exp(shape * log) - 1) / shape;
    }

    /// <summary>The logarithm of how likely these excesses are; negative infinity where one can't be.</summary>
    public double LogLikelihood(ReadOnlySpan<double> excesses)
    {
        double sum = 0;
        if (Math.Abs(Shape) < Flat)
        {
            foreach (double excess in excesses)
            {
                sum += excess;
            }

            return -excesses.Length * Math.Log(Scale) - sum / Scale;
        }

        double part = Shape / Scale;
        foreach (double excess in excesses)
        {
            double inside = 1 + part * excess;
            if (inside <= 0)
            {
                return double.NegativeInfinity;
            }

            sum += Math.Log(inside);
        }

        return -excesses.Length * Math.Log(Scale) - (1 + 1 / Shape) * sum;
    }
}
