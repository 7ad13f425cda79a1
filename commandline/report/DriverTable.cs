using Tracer.Contract;

namespace Tracer.CommandLine;

/// <summary>
/// What the ISRs and DPCs of each driver took in the whole trace, the highest total first; whoever is to blame is never left out.
/// </summary>
internal static class DriverTable
{
    private const int NameColumns = 28;
    private const int WideColumns = 12;
    private const int Columns = 10;

    /// <summary>Adds it.</summary>
    public static void Add(ReportPage page, BlameReport report, int top)
    {
        IReadOnlyList<DriverActivity> drivers = report.Drivers;
        if (drivers.Count == 0 || top == 0)
        {
            return;
        }

        HashSet<string> guilty = [.. report.Culprits.Take(top).Select(culprit => culprit.Name)];
        DriverActivity[] shown =
        [
            .. drivers.OrderByDescending(TotalOf).ThenBy(driver => driver.Name, StringComparer.Ordinal)
                .Where((driver, place) => place < top || guilty.Contains(driver.Name)),
        ];
        RoutineTimes[] times = [.. shown.SelectMany(driver => new[] { driver.Isr, driver.Dpc }).OfType<RoutineTimes>()];
        var totals = DurationColumn.For(times.Select(one => one.Total));
        var longest = DurationColumn.For(
            [.. times.Select(one => one.Max), .. shown.Select(driver => driver.QueueDelayMax).OfType<Duration>()]);
        page.Heading("What the drivers' ISRs and DPCs took in the whole trace, guilty or not");
        page.Line(2, new PagePiece(
            $"  {"driver",-NameColumns}  kind  {"count",Columns}  {"total " + totals.Unit,WideColumns}  "
                + $"{"max " + longest.Unit,Columns}  {"p99 " + longest.Unit,Columns}  {"queued " + longest.Unit,Columns}",
            Ink.Faint));
        foreach (DriverActivity driver in shown)
        {
            string name = driver.Name;
            if (driver.Isr is { } isr)
            {
                AddRow(page, name, "ISR", isr, null, totals, longest);
                name = "";
            }

            if (driver.Dpc is not null || driver.Isr is null || driver.QueueDelayMax is not null)
            {
                AddRow(page, name, "DPC", driver.Dpc, driver.QueueDelayMax, totals, longest);
            }
        }

        LeftOut.Add(page, drivers.Count, shown.Length);
        if (shown.Any(driver => driver.QueueDelayMax is not null))
        {
            page.Line(2, new PagePiece("  queued: the longest wait of one of its DPCs in the queue.", Ink.Faint));
        }
    }

    private static void AddRow(
        ReportPage page,
        string name,
        string kind,
        RoutineTimes? times,
        Duration? queued,
        DurationColumn totals,
        DurationColumn longest) => page.Line(
            2,
            "  ",
            new PagePiece(PageText.Fit(name, NameColumns), Ink.Name),
            $"  {kind,-4}  {CountOf(times)}  {totals.Write(times?.Total, WideColumns)}  "
                + $"{longest.Write(times?.Max, Columns)}  {longest.Write(times?.P99, Columns)}  {longest.Write(queued, Columns)}");

    private static string CountOf(RoutineTimes? times) => (times is null ? "-" : ReportWords.Number(times.Count)).PadLeft(Columns);

    private static decimal TotalOf(DriverActivity driver) =>
        (decimal)(driver.Isr?.Total.Nanoseconds ?? 0) + (driver.Dpc?.Total.Nanoseconds ?? 0);
}
