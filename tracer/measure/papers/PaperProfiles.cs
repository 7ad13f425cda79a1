using Tracer.Contract;

namespace Tracer.Measure;

/// <summary>The papers, with their figures as they were published: for an idle machine where a paper has several loads.</summary>
internal static class PaperProfiles
{
    /// <summary>Calls of Ramamritham's Table 1.</summary>
    public const string NewProcess = "CreateProcess()";

    /// <summary>As above.</summary>
    public const string ToRealTime = "SetPriorityClass(), normal to real-time";

    /// <summary>As above.</summary>
    public const string OtherClasses = "SetPriorityClass(), other combinations";

    /// <summary>As above.</summary>
    public const string OwnPriority = "SetThreadPriority(), a thread for itself";

    /// <summary>As above.</summary>
    public const string ReadingTime = "QueryPerformanceCounter()";

    private const string Us = "us";
    private const string Ms = "ms";
    private const string Ns = "ns";
    private static readonly Duration Millisecond = Duration.FromMilliseconds(1);
    private static readonly Duration Frame = Duration.FromMilliseconds(33);
    private static readonly Duration FiveMilliseconds = Duration.FromMilliseconds(5);
    private static readonly Duration TenMilliseconds = Duration.FromMilliseconds(10);

    /// <summary>The profile of a paper.</summary>
    /// <param name="paper">Which.</param>
    /// <param name="machine">The machine, whose calls stand for those of the paper.</param>
    public static PaperProfile Of(PaperName paper, IMeasureMachine machine) => paper switch
    {
        PaperName.PaperBernadat => Bernadat(machine),
        PaperName.PaperDrummond => Drummond(),
        PaperName.PaperRamamritham => Ramamritham(machine),
        PaperName.PaperOsdi => CotaRoblesAndHeld(),
        _ => JonesAndRegehr(),
    };

    private static PaperProfile Bernadat(IMeasureMachine machine)
    {
        string clock = machine.Clocks[0].Name;
        return new PaperProfile(
            "Bernadat, An evaluation of Windows NT with respect to real-time capabilities in the context of the QUITE project, 1999",
            "HP XU Kayak, Pentium II of 333 MHz, Windows NT 4.0 Workstation, idle",
            [
                new("clock", MeasurePriority.RealTime, static () => new ClockMeasurement()),
                new("preempt normal", MeasurePriority.Normal, static () => new PreemptMeasurement(Frame, Frame, 4)),
                new("preempt", MeasurePriority.RealTime, static () => new PreemptMeasurement(Frame, Frame, 4)),
                new("sleep", MeasurePriority.RealTime, static () => new SleepMeasurement(FiveMilliseconds, Millisecond)),
                new("timer", MeasurePriority.RealTime, static () => new TimerMeasurement(FiveMilliseconds)),
                new("wakeup", MeasurePriority.TimeCritical, static () => new WakeupMeasurement(TenMilliseconds)),
                new("udp", MeasurePriority.TimeCritical, static () => new UdpMeasurement(TenMilliseconds)),
            ],
            [
                new("5.1, Table 1", $"counter: reading it ({clock})", "1611", Ns, "clock", report => Cell(report, clock, "mean")),
                new(
                    "6, Table 4", "one iteration of the interruption loop", "318", Ns, "preempt",
                    static report => Figure(report, "base iteration")),
                new(
                    "6.1, Table 6", "longest interruption, priority 8", "5943", Us, "preempt normal",
                    static report => Most(report, "interruptions")),
                new(
                    "6.1, Table 6", "longest interruption, priority 24", "243", Us, "preempt",
                    static report => Most(report, "interruptions")),
                new(
                    "6.1, Table 6", "interruptions a second, priority 24", "1016", "1/s", "preempt",
                    static report => Figure(report, "interruptions per second")),
                new(
                    "7.1, Table 15", "largest deviation of a sleep of 5 ms", "1068", Us, "sleep",
                    static report => Most(report, "deviation")),
                new("7.2, Table 9", "largest drift of a timer of 5 ms", "898", Us, "timer", static report => Most(report, "drift")),
                new(
                    "8.3, Table 12", "waking a thread, mean (there: from the interrupt)", "20.69", Us, "wakeup",
                    static report => Mean(report, "absolute")),
                new("8.3, Table 12", "waking a thread, most", "244", Us, "wakeup", static report => Most(report, "absolute")),
                new("9.1, Table 13", "UDP receive, mean", "42.69", Us, "udp", static report => Mean(report, "receive")),
                new("9.1, Table 13", "UDP receive, most", "275", Us, "udp", static report => Most(report, "receive")),
                new("9.2, Table 14", "UDP send, mean", "27", Us, "udp", static report => Mean(report, "send")),
                new("9.2, Table 14", "UDP send, most", "84", Us, "udp", static report => Most(report, "send")),
            ]);
    }

    private static PaperProfile Drummond() => new(
        "Drummond, Windows NT Operating System Primitives, SSC San Diego Technical Report 1817, 2000",
        "Pentium II of 400 MHz, Windows NT 4.0, time-critical threads",
        [
            new("switch", MeasurePriority.RealTime, static () => new SwitchMeasurement()),
            new("preemption", MeasurePriority.Normal, static () => new PreemptionMeasurement()),
        ],
        [
            new("page 5", "context switch, mean", "20", Us, "switch", static report => Figure(report, "switch") / 1000),
            new(
                "page 7", "pre-emption of priority 15 by 31, mean", "30 to 40", Us, "preemption",
                static report => Mean(report, "preemption")),
        ]);

    private static PaperProfile Ramamritham(IMeasureMachine machine)
    {
        (MeasurePriority Priority, int Period, string Max, string Mean, string Variance)[] trips =
        [
            (MeasurePriority.Normal, 30, "75.297", "2.654", "8.846"),
            (MeasurePriority.High, 30, "27.938", "2.523", "2.571"),
            (MeasurePriority.RealTime, 30, "16.583", "2.362", "0.260"),
            (MeasurePriority.Normal, 50, "43.759", "3.356", "19.721"),
            (MeasurePriority.High, 50, "44.098", "2.673", "5.879"),
            (MeasurePriority.RealTime, 50, "9.475", "2.428", "0.242"),
            (MeasurePriority.Normal, 100, "54.858", "3.104", "16.523"),
            (MeasurePriority.High, 100, "32.740", "2.765", "5.184"),
            (MeasurePriority.RealTime, 100, "2.884", "2.379", "0.004"),
        ];
        (string Call, string Published)[] calls =
        [
            (NewProcess, "2600"), (ToRealTime, "240"), (OtherClasses, "125"), (OwnPriority, "9"), (ReadingTime, "6"),
        ];
        return new PaperProfile(
            "Ramamritham, Shen, Gonzalez, Sen and Shirgurkar, Using Windows NT for Real-Time Applications, RTAS 1998",
            "Pentium of 233 MHz, Windows NT Workstation 4.0; round trips over Ethernet of 10 Mbit/s beside a video player",
            [
                new("calls", MeasurePriority.Normal, static () => new CallsMeasurement(1_000)),
                .. trips.Select(static trip => new PaperStep(
                    StepOf(trip.Priority, trip.Period), trip.Priority,
                    () => new OperatorMeasurement(Duration.FromMilliseconds(trip.Period), 1_024))),
            ],
            [
                .. calls.Select(call => new PaperFigure(
                    "3.2, Table 1", $"{call.Call}, 90 %", call.Published, Us, "calls", report => OfCall(report, machine, call.Call))),
                .. trips.SelectMany(static trip => (PaperFigure[])
                    [
                        Trip(trip.Priority, trip.Period, "most", trip.Max, Ms, "max"),
                        Trip(trip.Priority, trip.Period, "mean", trip.Mean, Ms, "mean"),
                        Trip(trip.Priority, trip.Period, "variance", trip.Variance, "ms2", "variance"),
                    ]),
            ]);
    }

    private static PaperProfile CotaRoblesAndHeld() => new(
        "Cota-Robles and Held, A Comparison of Windows Driver Model Latency Performance on Windows NT and Windows 98, OSDI 1999",
        "Pentium II of 300 MHz, Windows NT 4.0",
        [
            new("wakeup", MeasurePriority.TimeCritical, static () => new WakeupMeasurement(Millisecond)),
            new(
                "deadline", MeasurePriority.RealTime,
                static () => new DeadlineMeasurement(Duration.FromMilliseconds(4), Millisecond)),
        ],
        [
            new(
                "5.1", "worst latency of a thread at high real-time priority", "below 3000", Us, "wakeup",
                static report => Most(report, "absolute")),
            new(
                "5.1", "a modem's buffers of 4 ms, 1 ms of computing, missed", "0", "", "deadline",
                static report => Figure(report, "missed")),
        ]);

    private static PaperProfile JonesAndRegehr() => new(
        "Jones and Regehr, The Problems You're Having May Not Be the Problems You Think You're Having, HotOS 1999",
        "PPro: Pentium Pro of 200 MHz; P2: Pentium 2 of 333 MHz; Windows NT 4.0 SP3, runs of 10 seconds",
        [new("timer", MeasurePriority.TimeCritical, static () => new TimerMeasurement(Millisecond))],
        [
            .. new[] { ("PPro", "31", "2384", "999", "70"), ("P2", "20", "2144", "999", "955") }
                .SelectMany(static one => (PaperFigure[])
                [
                    Interval(one.Item1, "least", one.Item2, static series => series.Minimum),
                    Interval(one.Item1, "most", one.Item3, static series => series.Maximum),
                    Interval(one.Item1, "mean", one.Item4, static series => series.Mean),
                    Interval(one.Item1, "standard deviation", one.Item5, static series => series.Deviation),
                ]),
        ]);

    private static PaperFigure Interval(string machine, string what, string published, Func<MeasureSeries, Duration> value) => new(
        "3.2, Table 1", $"callbacks of 1 ms, {what} (there: {machine})", published, Us, "timer",
        report => value(Series(report, "intervals")).Microseconds);

    private static PaperFigure Trip(MeasurePriority priority, int period, string what, string published, string unit, string figure) => new(
        "4.4.1, Table 2", $"round trip, {KebabCase.Of(priority)}, each {period} ms, {what}", published, unit, StepOf(priority, period),
        report => Figure(report, figure));

    private static string StepOf(MeasurePriority priority, int period) => $"operator {KebabCase.Of(priority)} {period}";

    private static decimal? OfCall(MeasureReport report, IMeasureMachine machine, string counterpart) =>
        machine.Calls.FirstOrDefault(call => call.Counterpart == counterpart) is { } call ? Cell(report, call.Name, "90 %") : null;

    private static decimal? Cell(MeasureReport report, string row, string column)
    {
        MeasureTable table = report.Tables[0];
        int index = table.Columns.Select(static one => one.Name).ToList().IndexOf(column);
        return table.Rows.FirstOrDefault(one => one.Name == row)?.Values[index];
    }

    private static decimal? Figure(MeasureReport report, string name) => report.Figures.First(one => one.Name == name).Value;

    private static MeasureSeries Series(MeasureReport report, string name) => report.Series.First(one => one.Name == name);

    private static decimal? Most(MeasureReport report, string name) =>
        Series(report, name) is { Count: > 0 } series ? series.Maximum.Microseconds : null;

    private static decimal? Mean(MeasureReport report, string name) =>
        Series(report, name) is { Count: > 0 } series ? series.Mean.Microseconds : null;
}
