namespace Tracer.CommandLine;

/// <summary>
/// What the ISRs and DPCs of each driver took in the whole trace, the highest total first; whoever is to blame is never left out.
/// </summary>
internal static class DriverTableLines
{
    private const int MostNameColumns = 48;
    private const int FewestNameColumns = 14;
    private const int WideColumns = 12;

    /// <summary>What a row takes beside the name, with all of its columns.</summary>
    private const int AllColumns = 2 + 2 + 4 + 2 + Columns + 2 + WideColumns + (3 * (2 + Columns));
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
        // A page that is too narrow for all has neither the percentile nor the queue.
        bool isWide = page.Columns >= AllColumns + FewestNameColumns + 8;
        int nameColumns = Math.Clamp(
            page.Columns - (isWide ? AllColumns : AllColumns - (2 * (2 + Columns))), FewestNameColumns, MostNameColumns);
        page.Line(2, new PagePiece(
            $"  {"driver".PadRight(nameColumns)}  kind  {"count",Columns}  {"total " + totals.Unit,WideColumns}  "
                + $"{"max " + longest.Unit,Columns}"
                + (isWide ? $"  {"p99 " + longest.Unit,Columns}  {"queued " + longest.Unit,Columns}" : ""),
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
                AddRow(names.Dequeue(), "ISR", isr, null);
            }

            if (driver.Dpc is not null || driver.Isr is null || driver.QueueDelayMax is not null)
            {
                AddRow(names.Count > 0 ? names.Dequeue() : "", "DPC", driver.Dpc, driver.QueueDelayMax);
            }

            foreach (string left in names)
            {
                page.Line(2, "  ", new PagePiece(left, Ink.Faint));
            }

            foreach (DriverShare share in driver.SharedBy ?? [])
            {
                page.Line(2, "    ", new PagePiece(
                    $"about {totals.Write(share.Total, WideColumns).TrimStart()} {totals.Unit} for {share.Name}, by "
                        + $"{ReportWords.Number(share.Samples)} of {ReportWords.Number(share.Of)} samples",
                    Ink.Faint));
            }
        }

        page.Line(2, new PagePiece(
            "  net: without what interrupted them, and without blackouts of the machine. A framework's time counts for the driver it "
            + "called.",
            Ink.Faint));

        LeftOut.Add(page, drivers.Count, shown.Length);
        if (isWide && shown.Any(driver => driver.QueueDelayMax is not null))
        {
            page.Line(2, new PagePiece("  queued: the longest wait of one of its DPCs in the queue.", Ink.Faint));
        }

        void AddRow(string name, string kind, RoutineTimes? routine, Duration? queued) => page.Line(
            2,
            "  ",
            new PagePiece(PageText.Fit(name, nameColumns), Ink.Name),
            $"  {kind,-4}  {CountOf(routine)}  {totals.Write(routine?.Total, WideColumns)}  {longest.Write(routine?.Max, Columns)}"
                + (isWide ? $"  {longest.Write(routine?.P99, Columns)}  {longest.Write(queued, Columns)}" : ""));
    }

    private static string CountOf(RoutineTimes? times) => (times is null ? "-" : ReportWords.Number(times.Count)).PadLeft(Columns);

    private static decimal TotalOf(DriverActivity driver) =>
        (decimal)(driver.Isr?.Total.Nanoseconds ?? 0) + (driver.Dpc?.Total.Nanoseconds ?? 0);
}
