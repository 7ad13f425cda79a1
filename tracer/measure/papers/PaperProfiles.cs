using Tracer.Measure.Ground;
using Tracer.Measure.Loads;
using Tracer.Measure.Measurements;
using Tracer.Measure.Recording;

namespace Tracer.Measure.Papers;

/// <summary>The papers, with their figures as they were published: for an idle machine where a paper has several loads.</summary>
internal static class PaperProfiles
{
    private const string Us = "us";
    private const string Ms = "ms";
    private const int IntervalsOfThePaper = 10_000;
    private static readonly Duration Hour = Duration.FromSeconds(3600);
    private static readonly Duration Millisecond = Duration.FromMilliseconds(1);
    private static readonly Duration FiveMilliseconds = Duration.FromMilliseconds(5);

    /// <param name="load">What runs beside it: the paper's figures are those beside the same, where it has them.</param>
    public static PaperProfile Of(PaperName paper, IMeasureMachine machine, LoadKind load) => paper switch
    {
        PaperName.PaperBernadat => BernadatProfile.Of(machine, load),
        PaperName.PaperDrummond => Drummond(),
        PaperName.PaperRamamritham => RamamrithamProfile.Of(machine),
        PaperName.PaperOsdi => CotaRoblesAndHeld(),
        _ => JonesAndRegehr(),
    };

    private static PaperProfile Drummond() => new(
        "Drummond, Windows NT Operating System Primitives, SSC San Diego Technical Report 1817, 2000",
        "Pentium II of 400 MHz, Windows NT 4.0, time-critical threads",
        [
            new("switch", MeasurePriority.RealTime, static () => new SwitchMeasurement()),
            new("preemption", MeasurePriority.Normal, static () => new PreemptionMeasurement()),
            new("interrupt", MeasurePriority.TimeCritical, static () => new InterruptMeasurement(FiveMilliseconds)),
        ],
        [
            new("page 5", "context switch, mean", "20", Us, "switch", static report => Figure(report, "switch") / 1000),
            new(
                "page 7", "pre-emption of priority 15 by 31, mean", "30 to 40", Us, "preemption",
                static report => Mean(report, "preemption")),
            new(
                "page 9", "interrupt latency with its handler, mean", "10 to 15", Us, "interrupt",
                static report => Mean(report, "interrupt")),
        ])
    {
        Notes = ["Drummond's handler can't be told from the interrupt, nor can that of a timer here: both are until the thread goes on."],
    };

    private static PaperProfile CotaRoblesAndHeld() => new(
        "Cota-Robles and Held, A Comparison of Windows Driver Model Latency Performance on Windows NT and Windows 98, OSDI 1999",
        "Pentium II of 300 MHz, Windows NT 4.0 and Windows 98",
        [
            new("wakeup", MeasurePriority.TimeCritical, static () => new WakeupMeasurement(Millisecond)),
            new("interrupt", MeasurePriority.TimeCritical, static () => new InterruptMeasurement(FiveMilliseconds)),
            new(
                "deadline", MeasurePriority.RealTime,
                static () => new DeadlineMeasurement(Duration.FromMilliseconds(4), Millisecond)),
        ],
        [
            .. new[] { ("office", "<1.0", "2.6"), ("workstation", "2.2", "24"), ("3D games", "8.8", "45"), ("web", "1.1", "15") }
                .SelectMany(static one => (PaperFigure[])
                [
                    new(
                        "4.2, Table 3", $"98, {one.Item1}: interrupt to ISR, worst in an hour", one.Item2, Ms, "interrupt",
                        static report => WorstOfAnHour(report, DriverSeries.Interrupt, "latency") / 1000),
                    new(
                        "4.2, Table 3", $"98, {one.Item1}: interrupt to thread, worst an hour", one.Item3, Ms, "wakeup",
                        static report => WorstOfAnHour(report, DriverSeries.Total, "absolute") / 1000),
                ]),
            new(
                "5.1", "worst latency of a thread at high real-time priority", "below 3000", Us, "wakeup",
                static report => Most(report, DriverSeries.Total, "absolute")),
            new(
                "5.1", "a modem's buffers of 4 ms, 1 ms of computing, missed", "0", "", "deadline",
                static report => Figure(report, "missed")),
        ])
    {
        Notes =
        [
            "The paper has NT's latencies in figures only; its Table 3 is of Windows 98. What it measured with a driver, ours "
                + "measures where it can (Windows).",
            "The worst of an hour takes an hour: such rows are blank in a shorter run, and 'tracer measure all --profile paper-osdi "
                + "--duration 1h' fills them. Its days and weeks, and DPCs, come from 'analyzer latency --usage' of a trace.",
        ],
    };

    private static PaperProfile JonesAndRegehr() => new(
        "Jones and Regehr, The Problems You're Having May Not Be the Problems You Think You're Having, HotOS 1999",
        "PPro: Pentium Pro of 200 MHz; P2: Pentium 2 of 333 MHz; Windows NT 4.0 SP3 and NT5 beta, runs of 10 seconds",
        [new("timer", MeasurePriority.TimeCritical, static () => new TimerMeasurement(Millisecond))],
        [
            .. new[]
            {
                ("PPro, NT4", "31", "2384", "999", "70"), ("PPro, NT5", "31", "18114", "999", "211"),
                ("P2, NT4", "20", "2144", "999", "955"), ("P2, NT5", "33", "2396", "999", "941"),
            }
                .SelectMany(static one => (PaperFigure[])
                [
                    Interval(one.Item1, "least", one.Item2, static series => series.Minimum),
                    Interval(one.Item1, "most", one.Item3, static series => series.Maximum),
                    Interval(one.Item1, "mean", one.Item4, static series => series.Mean),
                    Interval(one.Item1, "deviation", one.Item5, static series => series.Deviation),
                ]),
            .. new[]
            {
                ("3.2, Table 2", "PPro, NT4", "34", "571", "9014", "0"), ("3.2, Table 2", "P2, NT4", "4880", "0", "0", "5107"),
                ("4.1, Table 3", "P2, mended", "1", "9609", "127", "240"),
            }
                .SelectMany(static one => (PaperFigure[])
                [
                    Tenth(one.Item1, one.Item2, 0, one.Item3), Tenth(one.Item1, one.Item2, 9, one.Item4),
                    Tenth(one.Item1, one.Item2, 10, one.Item5), Tenth(one.Item1, one.Item2, 19, one.Item6),
                ]),
        ])
    {
        Notes =
        [
            "NT's 1 ms timers met a clock of 976 us: half of the intervals were next to nothing and half two ticks (Table 2, P2), and "
                + "2.4 % two ticks when that was mended (Table 3).",
        ],
    };

    /// <summary>Intervals of a tenth of a millisecond, of ten thousand as in the paper.</summary>
    private static PaperFigure Tenth(string place, string machine, int tenth, string published) => new(
        place, $"of 10,000 of {100 * tenth} to {100 * (tenth + 1)} us (there: {machine})", published, "", "timer",
        report =>
        {
            MeasureSeries series = Series(report, "intervals");
            string name = TimerMeasurement.TenthName(Millisecond, tenth);
            decimal count = report.Tables[0].Rows.FirstOrDefault(row => row.Name == name)?.Values[0] ?? 0;
            return series.Count == 0 ? null : Math.Round(count * IntervalsOfThePaper / series.Count, 0);
        });

    private static PaperFigure Interval(string machine, string what, string published, Func<MeasureSeries, Duration> value) => new(
        "3.2, Table 1", $"callbacks of 1 ms, {what} (there: {machine})", published, Us, "timer",
        report => value(Series(report, "intervals")).Microseconds);

    internal static decimal? OfCall(MeasureReport report, IMeasureMachine machine, string counterpart) =>
        machine.Calls.FirstOrDefault(call => call.Counterpart == counterpart) is { } call ? Cell(report, call.Name, "90 %") : null;

    internal static decimal? Cell(MeasureReport report, string row, string column)
    {
        MeasureTable table = report.Tables[0];
        int index = table.Columns.Select(static one => one.Name).ToList().IndexOf(column);
        return table.Rows.FirstOrDefault(one => one.Name == row)?.Values[index];
    }

    internal static decimal? Figure(MeasureReport report, string name) => report.Figures.First(one => one.Name == name).Value;

    internal static MeasureSeries Series(MeasureReport report, string name) => report.Series.First(one => one.Name == name);

    /// <summary>The greatest of the first series of some that has any.</summary>
    internal static decimal? Most(MeasureReport report, params string[] names) => FirstOf(report, names)?.Maximum.Microseconds;

    /// <summary>The greatest of so long a run that it is one of an hour; a shorter run tells nothing of it.</summary>
    private static decimal? WorstOfAnHour(MeasureReport report, params string[] names) =>
        report.Elapsed >= Hour ? Most(report, names) : null;

    /// <summary>The mean of the first series of some that has any.</summary>
    internal static decimal? Mean(MeasureReport report, params string[] names) => FirstOf(report, names)?.Mean.Microseconds;

    private static MeasureSeries? FirstOf(MeasureReport report, string[] names) =>
        names.Select(name => report.Series.FirstOrDefault(one => one.Name == name)).FirstOrDefault(static one => one is { Count: > 0 });
}
