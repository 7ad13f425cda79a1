namespace Tracer.Contract;

/// <summary>A duration within a sentence: four digits or so, with its unit.</summary>
public static class ReadableDuration
{
    /// <summary>Writes one: <c>6.167 ms</c>, <c>512.3 us</c>, <c>250 ns</c>, <c>1,234.5 s</c>.</summary>
    public static string Of(Duration duration)
    {
        (string unit, decimal nanoseconds) = Math.Abs((decimal)duration.Nanoseconds) switch
        {
            0 => ("us", 1_000m),
            < 1_000 => ("ns", 1m),
            < 1_000_000 => ("us", 1_000m),
            < 1_000_000_000 => ("ms", 1_000_000m),
            _ => ("s", 1_000_000_000m),
        };
        decimal value = duration.Nanoseconds / nanoseconds;
        int decimals = Math.Abs(value) switch
        {
            >= 100 => 1,
            >= 10 => 2,
            _ => 3,
        };
        return Math.Round(value, decimals).ToString("#,0.###", CultureInfo.InvariantCulture) + " " + unit;
    }

    /// <summary>Writes one, or what stands for one that is not known.</summary>
    public static string Of(Duration? duration, string otherwise) => duration is { } known ? Of(known) : otherwise;
}
