namespace Tracer.Contract;

/// <summary>
/// Writes histograms as a histogram log, format version 1.3, which HistogramLogProcessor and other tools of HdrHistogram read: one line for
/// each histogram, with a tag, the start and length of its time in seconds, its greatest value, and the histogram itself
/// (<see cref="HdrEncoding"/>).
/// </summary>
public static class HdrLog
{
    /// <summary>The greatest value is written divided by this: in milliseconds where values are nanoseconds, as those tools do.</summary>
    private const double MaximumUnit = 1_000_000;

    /// <summary>Writes what stands before the histograms.</summary>
    /// <param name="comment">What the file is; no line feed.</param>
    /// <param name="start">When the first histogram begins; null where that is not known: then times count from 0.</param>
    /// <param name="output">Where to; lines end with a line feed.</param>
    public static void WriteHeader(string comment, DateTime? start, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(output);
        output.Write($"#[{comment}]\n#[Histogram log format version 1.3]\n");
        if (start is { } known)
        {
            string seconds = Fixed((known - DateTime.UnixEpoch).TotalSeconds);
            string date = known.ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture);
            output.Write($"#[StartTime: {seconds} (seconds since epoch), {date}]\n");
            output.Write($"#[BaseTime: {seconds} (seconds since epoch)]\n");
        }

        output.Write("\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n");
    }

    /// <param name="tag">What it is of; commas and white space become underscores.</param>
    /// <param name="fromSeconds">Start of its time, from the start of the log.</param>
    /// <param name="histogram">The histogram, of nanoseconds.</param>
    public static void Write(string tag, double fromSeconds, double seconds, HdrHistogram histogram, TextWriter output)
    {
        ArgumentNullException.ThrowIfNull(tag);
        ArgumentNullException.ThrowIfNull(histogram);
        ArgumentNullException.ThrowIfNull(output);
        string safe = string.Concat(
            tag.Select(letter => letter is ',' || char.IsWhiteSpace(letter) || char.IsControl(letter) ? '_' : letter));
        output.Write($"Tag={safe},{Fixed(fromSeconds)},{Fixed(seconds)},{Fixed(histogram.Maximum / MaximumUnit)},");
        output.Write($"{HdrEncoding.Encode(histogram)}\n");
    }

    private static string Fixed(double number) => number.ToString("F3", CultureInfo.InvariantCulture);
}
