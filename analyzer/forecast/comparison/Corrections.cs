namespace Tracer.Forecast;

/// <summary>Corrections for asking many questions of the same data.</summary>
public static class Corrections
{
    /// <summary>Holm (1979): the chance of even one false alarm among all stays what one question has.</summary>
    /// <returns>The corrected ones, in the same order.</returns>
    public static double[] Holm(IReadOnlyList<double> chances)
    {
        ArgumentNullException.ThrowIfNull(chances);
        double[] corrected = new double[chances.Count];
        double most = 0;
        int[] order = [.. Enumerable.Range(0, chances.Count).OrderBy(one => chances[one])];
        for (int rank = 0; rank < order.Length; rank++)
        {
            most = Math.Max(most, Math.Min(1, (order.Length - rank) * chances[order[rank]]));
            corrected[order[rank]] = most;
        }

        return corrected;
    }

    /// <summary>Benjamini and Hochberg (1995): of what is told to differ, so large a part may be false alarms.</summary>
    /// <returns>The corrected ones, in the same order.</returns>
    public static double[] BenjaminiHochberg(IReadOnlyList<double> chances)
    {
        ArgumentNullException.ThrowIfNull(chances);
        double[] corrected = new double[chances.Count];
        double least = 1;
        int[] order = [.. Enumerable.Range(0, chances.Count).OrderBy(one => chances[one])];
        for (int rank = order.Length - 1; rank >= 0; rank--)
        {
            least = Math.Min(least, order.Length * chances[order[rank]] / (rank + 1));
            corrected[order[rank]] = least;
        }

        return corrected;
    }
}
