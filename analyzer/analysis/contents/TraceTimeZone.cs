namespace Tracer.Analysis.Contents;

/// <summary>
/// The local time of the machine that was traced, by the time zone in the header: its difference to UTC, and its summer time by the rules
/// of TIME_ZONE_INFORMATION (Microsoft Learn). A zone whose rules make no sense has no summer time.
/// </summary>
internal sealed class TraceTimeZone(EtlTimeZone zone)
{
    private const int MostMinutes = 24 * 60;

    private bool HasSummer => IsRule(zone.StandardDate) && IsRule(zone.DaylightDate);

    public TimeSpan OffsetAt(DateTime utc)
    {
        if (!HasSummer)
        {
            return Minutes(-(long)zone.BiasMinutes);
        }

        TimeSpan winter = Minutes(-((long)zone.BiasMinutes + zone.StandardBiasMinutes));
        TimeSpan summer = Minutes(-((long)zone.BiasMinutes + zone.DaylightBiasMinutes));
        int year = Shifted(utc, winter).Year;
        if (DateIn(zone.DaylightDate, year) is not { } begin || DateIn(zone.StandardDate, year) is not { } end)
        {
            return winter;
        }

        // Each change is written in the time that the clocks show before it.
        DateTime beginUtc = Shifted(begin, -winter);
        DateTime endUtc = Shifted(end, -summer);
        bool isSummer = beginUtc < endUtc ? utc >= beginUtc && utc < endUtc : utc >= beginUtc || utc < endUtc;
        return isSummer ? summer : winter;
    }

    /// <summary>
    /// The moments at which the clocks showed a time: one, two where they were put back over it, none where they were put forward over it.
    /// </summary>
    public IReadOnlyList<DateTime> UtcOf(DateTime local)
    {
        long[] biases = HasSummer
            ? [(long)zone.BiasMinutes + zone.DaylightBiasMinutes, (long)zone.BiasMinutes + zone.StandardBiasMinutes]
            : [zone.BiasMinutes];
        return
        [
            .. biases.Distinct()
                .Select(bias => (Utc: Shifted(local, Minutes(bias)), Offset: Minutes(-bias)))
                .Where(one => OffsetAt(one.Utc) == one.Offset)
                .Select(one => one.Utc)
                .Order(),
        ];
    }

    private static TimeSpan Minutes(long minutes) => Math.Abs(minutes) < MostMinutes ? TimeSpan.FromMinutes(minutes) : TimeSpan.Zero;

    private static DateTime Shifted(DateTime time, TimeSpan by) => DateTime.SpecifyKind(
        new DateTime(Math.Clamp(time.Ticks + by.Ticks, DateTime.MinValue.Ticks, DateTime.MaxValue.Ticks)), DateTimeKind.Utc);

    private static bool IsRule(EtlSystemTime date) => date is
    {
        Month: >= 1 and <= 12,
        DayOfWeek: <= 6,
        Day: >= 1 and <= 31,
        Hour: <= 23,
        Minute: <= 59,
        Second: <= 59,
        Millisecond: <= 999,
    };

    /// <summary>When a change is in a year; null where it is that of one other year.</summary>
    private static DateTime? DateIn(EtlSystemTime date, int year)
    {
        var time = new TimeSpan(0, date.Hour, date.Minute, date.Second, date.Millisecond);
        int days = DateTime.DaysInMonth(year, date.Month);
        if (date.Year != 0)
        {
            return date.Year == year && date.Day <= days
                ? new DateTime(year, date.Month, date.Day, 0, 0, 0, DateTimeKind.Utc) + time
                : null;
        }

        var first = new DateTime(year, date.Month, 1, 0, 0, 0, DateTimeKind.Utc);
        int day = 1 + ((date.DayOfWeek - (int)first.DayOfWeek + 7) % 7) + (7 * (Math.Min((int)date.Day, 5) - 1));
        return first.AddDays((day > days ? day - 7 : day) - 1) + time;
    }
}
