namespace Tracer.CommandLine;

/// <summary>Writes durations that stand below each other: all in the unit that fits the longest, with as many decimals each.</summary>
public sealed class DurationColumn
{
    private readonly decimal _nanoseconds;
    private readonly string _format;

    private DurationColumn(string unit, decimal nanoseconds, string format)
    {
        Unit = unit;
        _nanoseconds = nanoseconds;
        _format = format;
    }

    /// <summary>The unit of all of them: us, ms or s.</summary>
    public string Unit { get; }

    /// <summary>Finds how to write some durations.</summary>
    public static DurationColumn For(IEnumerable<Duration> durations)
    {
        decimal longest = durations.Select(one => Math.Abs((decimal)one.Nanoseconds)).DefaultIfEmpty().Max();
        return longest switch
        {
            < 10_000 => new("us", 1_000m, "#,0.000"),
            < 1_000_000 => new("us", 1_000m, "#,0.0"),
            < 10_000_000_000 => new("ms", 1_000_000m, "#,0.000"),
            _ => new("s", 1_000_000_000m, "#,0.000"),
        };
    }

    /// <summary>Writes one, right-aligned; a dash for one that is not known, a power of ten for one that has no room.</summary>
    /// <param name="width">The columns to fill, at least 10.</param>
    public string Write(Duration? duration, int width)
    {
        if (duration is not { } known)
        {
            return "-".PadLeft(width);
        }

        string text = Of(known);
        decimal value = known.Nanoseconds / _nanoseconds;
        return (text.Length <= width ? text : value.ToString("0.##e+0", CultureInfo.InvariantCulture)).PadLeft(width);
    }

    /// <summary>Writes one without its unit; what is not nothing never reads as nothing.</summary>
    public string Of(Duration duration)
    {
        string text = (duration.Nanoseconds / _nanoseconds).ToString(_format, CultureInfo.InvariantCulture);
        return duration.Nanoseconds <= 0 || text.AsSpan().ContainsAnyExcept("0.") ? text : $"<{text[..^1]}1";
    }
}
