namespace Tracer.Contract;

/// <summary>A duration within a sentence: three significant digits, or all of a whole number that has more, with its unit.</summary>
public static class ReadableDuration
{
    /// <summary>Writes one: <c>6.17 ms</c>, <c>512 us</c>, <c>250 ns</c>, <c>1,235 s</c>.</summary>
    public static string Of(Duration duration)
    {
        // What would be written as a thousand of a unit goes to the next one.
        (string unit, decimal nanoseconds) = Math.Abs((decimal)duration.Nanoseconds) switch
        {
            0 => ("us", 1_000m),
            < 1_000 => ("ns", 1m),
            < 999_500 => ("us", 1_000m),
            < 999_500_000 => ("ms", 1_000_000m),
            _ => ("s", 1_000_000_000m),
        };
        decimal value = duration.Nanoseconds / nanoseconds;
        int decimals = Math.Abs(value) switch
        {
            >= 99.95m => 0,
            >= 9.995m => 1,
            _ => 2,
        };
        return Math.Round(value, decimals).ToString("#,0.##", CultureInfo.InvariantCulture) + " " + unit;
    }

    /// <summary>Writes one that is said to be below a limit: in full where it would read as the limit.</summary>
    public static string Below(Duration limit, Duration duration) =>
        Of(duration) is var text && text == Of(limit) ? duration.ToString() : text;

    /// <summary>Writes a time since a trace began, to find the place by: <c>2.081937 s</c>, <c>0.7 s</c>.</summary>
    public static string At(Duration place) =>
        Math.Round(place.Nanoseconds / 1_000_000_000m, 6).ToString("#,0.######", CultureInfo.InvariantCulture) + " s";

    /// <summary>Writes one, or what stands for one that is not known.</summary>
    public static string Of(Duration? duration, string otherwise) => duration is { } known ? Of(known) : otherwise;
}
