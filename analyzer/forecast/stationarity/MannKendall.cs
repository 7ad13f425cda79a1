using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>Whether numbers rise or fall with time (Mann 1945, Kendall 1975): counts the pairs of which the later is larger.</summary>
internal static class MannKendall
{
    /// <summary>
    /// How likely numbers without a trend are to show at least as much of one, in either direction; 1 for fewer than four.
    /// </summary>
    /// <param name="numbers">The numbers in order of time.</param>
    public static double Probability(ReadOnlySpan<double> numbers)
    {
        int n = numbers.Length;
        if (n < 4)
        {
            return 1;
        }

        long pairs = 0;
        for (int later = 1; later < n; later++)
        {
            for (int earlier = 0; earlier < later; earlier++)
            {
                pairs += Math.Sign(numbers[later] - numbers[earlier]);
            }
        }

        double variance = n * (n - 1.0) * (2 * n + 5) / 18 - Ties(numbers);
        double z = variance <= 0 ? 0 : Math.Max(0, Math.Abs(pairs) - 1) / Math.Sqrt(variance);
        return 2 * Normal.CDF(0, 1, -z);
    }

    /// <summary>By how much equal numbers lower the variance.</summary>
    private static double Ties(ReadOnlySpan<double> numbers)
    {
        double[] sorted = numbers.ToArray();
        Array.Sort(sorted);
        double less = 0;
        for (int from = 0, to = 0; from < sorted.Length; from = to)
        {
            while (to < sorted.Length && sorted[to] == sorted[from])
            {
                to++;
            }

            double equal = to - from;
            less += equal * (equal - 1) * (2 * equal + 5) / 18;
        }

        return less;
    }
}
