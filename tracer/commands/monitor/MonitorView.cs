using Tracer.TracerCommand.Common.Screen;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>The monitor as a page: what is on it at one moment. Pure: the same counts give the same page.</summary>
internal static class MonitorView
{
    private const int NameColumns = 19;
    private const int MostProcesses = 5;
    private const int MostCpus = 16;
    private const int Unlimited = int.MaxValue;

    /// <param name="sort">What the drivers are sorted by.</param>
    /// <param name="notes">What was told, the latest last.</param>
    public static ReportPage Of(
        MonitorCounts counts, MonitorSort sort, int most = Unlimited, IReadOnlyList<CaptureNote>? notes = null, bool hasKeys = false)
    {
        var page = new ReportPage();
        Head(page, counts, hasKeys);
        Wakeups(page, counts.Wakeups);
        Glitches(page, counts);
        Drivers(page, counts, sort, most);
        Processes(page, counts);
        Cpus(page, counts);
        Cost(page, counts);
        foreach (CaptureNote note in notes ?? [])
        {
            page.Line(2, new PagePiece(note.Text, note.Level == CaptureNoteLevel.Warning ? Ink.Doubt : Ink.Faint));
        }

        return page;
    }

    private static void Head(ReportPage page, MonitorCounts counts, bool hasKeys)
    {
        page.Line(2, new PagePiece("tracer monitor", Ink.Name), $"  {CaptureView.Clock(counts.Elapsed)}");
        if (hasKeys)
        {
            page.Line(2, new PagePiece(
                "sort by T total, M max, P 99 %, C count, I ISR time, D DPC time, N name; Q or Ctrl+C ends it", Ink.Faint));
        }
    }

    private static void Wakeups(ReportPage page, MonitorWakeups? wakeups)
    {
        if (wakeups is null)
        {
            return;
        }

        string lost = wakeups.Lost > 0 ? string.Create(CultureInfo.InvariantCulture, $"; {wakeups.Lost:#,0} lost") : "";
        page.Line(
            2,
            "worst wake-up ",
            new PagePiece(ReadableDuration.Of(wakeups.Worst), Ink.Guilty),
            string.Create(CultureInfo.InvariantCulture, $" on CPU {wakeups.Cpu}; half of {wakeups.Count:#,0} within ")
                + $"{ReadableDuration.Of(wakeups.Median)}, 99 % within {ReadableDuration.Of(wakeups.P99)}{lost}");
    }

    private static void Glitches(ReportPage page, MonitorCounts counts)
    {
        string heard = GlitchCounts.WordsOf(counts.Glitches.Audio, counts.Glitches.Frames);
        page.Line(
            2,
            "Windows recorded ",
            heard.Length == 0 ? "no glitch" : new PagePiece(heard, Ink.Guilty),
            counts.Glitches.DeadlinesMissed > 0
                ? $"; the audio engine missed {Counted.Of(counts.Glitches.DeadlinesMissed, "deadline")} of its own"
                : "");
        if (counts.Jobs is { } jobs)
        {
            page.Line(
                2,
                string.Create(CultureInfo.InvariantCulture, $"{jobs.DeadlinesMissed:#,0} of {Counted.Of(jobs.Count, "job")} missed ")
                + "the deadline, which is the next beat"
                + (jobs.WorstResponse is { } late ? $"; the longest response {ReadableDuration.Of(late)}" : "")
                + (jobs.WorstLost is { } lost ? $"; the others lost {ReadableDuration.Of(lost)} at a time at most" : ""));
        }
    }

    private static void Drivers(ReportPage page, MonitorCounts counts, MonitorSort sort, int most)
    {
        page.BlankLine();
        IReadOnlyList<MonitorDriver> drivers = MonitorSorting.Sorted(counts.Drivers, sort);
        var columns = new TimeColumns(drivers.Take(most).SelectMany(static one => new[] { one.Isr, one.Dpc }));
        page.Line(0, new PagePiece($"{"driver",-NameColumns}{"ISRs",9}{columns.Heads}{"DPCs",10}{columns.Heads}", Ink.Faint));
        foreach (MonitorDriver driver in drivers.Take(most))
        {
            page.Line(2, new PagePiece(Name(driver.Name), Ink.Name), $"{columns.Of(driver.Isr)} {columns.Of(driver.Dpc)}");
        }

        if (drivers.Count > most)
        {
            string more = (drivers.Count - most).ToString(CultureInfo.InvariantCulture);
            page.Line(2, new PagePiece($"and {more} {(drivers.Count - most == 1 ? "driver" : "drivers")} more", Ink.Faint));
        }
    }

    private static void Processes(ReportPage page, MonitorCounts counts)
    {
        if (counts.Processes.Count == 0)
        {
            return;
        }

        page.BlankLine();
        var columns = new TimeColumns(counts.Processes.Take(MostProcesses).Select(static one => one.Faults));
        page.Line(0, new PagePiece($"{"hard faults",-NameColumns}{"count",9}{columns.Heads}{"read",10}", Ink.Faint));
        foreach (MonitorProcess process in counts.Processes.Take(MostProcesses))
        {
            page.Line(
                2, new PagePiece(Name(process.Name), Ink.Name), columns.Of(process.Faults), $"{ByteCount.Of(process.Bytes),10}");
        }
    }

    private static void Cpus(ReportPage page, MonitorCounts counts)
    {
        if (counts.Cpus.Count == 0)
        {
            return;
        }

        page.BlankLine();
        var longest = DurationColumn.For(counts.Cpus.Take(MostCpus)
            .SelectMany(static one => new[] { one.Isr.Max, one.Dpc.Max, one.WorstWakeup ?? Duration.Zero }));
        string max = "max " + longest.Unit;
        page.Line(0, new PagePiece(
            $"{"CPU",-NameColumns}{"ISRs",9}{max,10}{"time",10}{"DPCs",10}{max,10}{"time",10}{"wake-up " + longest.Unit,12}", Ink.Faint));
        foreach (MonitorCpu cpu in counts.Cpus.Take(MostCpus))
        {
            page.Line(2, string.Create(CultureInfo.InvariantCulture, $"{cpu.Cpu,-NameColumns}{cpu.Isr.Count,9:#,0}")
                + $"{longest.Write(cpu.Isr.Max, 10)}{Part(cpu.Isr.Total, counts.Elapsed)}"
                + string.Create(CultureInfo.InvariantCulture, $"{cpu.Dpc.Count,10:#,0}")
                + $"{longest.Write(cpu.Dpc.Max, 10)}{Part(cpu.Dpc.Total, counts.Elapsed)}"
                + longest.Write(cpu.WorstWakeup, 12));
        }

        if (counts.Cpus.Count > MostCpus)
        {
            string more = (counts.Cpus.Count - MostCpus).ToString(CultureInfo.InvariantCulture);
            page.Line(2, new PagePiece($"and {more} {(counts.Cpus.Count - MostCpus == 1 ? "CPU" : "CPUs")} more", Ink.Faint));
        }
    }

    private static void Cost(ReportPage page, MonitorCounts counts)
    {
        page.BlankLine();
        double seconds = Math.Max(1e-9, counts.Elapsed.Nanoseconds / 1e9);
        string cost = counts.Cost is not { } known ? "not known" : Percent(known.Monitor.Nanoseconds / 1e9 / seconds) + " of one CPU"
            + (known.ProbeShare is { } probe ? $", the probe {Percent(probe)}" : "");
        string damaged = counts.Damaged > 0
            ? string.Create(
                CultureInfo.InvariantCulture,
                $", {counts.Damaged:#,0} {(counts.Damaged == 1 ? "record" : "records")} of impossible length left out")
            : "";
        page.Line(
            2,
            new PagePiece(
                string.Create(CultureInfo.InvariantCulture, $"own cost {cost}; {counts.Events / seconds:#,0} events a second, lost "),
                Ink.Faint),
            new PagePiece(
                string.Create(CultureInfo.InvariantCulture, $"{counts.EventsLost:#,0}"), counts.EventsLost > 0 ? Ink.Doubt : Ink.Faint),
            new PagePiece(damaged, Ink.Doubt));
    }

    private static string Name(string name) => (name.Length >= NameColumns ? name[..(NameColumns - 2)] + "~" : name).PadRight(NameColumns);

    private static string Part(Duration time, Duration elapsed) =>
        Percent(elapsed.Nanoseconds == 0 ? 0 : (double)time.Nanoseconds / elapsed.Nanoseconds).PadLeft(10);

    private static string Percent(double part) => (100 * part).ToString(
        part switch { >= 0.9995 => "0", >= 0.09995 => "0.0", _ => "0.00" }, CultureInfo.InvariantCulture) + " %";

    /// <summary>The columns of a table's times: those of single runs in one unit, totals in one.</summary>
    private sealed class TimeColumns(IEnumerable<MonitorTimes> all)
    {
        private const int Columns = 10;

        private readonly DurationColumn _runs = DurationColumn.For(all.SelectMany(static one => new[] { one.Max, one.P99 }));
        private readonly DurationColumn _totals = DurationColumn.For(all.Select(static one => one.Total));

        public string Heads => $"{"max " + _runs.Unit,Columns}{"99 % " + _runs.Unit,Columns}{"total " + _totals.Unit,Columns}";

        public string Of(MonitorTimes times) => string.Create(CultureInfo.InvariantCulture, $"{times.Count,9:#,0}")
            + (times.Count == 0
                ? $"{"-",Columns}{"-",Columns}{"-",Columns}"
                : _runs.Write(times.Max, Columns) + _runs.Write(times.P99, Columns) + _totals.Write(times.Total, Columns));
    }
}
