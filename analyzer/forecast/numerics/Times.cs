namespace Tracer.Forecast;

/// <summary>Times in sentences, and sums of them that stay in range.</summary>
public static class Times
{
    /// <summary>A time as a sentence has it, with three digits at most: <c>2 h</c>, <c>12.5 min</c>, <c>4.25 ms</c>.</summary>
    public static string Text(long ns)
    {
        (string unit, double length) = Math.Abs((double)ns) switch
        {
            >= 3.6e12 => ("h", 3.6e12),
            >= 6e10 => ("min", 6e10),
            >= 1e9 => ("s", 1e9),
            >= 1e6 => ("ms", 1e6),
            _ => ("us", 1e3),
        };
        double count = ns / length;
        string form = Math.Abs(count) switch { >= 100 => "N0", >= 10 => "0.#", _ => "0.##" };
        return count.ToString(form, CultureInfo.InvariantCulture) + " " + unit;
    }

    /// <summary>A time and an excess; null where that is beyond any time.</summary>
    public static long? Sum(long ns, double excess)
    {
        double sum = ns + excess;
        return sum < long.MaxValue / 4 ? (long)Math.Round(sum) : null;
    }
}
