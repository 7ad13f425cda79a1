namespace Tracer.Forecast;

/// <summary>
/// How much a machine is used the way it was while it was measured. A day and a week are so much use, not 24 and 168 hours
/// (Cota-Robles &amp; Held 4.3).
/// </summary>
public sealed record UsagePattern(long DayNs, int DaysPerWeek)
{
    /// <summary>An hour in nanoseconds.</summary>
    private const long HourNs = 3_600_000_000_000;

    /// <summary>Eight hours a day, five days a week: the paper's office and workstation.</summary>
    public static UsagePattern Office { get; } = new(8 * HourNs, 5);

    /// <summary>The times that a worst case is told for: an hour, a day and a week of use, in nanoseconds.</summary>
    public IReadOnlyList<(string Name, long UseNs)> Times => [("hour", HourNs), ("day", DayNs), ("week", DayNs * DaysPerWeek)];

    /// <summary>Reads <c>8h/day,5d/week</c>; one of the two parts may be left out and is then that of <see cref="Office"/>.</summary>
    /// <param name="pattern">The pattern; null when the text is refused.</param>
    /// <param name="problem">Why it is refused and what to write instead, without a full stop; null when it is read.</param>
    public static bool TryParse(string? text, out UsagePattern? pattern, out string? problem)
    {
        pattern = null;
        long? day = null;
        int? days = null;
        problem = null;
        foreach (string part in (text ?? "").Split(','))
        {
            string trimmed = part.Trim();
            if (trimmed.EndsWith("/day", StringComparison.OrdinalIgnoreCase) && day is null)
            {
                problem ??= DayProblem(trimmed[..^4], out day);
            }
            else if (trimmed.EndsWith("d/week", StringComparison.OrdinalIgnoreCase) && days is null)
            {
                problem ??= WeekProblem(trimmed[..^6], out days);
            }
            else
            {
                problem ??= $"'{text}' is not a usage pattern; write hours a day and days a week such as 8h/day,5d/week";
            }
        }

        pattern = problem is null ? new UsagePattern(day ?? Office.DayNs, days ?? Office.DaysPerWeek) : null;
        return problem is null;
    }

    /// <summary>The pattern as <see cref="TryParse"/> reads it.</summary>
    public override string ToString()
    {
        string day = DayNs % HourNs == 0
            ? (DayNs / HourNs).ToString(CultureInfo.InvariantCulture) + "h"
            : (DayNs / 6e10).ToString("0.####", CultureInfo.InvariantCulture) + "min";
        return string.Create(CultureInfo.InvariantCulture, $"{day}/day,{DaysPerWeek}d/week");
    }

    private static string? DayProblem(string text, out long? day)
    {
        day = null;
        if (!Duration.TryParse(text, out Duration duration, out string? problem))
        {
            return problem;
        }

        if (duration.Nanoseconds is < HourNs / 60 or > 24 * HourNs)
        {
            return $"'{text}/day' is not a day's use; write 1min/day to 24h/day";
        }

        day = duration.Nanoseconds;
        return null;
    }

    private static string? WeekProblem(string text, out int? days)
    {
        days = int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int count) && count is >= 1 and <= 7 ? count : null;
        return days is null ? $"'{text}d/week' is not a week's use; write 1d/week to 7d/week" : null;
    }
}
