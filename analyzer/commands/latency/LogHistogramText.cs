namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// Draws a distribution as OSDI'99 figure 4 does: bins of powers of two, and a logarithmic axis for the percentage in each, so that what
/// happens once in a million times shows beside what happens always.
/// </summary>
internal static class LogHistogramText
{
    private const int LeftColumns = 24;

    private const int RightColumns = 26;

    private const int FewestBarColumns = 20;

    public static void Write(LatencyDistribution distribution, int columns, TextWriter output)
    {
        int decades = Decades(distribution.Count);
        int perDecade = Math.Max(FewestBarColumns, columns - LeftColumns - RightColumns) / decades;
        string[] percents = [.. Enumerable.Range(0, decades).Select(i => Percent(Math.Pow(10, i - decades + 3)))];
        output.Write("us".PadLeft(LeftColumns - 2));
        output.Write("  ");
        output.WriteLine(string.Concat(percents.Select(percent => percent.PadLeft(perDecade))));
        foreach (LatencyBin bin in distribution.Bins)
        {
            double percent = 100.0 * bin.Count / distribution.Count;
            int length = bin.Count == 0 ? 0 : Math.Max(1, (int)Math.Round((Math.Log10(percent) - 2 + decades) * perDecade));
            output.Write($"{LatencyText.Microseconds(bin.From)} - {LatencyText.Microseconds(bin.To)}".PadLeft(LeftColumns - 2));
            string bar = $" |{new string('#', length)}".PadRight((decades * perDecade) + 3);
            string told = bin.Count == 0 ? "" : $"{Percent(percent)} ({bin.Count.ToString("N0", CultureInfo.InvariantCulture)})";
            output.WriteLine((bar + told).TrimEnd());
        }
    }

    /// <summary>The powers of ten from the percentage of a single measurement to 100 %.</summary>
    public static int Decades(long count) => Math.Max(1, (int)Math.Ceiling(Math.Log10(count)));

    /// <summary>A percentage with two digits or so.</summary>
    public static string Percent(double percent) => (percent >= 10
        ? percent.ToString("0.#", CultureInfo.InvariantCulture)
        : percent.ToString("0." + new string('#', 1 + Math.Max(0, (int)Math.Ceiling(-Math.Log10(percent)))), CultureInfo.InvariantCulture))
        + " %";
}
