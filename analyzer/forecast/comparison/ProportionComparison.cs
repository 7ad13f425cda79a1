using MathNet.Numerics;
using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>
/// Compares how many of some have something with how many of others: each counts once and depends on no other. Chance is that of Fisher's
/// exact test, the interval of the ratio that of Koopman (Biometrics 40, 1984), which is right for few and for none at all.
/// </summary>
/// <param name="Ratio">The part of the first over that of the others; null where none of the others has it.</param>
/// <param name="Low">The lower end of its 95 % interval.</param>
/// <param name="High">The upper end; infinite where the others may have none.</param>
/// <param name="P">How often chance alone gives a difference as large, either way.</param>
public readonly record struct ProportionComparison(double? Ratio, double Low, double High, double P)
{
    /// <summary>Halvings of the interval in which an end is looked for: more than a double can tell apart.</summary>
    private const int Steps = 80;

    /// <summary>Ratios beyond this, either way, are not looked for.</summary>
    private const double Farthest = 1e9;

    /// <summary>Terms that are so small a part of their sum change nothing.</summary>
    private const double Negligible = 1e-18;

    private static readonly double Bound = ChiSquared.InvCDF(1, 1 - ComparisonRules.Outside);

    /// <param name="having">How many of the first have it.</param>
    /// <param name="all">How many there are of the first; above 0.</param>
    /// <param name="others">How many others there are; above 0.</param>
    /// <exception cref="ArgumentOutOfRangeException">More have it than there are, or there are none.</exception>
    public static ProportionComparison Of(long having, long all, long othersHaving, long others)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(all);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(others);
        ArgumentOutOfRangeException.ThrowIfNegative(having);
        ArgumentOutOfRangeException.ThrowIfNegative(othersHaving);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(having, all);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(othersHaving, others);
        double? ratio = othersHaving > 0 ? (double)having / all / ((double)othersHaving / others) : null;
        double p = Chance(having, all, othersHaving, others);
        double middle = ratio is > 0 ? ratio.Value : 1;
        return having + othersHaving == 0
            ? new ProportionComparison(null, 0, double.PositiveInfinity, 1)
            : new ProportionComparison(
                ratio,
                having == 0 ? 0 : End(othersHaving == 0 ? Farthest : middle, 1 / Farthest),
                othersHaving == 0 ? double.PositiveInfinity : End(having == 0 ? 1 / Farthest : middle, Farthest),
                p);

        // From a ratio that the numbers allow to one that they do not, by halves in the logarithm.
        double End(double inside, double outside)
        {
            (double near, double far) = (Math.Log(inside), Math.Log(outside));
            for (int step = 0; step < Steps; step++)
            {
                double half = (near + far) / 2;
                (near, far) = Distance(having, all, othersHaving, others, Math.Exp(half)) <= Bound ? (half, far) : (near, half);
            }

            return Math.Exp(near);
        }
    }

    /// <summary>How far the numbers are from what a ratio makes likeliest: chi squared of one degree of freedom (Koopman's 2.2).</summary>
    private static double Distance(double having, double all, double othersHaving, double others, double ratio)
    {
        double square = (all + others) * ratio;
        double linear = (all * ratio) + having + others + (othersHaving * ratio);
        double constant = having + othersHaving;
        // The smaller root, in the form that loses no digits.
        double part = 2 * constant / (linear + Math.Sqrt(Math.Max(0, (linear * linear) - (4 * square * constant))));
        return Term(having, all, Math.Min(1, ratio * part)) + Term(othersHaving, others, Math.Min(1, part));

        static double Term(double count, double all, double part)
        {
            double expected = all * part;
            double variance = expected * (1 - part);
            double off = count - expected;
            return Math.Abs(off) < 1e-9 * all ? 0 : variance > 0 ? off * off / variance : double.PositiveInfinity;
        }
    }

    /// <summary>Twice the chance of so many or more of the first among all that have it, or of so many or fewer; the smaller.</summary>
    private static double Chance(long having, long all, long othersHaving, long others)
    {
        long sum = having + othersHaving;
        bool isMore = having * (double)others >= othersHaving * (double)all;
        // By symmetry only tails of many are summed.
        return isMore ? Math.Min(1, 2 * Tail(having, all, sum, others)) : Math.Min(1, 2 * Tail(othersHaving, others, sum, all));
    }

    private static double Tail(long from, long all, long sum, long others)
    {
        double term = Math.Exp(LogChoose(all, from) + LogChoose(others, sum - from) - LogChoose(all + others, sum));
        double tail = 0;
        for (long count = from; count <= Math.Min(all, sum) && term > tail * Negligible; count++)
        {
            tail += term;
            term *= (double)(all - count) / (count + 1) * (sum - count) / (others - sum + count + 1);
        }

        return tail;
    }

    private static double LogChoose(double all, double some) =>
        SpecialFunctions.GammaLn(all + 1) - SpecialFunctions.GammaLn(some + 1) - SpecialFunctions.GammaLn(all - some + 1);
}
