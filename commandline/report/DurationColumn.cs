namespace Tracer.CommandLine;

/// <summary>
/// Writes durations that stand below each other: all in the unit that fits the longest, each with three significant digits but no more than
/// three decimals, point below point.
/// </summary>
public sealed class DurationColumn
{
    private const int MostDecimals = 3;

    private readonly decimal _nanoseconds;
    private readonly int _decimals;

    private DurationColumn(string unit, decimal nanoseconds, IReadOnlyList<decimal> durations)
    {
        Unit = unit;
        _nanoseconds = nanoseconds;
        _decimals = durations.Select(one => DecimalsOf(one / nanoseconds)).DefaultIfEmpty().Max();
    }

    /// <summary>The unit of all of them: us, ms or s.</summary>
    public string Unit { get; }

    /// <summary>Finds how to write some durations.</summary>
    public static DurationColumn For(IEnumerable<Duration> durations)
    {
        decimal[] all = [.. durations.Select(one => Math.Abs((decimal)one.Nanoseconds))];
        return all.DefaultIfEmpty().Max() switch
        {
            < 999_500 => new("us", 1_000m, all),
            < 9_999_500_000 => new("ms", 1_000_000m, all),
            _ => new("s", 1_000_000_000m, all),
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
        (int digits, bool point) = MissingOf(known);
        string aligned = text + new string(' ', digits + (point ? 1 : 0));
        decimal value = known.Nanoseconds / _nanoseconds;
        return (aligned.Length <= width ? aligned : text.Length <= width ? text : value.ToString("0.##e+0", CultureInfo.InvariantCulture))
            .PadLeft(width);
    }

    /// <summary>Writes one without its unit; what is not nothing never reads as nothing.</summary>
    public string Of(Duration duration)
    {
        decimal value = duration.Nanoseconds / _nanoseconds;
        string text = value.ToString("N" + DecimalsOf(value).ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
        return value <= 0 || text.AsSpan().ContainsAnyExcept("0.") ? text : $"<{text[..^1]}1";
    }

    /// <summary>What one lacks behind it of the longest decimals of this column: so many digits, and perhaps the point.</summary>
    public (int Digits, bool Point) MissingOf(Duration duration)
    {
        int own = DecimalsOf(duration.Nanoseconds / _nanoseconds);
        int missing = Math.Max(0, _decimals - own);
        return (missing, own == 0 && missing > 0);
    }

    private static int DecimalsOf(decimal value) => Math.Abs(value) switch
    {
        0 or >= 99.95m => 0,
        >= 9.995m => 1,
        >= 0.9995m => 2,
        _ => MostDecimals,
    };
}
