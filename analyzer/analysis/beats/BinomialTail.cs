namespace Tracer.Analysis;

/// <summary>
/// How often something of a known chance happens so many times, as a natural logarithm: right where the chance itself is too small for a
/// double.
/// </summary>
internal static class BinomialTail
{
    /// <summary>A term that is smaller than this part of the sum changes no digit of it.</summary>
    private const double NoDigit = 1e-18;

    /// <summary>The chance of at least so many successes.</summary>
    /// <param name="successes">How many at least.</param>
    /// <param name="trials">Of how many independent trials; negative counts as none.</param>
    /// <param name="chance">The chance of each; below 0 counts as 0, above 1 and what is no number as 1.</param>
    /// <returns>Its natural logarithm: 0 where it is certain, negative infinity where it is impossible.</returns>
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

        // From the mean on each term is smaller than the one before; below it the other side is summed.
        return successes > trials * chance
            ? LogOfSum(successes, trials, chance)
            : Math.Log(Math.Max(0, 1 - Math.Exp(LogOfSum(trials - successes + 1, trials, 1 - chance))));
    }

    /// <summary>The chance of at most so many successes.</summary>
    /// <param name="successes">How many at most.</param>
    /// <param name="trials">Of how many independent trials; negative counts as none.</param>
    /// <param name="chance">The chance of each; below 0 counts as 0, above 1 and what is no number as 1.</param>
    /// <returns>Its natural logarithm: 0 where it is certain, negative infinity where it is impossible.</returns>
    public static double LogAtMost(long successes, long trials, double chance) =>
        successes >= trials ? 0 : LogAtLeast(trials - successes, trials, chance <= 0 ? 1 : chance < 1 ? 1 - chance : 0);

    /// <summary>The sum of the terms from so many successes on, no fewer than the mean, each by its ratio to the one before.</summary>
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
