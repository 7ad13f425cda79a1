using Tracer.Contract;

namespace Tracer.CommandLine;

/// <summary>
/// What the ISRs and DPCs of each driver took in the whole trace, the highest total first; whoever is to blame is never left out.
/// </summary>
internal static class DriverTableLines
{
    private const int NameColumns = 28;
    private const int WideColumns = 12;
    private const int Columns = 10;

    /// <summary>Adds the table to a page; nothing where no driver ran or none is to be shown.</summary>
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
        string where = report.Settings is { Cpus: null, From: null, To: null } ? "in the whole trace" : "in the part that was asked about";
        page.Heading($"What the drivers' ISRs and DPCs took {where}, guilty or not");
        page.Line(2, new PagePiece(
            $"  {"driver",-NameColumns}  kind  {"count",Columns}  {"total " + totals.Unit,WideColumns}  "
                + $"{"max " + longest.Unit,Columns}  {"p99 " + longest.Unit,Columns}  {"queued " + longest.Unit,Columns}",
            Ink.Faint));
        foreach (DriverActivity driver in shown)
        {
            Queue<string> names = new([driver.Name]);
            if (driver.Through.Count > 0)
            {
                names.Enqueue("  through " + string.Join(", ", driver.Through));
            }

            if (driver.Isr is { } isr)
            {
                AddRow(page, names.Dequeue(), "ISR", isr, null, totals, longest);
            }

            if (driver.Dpc is not null || driver.Isr is null || driver.QueueDelayMax is not null)
            {
                AddRow(page, names.Count > 0 ? names.Dequeue() : "", "DPC", driver.Dpc, driver.QueueDelayMax, totals, longest);
            }

            foreach (string left in names)
            {
                page.Line(2, "  ", new PagePiece(left, Ink.Faint));
            }
        }

        page.Line(2, new PagePiece(
            "  net: without what interrupted them, and without stops of the machine. A framework's time counts for the driver it called.",
            Ink.Faint));

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
