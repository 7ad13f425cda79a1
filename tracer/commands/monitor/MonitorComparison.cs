using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>
/// Two summaries side by side: what changed between them. Counts and totals are per second, since they ran for different times.
/// </summary>
internal static class MonitorComparison
{
    private const int NameColumns = 20;
    private const int MostRows = 20;

    /// <param name="Before">Before; null where it ran nothing then.</param>
    /// <param name="Now">Now; null where it runs nothing.</param>
    public sealed record Row(string Name, MonitorDriver? Before, MonitorDriver? Now);

    /// <summary>The drivers of both, the largest change of time per second first.</summary>
    /// <param name="before">The earlier summary.</param>
    public static IReadOnlyList<Row> Rows(MonitorCounts before, MonitorCounts now)
    {
        var old = before.Drivers.ToLookup(static one => one.Name, StringComparer.OrdinalIgnoreCase);
        var current = now.Drivers.ToLookup(static one => one.Name, StringComparer.OrdinalIgnoreCase);
        return
        [
            .. now.Drivers.Concat(before.Drivers).Select(static one => one.Name).Distinct(StringComparer.OrdinalIgnoreCase)
                .Select(name => new Row(name, old[name].FirstOrDefault(), current[name].FirstOrDefault()))
                .OrderByDescending(row => Math.Abs(Rate(row.Now?.Total, now) - Rate(row.Before?.Total, before)))
                .ThenBy(static row => row.Name, StringComparer.OrdinalIgnoreCase),
        ];
    }

    /// <param name="before">The earlier summary.</param>
    /// <param name="path">Where the earlier one was read.</param>
    public static ReportPage Of(MonitorCounts before, MonitorCounts now, string path)
    {
        var page = new ReportPage();
        page.Line(2, $"compared with {path}, {CaptureView.Clock(before.Elapsed)}: before -> now, the largest change of time first");
        if (before.Wakeups is { } then && now.Wakeups is { } wakeups)
        {
            page.Line(
                2,
                $"worst wake-up {ReadableDuration.Of(then.Worst)} -> {ReadableDuration.Of(wakeups.Worst)}, "
                + $"99 % {ReadableDuration.Of(then.P99)} -> {ReadableDuration.Of(wakeups.P99)}");
        }

        if (before.Glitches != default || now.Glitches != default)
        {
            page.Line(
                2,
                $"audio glitches a minute {PerMinute(before, static one => one.Glitches.Audio, now)}, "
                + $"missed frames {PerMinute(before, static one => one.Glitches.Frames, now)}, "
                + $"missed deadlines of the audio engine {PerMinute(before, static one => one.Glitches.DeadlinesMissed, now)}");
        }

        if (before.Jobs is not null && now.Jobs is not null)
        {
            page.Line(2, $"jobs that missed the deadline a minute {PerMinute(before, static one => one.Jobs!.DeadlinesMissed, now)}");
        }

        page.BlankLine();
        Row[] rows = [.. Rows(before, now).Take(MostRows)];
        var longest = DurationColumn.For(rows.SelectMany(static row => new[] { row.Before?.Max, row.Now?.Max }).OfType<Duration>());
        page.Line(0, new PagePiece(
            $"{"driver",-NameColumns}{"ISR+DPC us/s",28}{"max " + longest.Unit,26}{"a second",24}", Ink.Faint));
        foreach (Row row in rows)
        {
            string name = row.Name.Length >= NameColumns ? row.Name[..(NameColumns - 2)] + "~" : row.Name;
            page.Line(
                2,
                new PagePiece(name.PadRight(NameColumns), Ink.Name),
                Pair(Number(Rate(row.Before?.Total, before)), Number(Rate(row.Now?.Total, now)), 28),
                Pair(Time(row.Before), Time(row.Now), 26),
                Pair(Number(Rate(row.Before?.Count, before)), Number(Rate(row.Now?.Count, now)), 24));
        }

        return page;

        string Time(MonitorDriver? driver) => driver is null ? "-" : longest.Of(driver.Max);
    }

    /// <summary>Microseconds a second.</summary>
    private static double Rate(Duration? time, MonitorCounts counts) => (time?.Nanoseconds ?? 0) * 1e6 / counts.Elapsed.Nanoseconds;

    private static double Rate(long? count, MonitorCounts counts) => (count ?? 0) * 1e9 / counts.Elapsed.Nanoseconds;

    private static string PerMinute(MonitorCounts before, Func<MonitorCounts, long> count, MonitorCounts now) =>
        $"{Number(60 * Rate(count(before), before))} -> {Number(60 * Rate(count(now), now))}";

    private static string Number(double value) => value.ToString(
        value switch { >= 99.95 => "#,0", >= 9.995 => "0.0", _ => "0.00" }, CultureInfo.InvariantCulture);

    private static string Pair(string before, string now, int columns) => $"{before} -> {now}".PadLeft(columns);
}
