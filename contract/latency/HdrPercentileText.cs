namespace Tracer.Contract;

/// <summary>
/// Writes a histogram as the percentile text of HdrHistogram (files <c>.hgrm</c>), which its plotters read: value, percentile, values up to
/// there and 1/(1-percentile), in steps that halve with each halving of what is left to 100 %.
/// </summary>
public static class HdrPercentileText
{
    /// <summary>Steps for each halving of the distance to 100 %; what HdrHistogram's own tools use.</summary>
    private const int StepsPerHalf = 5;

    /// <param name="output">Where to; lines end with a line feed.</param>
    public static void Write(HdrHistogram histogram, double unit, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        ArgumentNullException.ThrowIfNull(output);
        string value = $"{{0,12:F{histogram.Layout.Digits}}}";
        output.Write("       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
        foreach ((long atMost, double percentile, long count) in Steps(histogram))
        {
            double fraction = percentile / 100;
            output.Write(Line(value, atMost / unit));
            output.Write(Line(" {0,14:F12} {1,10}", fraction, count));
            output.Write(percentile < 100 ? Line(" {0,14:F2}\n", 1 / (1 - fraction)) : "\n");
        }

        (double mean, double deviation) = histogram.Moments();
        long most = histogram.Count == 0 ? 0 : histogram.Layout.HighestAt(histogram.Layout.IndexOf(histogram.Maximum));
        output.Write(Line($"#[Mean    = {value}, StdDeviation   = {value.Replace("{0", "{1", StringComparison.Ordinal)}]\n",
            mean / unit, deviation / unit));
        output.Write(Line($"#[Max     = {value}, Total count    = {{1,12}}]\n", most / unit, histogram.Count));
        output.Write(Line("#[Buckets = {0,12}, SubBuckets     = {1,12}]\n", histogram.Layout.Buckets, histogram.Layout.SubBuckets));
    }

    /// <summary>The lines: the value, the percentile that the step aims at, and how many values are at or below the value.</summary>
    private static IEnumerable<(long AtMost, double Percentile, long Count)> Steps(HdrHistogram histogram)
    {
        double aim = 0;
        long seen = 0;
        for (int index = histogram.NextCounted(0); index >= 0; index = histogram.NextCounted(index + 1))
        {
            seen += histogram.CountAt(index);
            long atMost = histogram.Layout.HighestAt(index);
            // The last line is that of 100 %, once all values are seen.
            while (100.0 * seen / histogram.Count >= aim)
            {
                yield return (atMost, aim, seen);
                if (seen == histogram.Count)
                {
                    yield return (atMost, 100, seen);
                    yield break;
                }

                long halvings = (long)(Math.Log(100 / (100 - aim)) / Math.Log(2)) + 1;
                aim += 100 / (StepsPerHalf * Math.Pow(2, halvings));
            }
        }
    }

    private static string Line(string format, params object[] values) => string.Format(CultureInfo.InvariantCulture, format, values);
}
