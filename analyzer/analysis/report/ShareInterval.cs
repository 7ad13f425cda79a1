namespace Tracer.Analysis.Report;

/// <summary>
/// Between which parts of all the true one lies, 95 times in 100, of which some samples of several were seen: the fewer, the wider.
/// </summary>
/// <remarks>E. B. Wilson: Probable Inference, the Law of Succession, and Statistical Inference. JASA 22, 1927.</remarks>
internal static class ShareInterval
{
    private const double Deviations = 1.959964; // Of a normal distribution, for 95 of 100.

    /// <param name="some">How many samples were seen.</param>
    /// <param name="all">Of how many; at least one.</param>
    public static (double Least, double Most) Of(int some, int all)
    {
        double share = some / (double)all;
        double square = Deviations * Deviations / all;
        double middle = share + (square / 2);
        double half = Deviations * Math.Sqrt(((share * (1 - share)) + (square / 4)) / all);
        return ((middle - half) / (1 + square), (middle + half) / (1 + square));
    }
}
