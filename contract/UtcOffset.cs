namespace Tracer.Contract;

/// <summary>The difference between a machine's clock and UTC.</summary>
public static class UtcOffset
{
    /// <summary>The time by the machine's clock; null beyond the ends of the calendar, where times of damaged headers may lie.</summary>
    /// <param name="minutes">By how much the clock is ahead of UTC, in minutes.</param>
    public static DateTime? LocalOf(DateTime utc, int minutes)
    {
        Int128 ticks = utc.Ticks + ((Int128)minutes * TimeSpan.TicksPerMinute);
        return ticks >= 0 && ticks <= DateTime.MaxValue.Ticks ? new DateTime((long)ticks) : null;
    }

    /// <summary>A difference in minutes for people: <c>UTC+02:00</c>, <c>UTC</c>.</summary>
    public static string NameOf(int minutes) => minutes == 0
        ? "UTC"
        : FormattableString.Invariant($"UTC{(minutes < 0 ? '-' : '+')}{Math.Abs(minutes) / 60:00}:{Math.Abs(minutes) % 60:00}");
}
