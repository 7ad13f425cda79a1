using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Blame.Tables;

/// <summary>What the ISRs and DPCs of drivers and of their routines took: a row for the ISRs and one for the DPCs of each.</summary>
internal static class DriverTables
{
    /// <summary>The last bound of the histogram that has a column of its own: 2 to this power microseconds, about a second.</summary>
    private const int LastBound = 20;

    private static readonly string Times =
        "count,total_us,max_us,max_at_us,p50_us,p90_us,p99_us,p999_us,queue_delay_max_us,"
        + string.Join(',', Enumerable.Range(0, LastBound + 1).Select(power => Invariant($"to_{1 << power}us"))) + ",longer";

    /// <summary>The names of the columns of the table of drivers.</summary>
    public static string Header { get; } = "trace,driver,through,kind," + Times;

    /// <summary>The names of the columns of the table of drivers and CPUs.</summary>
    public static string HeaderByCpu => "trace,driver,kind,cpu,count,total_us,max_us";

    /// <summary>The names of the columns of the table of routines.</summary>
    public static string HeaderOfRoutines { get; } = "trace,routine,driver,kind," + Times;

    public static IEnumerable<CsvLine> Lines(BlameReport report) =>
        from driver in report.Drivers
        from part in Parts(driver.Isr, driver.Dpc)
        select WithTimes(
            new CsvLine().Text(report.Trace.Path).Text(driver.Name).Texts(driver.Through).Add(part.Kind),
            part.Times,
            part.Kind == "dpc" ? driver.QueueDelayMax : null);

    public static IEnumerable<CsvLine> LinesByCpu(BlameReport report) =>
        from driver in report.Drivers
        from part in Parts(driver.Isr, driver.Dpc)
        from cpu in part.Times.PerCpu ?? []
        select new CsvLine()
            .Text(report.Trace.Path)
            .Text(driver.Name)
            .Add(part.Kind)
            .Number(cpu.Cpu)
            .Number(cpu.Count)
            .Microseconds(cpu.Total)
            .Microseconds(cpu.Max);

    public static IEnumerable<CsvLine> LinesOfRoutines(BlameReport report) =>
        from routine in report.Routines ?? []
        from part in Parts(routine.Isr, routine.Dpc)
        select WithTimes(
            new CsvLine().Text(report.Trace.Path).Text(routine.Routine).Text(routine.Driver).Add(part.Kind),
            part.Times,
            part.Kind == "dpc" ? routine.QueueDelayMax : null);

    private static IEnumerable<(string Kind, RoutineTimes Times)> Parts(RoutineTimes? isr, RoutineTimes? dpc)
    {
        if (isr is not null)
        {
            yield return ("isr", isr);
        }

        if (dpc is not null)
        {
            yield return ("dpc", dpc);
        }
    }

    private static CsvLine WithTimes(CsvLine line, RoutineTimes times, Duration? queueDelay)
    {
        line.Number(times.Count)
            .Microseconds(times.Total)
            .Microseconds(times.Max)
            .Microseconds(times.MaxAt)
            .Microseconds(times.P50)
            .Microseconds(times.P90)
            .Microseconds(times.P99)
            .Microseconds(times.P999)
            .Microseconds(queueDelay);
        long shown = 0;
        for (int power = 0; power <= LastBound; power++)
        {
            Duration bound = Duration.FromMicroseconds(1L << power);
            long? count = times.Histogram?.Where(bucket => bucket.AtMost == bound).Sum(bucket => bucket.Count);
            shown += count ?? 0;
            line.Number(count);
        }

        return line.Number(times.Histogram is null ? null : times.Count - shown);
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
