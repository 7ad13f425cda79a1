namespace Tracer.Forecast;

/// <summary>Whether a sequence keeps its level (Kwiatkowski, Phillips, Schmidt, Shin 1992, without a trend).</summary>
internal static class Kpss
{
    /// <summary>Statistics above this come once in a hundred sequences that do keep it (their Table 1).</summary>
    public const double Critical = 0.739;

    /// <summary>A variance that is a smaller part of the squared mean is what rounding leaves of equal numbers.</summary>
    private const double Rounding = 1e-20;

    /// <summary>The statistic; 0 where all numbers are equal.</summary>
    public static double Statistic(ReadOnlySpan<double> numbers)
    {
        int n = numbers.Length;
        double mean = 0;
        foreach (double number in numbers)
        {
            mean += number;
        }

        mean /= n;

        double sum = 0;
        double squares = 0;
        foreach (double number in numbers)
        {
            sum += number - mean;
            squares += sum * sum;
        }

        double variance = LongVariance(numbers, mean);
        return variance <= Rounding * mean * mean ? 0 : squares / ((double)n * n * variance);
    }

    /// <summary>The variance with that of neighbours (Newey and West, with Bartlett's weights up to 4 (n / 100)^(1/4)).</summary>
    private static double LongVariance(ReadOnlySpan<double> numbers, double mean)
    {
        int n = numbers.Length;
        int lags = (int)Math.Floor(4 * Math.Pow(n / 100.0, 0.25));
        double variance = 0;
        for (int lag = 0; lag <= lags && lag < n; lag++)
        {
            double sum = 0;
            for (int i = lag; i < n; i++)
            {
                sum += (numbers[i] - mean) * (numbers[i - lag] - mean);
            }

            variance += (lag == 0 ? 1 : 2 * (1 - lag / (lags + 1.0))) * sum / n;
        }

        return variance;
    }
}
