namespace Tracer.Analysis.Beats;

/// <summary>Logarithms of factorials and binomial coefficients.</summary>
internal static class LogFactorial
{
    private static readonly double[] Small = MakeSmall();

    /// <summary>The natural logarithm of <c>n!</c>: summed for small numbers, Stirling's series for others.</summary>
    /// <param name="n">A number from 0 on.</param>
    /// <returns>The logarithm, right to 12 digits.</returns>
    public static double Of(long n) => n < Small.Length ? Small[n]
        : ((n + 0.5) * Math.Log(n)) - n + (0.5 * Math.Log(2 * Math.PI)) + (1 / (12.0 * n)) - (1 / (360.0 * n * n * n));

    /// <summary>The number of ways to choose some of a set.</summary>
    /// <param name="of">Size of the set, not negative.</param>
    /// <param name="count">How many are chosen, 0 to all.</param>
    public static double LogChoices(long of, long count) => Of(of) - Of(count) - Of(of - count);

    private static double[] MakeSmall()
    {
        double[] logs = new double[256];
        for (int i = 2; i < logs.Length; i++)
        {
            logs[i] = logs[i - 1] + Math.Log(i);
        }

        return logs;
    }
}
