namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// Prints the intervals between the wake-ups of a periodic thread, as Jones &amp; Regehr's Tables 1 and 2 have them, and how its timer and
/// the clock beat.
/// </summary>
internal static class CallbacksText
{
    private const int BarColumns = 40;

    public static void Write(CallbackIntervals callbacks, TextWriter output)
    {
        output.WriteLine();
        output.WriteLine(
            $"Times between wake-ups of thread {callbacks.Tid} of {callbacks.Process ?? "an unknown process"} in {callbacks.Trace}, "
            + $"which come every {ReadableDuration.Of(callbacks.Period)}");
        output.WriteLine(
            $"  {Counted.Of(callbacks.Count, "interval")}: minimum {LatencyText.Microseconds(callbacks.Minimum)} us, "
            + $"average {LatencyText.Microseconds(callbacks.Mean)} us, maximum {LatencyText.Microseconds(callbacks.Maximum)} us, "
            + $"standard deviation {LatencyText.Microseconds(callbacks.Deviation)} us");
        if (callbacks is { Jobs: { } jobs, Missed: { } missed, WorstResponse: { } worst })
        {
            output.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"  {missed:N0} of {Counted.Of(jobs, "job")} missed the deadline, which ")
                + (callbacks.OwnDeadlines > 0 ? "the thread had set itself; " : "is the next beat; ")
                + $"the longest response was {ReadableDuration.Of(worst)}");
        }

        int decades = LogHistogramText.Decades(callbacks.Count);
        string[] names = [.. callbacks.Bins.Select(bin => $"{LatencyText.Microseconds(bin.From)} - {LatencyText.Microseconds(bin.To)}")];
        int width = names.Max(name => name.Length);
        for (int i = 0; i < names.Length; i++)
        {
            double percent = 100.0 * callbacks.Bins[i].Count / callbacks.Count;
            int length = Math.Max(1, (int)Math.Round((Math.Log10(percent) - 2 + decades) * BarColumns / decades));
            output.WriteLine($"  {names[i].PadLeft(width)} us |{new string('#', length),-BarColumns}  "
                + callbacks.Bins[i].Count.ToString("N0", CultureInfo.InvariantCulture));
        }

        if (callbacks.Beat is { } beat)
        {
            output.WriteLine($"  {beat}");
        }
    }
}
