using MathNet.Numerics.Distributions;

namespace Tracer.Forecast;

/// <summary>Whether a fitted tail may be continued beyond what was observed.</summary>
internal static class TailTests
{
    /// <summary>So many of the longest latencies are looked at for a step between them.</summary>
    private const int Longest = 10;

    /// <returns>Why it may not be continued; null where it may.</returns>
    public static Refusal? Refusal(Tail tail)
    {
        if (tail.Pareto.Shape > ExtremeRules.MostShape)
        {
            return new Refusal(RefusalReason.HeavyTail, string.Create(CultureInfo.InvariantCulture,
                $"the tail falls so slowly that no bound can be given (xi = {tail.Pareto.Shape:0.00}, at most {ExtremeRules.MostShape})"));
        }

        if (Step(tail) < ExtremeRules.Alarm)
        {
            return new Refusal(RefusalReason.MixedTail, ExtremeRules.MixedSentence);
        }

        if (EndsEarly(tail) < ExtremeRules.Alarm)
        {
            return new Refusal(
                RefusalReason.TailNotStable, "the longest latencies end sooner than the rest of the tail suggests");
        }

        return Drift(tail) < ExtremeRules.Alarm
            ? new Refusal(RefusalReason.TailNotStable, "the tail changes its shape the farther out one looks")
            : null;
    }

    /// <summary>
    /// How likely the widest step between the longest latencies is. Measured in the fitted distribution, the steps between exponential
    /// numbers, each times its rank, are exponential themselves (Renyi 1953).
    /// </summary>
    private static double Step(Tail tail)
    {
        double widest = 0;
        int n = tail.Excesses.Length;
        for (int rank = 1; rank <= Longest; rank++)
        {
            double outer = Depth(tail, tail.Excesses[n - rank]);
            widest = Math.Max(widest, rank * (outer - Depth(tail, tail.Excesses[n - rank - 1])));
        }

        return 1 - Math.Pow(1 - Math.Exp(-widest), Longest);
    }

    /// <summary>
    /// Whether latencies above a threshold are of two kinds with none between them, whatever their tail: steps between logarithms, each
    /// times its rank, are exponential numbers where the tail falls by a power and shorter where it falls faster.
    /// </summary>
    /// <param name="byLength">The longest latencies, the longest first.</param>
    public static bool AreOfTwoKinds(ReadOnlySpan<long> byLength)
    {
        double widest = 0;
        double sum = 0;
        for (int rank = 1; rank < byLength.Length; rank++)
        {
            double step = rank * Math.Log(Math.Max(1.0, byLength[rank - 1]) / Math.Max(1.0, byLength[rank]));
            widest = Math.Max(widest, step);
            sum += step;
        }

        int others = byLength.Length - 2;
        return others > 0 && sum > widest && widest / ((sum - widest) / others) > Math.Log((others + 1) / ExtremeRules.Alarm);
    }

    /// <summary>
    /// How likely the longest latencies are to stand as near together: the steps between them, each times its rank, are exponential numbers
    /// (Renyi 1953), and their sum has the gamma distribution. What a watchdog or a quota ends stands too near. Half as many are looked at,
    /// too: of ten some may be shorter than what was ended.
    /// </summary>
    private static double EndsEarly(Tail tail)
    {
        int longest = Math.Min(Longest, tail.Excesses.Length - 1);
        return Math.Min(1, 2 * Math.Min(EndsEarly(tail, longest), EndsEarly(tail, Math.Min(Longest / 2, longest))));
    }

    private static double EndsEarly(Tail tail, int longest)
    {
        int n = tail.Excesses.Length;
        double beyond = Depth(tail, tail.Excesses[n - longest - 1]);
        double sum = 0;
        for (int rank = 1; rank <= longest; rank++)
        {
            sum += Depth(tail, tail.Excesses[n - rank]) - beyond;
        }

        return Gamma.CDF(longest, 1, sum);
    }

    private static double Depth(Tail tail, double excess) => -Math.Log(Math.Max(tail.Pareto.Survival(excess), 1e-300));

    /// <summary>
    /// How likely the shapes of the whole tail and of its outer half are to differ as much. The variance of a shape is (1 + xi)^2 / n
    /// (Smith 1987), and an estimate from a part of the data differs from that of the whole by the difference of the variances (Hausman
    /// 1978).
    /// </summary>
    private static double Drift(Tail tail)
    {
        int half = tail.Excesses.Length / 2;
        double threshold = tail.Excesses[half - 1];
        double[] outer = [.. tail.Excesses[half..].Select(excess => excess - threshold).Where(excess => excess > 0)];
        if (outer.Length < ExtremeRules.LeastClusters / 2)
        {
            return 1;
        }

        GeneralizedPareto pareto = ParetoFit.MostLikely(outer);
        double variance = (1 + tail.Pareto.Shape) * (1 + tail.Pareto.Shape) * (1.0 / outer.Length - 1.0 / tail.Excesses.Length);
        return 2 * Normal.CDF(0, 1, -Math.Abs(pareto.Shape - tail.Pareto.Shape) / Math.Sqrt(variance));
    }
}
