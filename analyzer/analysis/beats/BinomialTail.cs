namespace Tracer.Analysis.Beats;

/// <summary>
/// Binomial tail probabilities as natural logarithms, which stay exact where the probability itself is too small for a double.
/// </summary>
internal static class BinomialTail
{
    /// <summary>The sum ends at a term smaller than this part of it: the term changes no digit.</summary>
    private const double NoDigit = 1e-18;

    /// <summary>The probability of at least a given number of successes.</summary>
    /// <param name="successes">The least number of successes.</param>
    /// <param name="trials">Number of independent trials; negative counts as none.</param>
    /// <param name="chance">Probability of success of each trial; below 0 counts as 0, above 1 and NaN as 1.</param>
    /// <returns>Its natural logarithm: 0 where success is certain, negative infinity where it is impossible.</returns>
    public static double LogAtLeast(long successes, long trials, double chance)
    {
        if (successes <= 0)
        {
            return 0;
        }

        if (successes > trials || chance <= 0)
        {
            return double.NegativeInfinity;
        }

        if (!(chance < 1))
        {
            return 0;
        }

        // From the mean on, each term is smaller than the one before; below the mean the other tail is summed.
        return successes > trials * chance
            ? LogOfSum(successes, trials, chance)
            : Math.Log(Math.Max(0, 1 - Math.Exp(LogOfSum(trials - successes + 1, trials, 1 - chance))));
    }

    /// <summary>The probability of at most a given number of successes.</summary>
    /// <param name="trials">Number of independent trials; negative counts as none.</param>
    /// <param name="chance">Probability of success of each trial; below 0 counts as 0, above 1 and NaN as 1.</param>
    /// <returns>Its natural logarithm: 0 where that is certain, negative infinity where it is impossible.</returns>
    public static double LogAtMost(long successes, long trials, double chance) =>
        successes >= trials ? 0 : LogAtLeast(trials - successes, trials, chance <= 0 ? 1 : chance < 1 ? 1 - chance : 0);

    /// <summary>
    /// The sum of the terms from a number of successes on, which is at least the mean; each term follows from the one before by their
    /// ratio.
    /// </summary>
    private static double LogOfSum(long from, long trials, double chance)
    {
        double odds = chance / (1 - chance);
        double sum = 1;
        double term = 1;
        for (long count = from; count < trials && term > NoDigit * sum; count++)
        {
            term *= (trials - count) / (count + 1.0) * odds;
            sum += term;
        }

        return Math.Min(0, LogFactorial.LogChoices(trials, from) + (from * Math.Log(chance)) + ((trials - from) * Math.Log(1 - chance))
            + Math.Log(sum));
    }
}
