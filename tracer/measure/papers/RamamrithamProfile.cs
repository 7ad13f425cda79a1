using Tracer.Measure.Ground;
using Tracer.Measure.Measurements;
using static Tracer.Measure.Ground.PaperCalls;
using static Tracer.Measure.Papers.PaperProfiles;

namespace Tracer.Measure.Papers;

/// <summary>The tables of Ramamritham and others, and what their experiments found.</summary>
internal static class RamamrithamProfile
{
    private const string Us = "us";
    private const string Ms = "ms";
    private const int OneK = 1_024;

    private static readonly (MeasurePriority Priority, int Period, string Max, string Mean, string Variance)[] Table2 =
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

    /// <summary>Levels of the real-time class: normal is 24, highest 26; time-critical, 31, is the nearest here.</summary>
    private static readonly (int Bytes, MeasurePriority Level, string Max, string Mean, string Variance, string Late)[] Table3 =
    [
        (OneK, MeasurePriority.RealTime, "9.473", "2.496", "0.69", "0"),
        (OneK, MeasurePriority.TimeCritical, "6.990", "2.445", "0.143", "0"),
        (3 * OneK / 2, MeasurePriority.RealTime, "10.735", "3.495", "0.2", "2"),
        (3 * OneK / 2, MeasurePriority.TimeCritical, "7.211", "3.351", "0.025", "0"),
        (2 * OneK, MeasurePriority.RealTime, "14.15", "4.738", "0.693", "4"),
        (2 * OneK, MeasurePriority.TimeCritical, "6.043", "4.212", "0.014", "0"),
    ];

    private static readonly (int Period, string Max, string Mean, string Variance)[] Table4 =
        [(10, "126.873", "6.150", "93.12"), (20, "52.278", "3.55", "14.067"), (100, "30.913", "2.615", "1.81")];

    private static readonly (string Call, string Published)[] Table1 =
    [
        (NewProcess, "2600"), (ToRealTime, "240"), (OtherClasses, "125"), (OwnPriority, "9"), (OthersPriority, "10"), (ReadingTime, "6"),
    ];

    public static PaperProfile Of(IMeasureMachine machine) => new(
        "Ramamritham, Shen, Gonzalez, Sen and Shirgurkar, Using Windows NT for Real-Time Applications, RTAS 1998",
        "Pentium of 233 MHz, Windows NT Workstation 4.0; round trips over Ethernet of 10 Mbit/s beside a video player",
        [
            new("io-interference", MeasurePriority.RealTime, static () => new InterferenceMeasurement()),
            new("calls", MeasurePriority.Normal, static () => new CallsMeasurement(1_000)),
            new("background", MeasurePriority.Normal, static () => new BackgroundMeasurement()),
            .. Table2.Select(static one => Step(one.Priority, one.Period, OneK)),
            .. Table3.Select(static one => Step(one.Level, 10, one.Bytes)),
            .. Table4.Select(static one => Step(MeasurePriority.RealTime, one.Period, OneK, isShown: true)),
        ],
        [
            Left("experiment 1", "keyboard", "none"),
            Left("experiment 2", "disk", "interleaved"),
            Left("experiment 3", "network", "interleaved"),
            .. Table1.Select(call => new PaperFigure(
                "3.2, Table 1", $"{call.Call}, 90 %", call.Published, Us, "calls", report => OfCall(report, machine, call.Call))),
            new(
                "3.3", "system activities within one second, together", "153", Ms, "background",
                static report => Figure(report, "together")),
            .. Table2.SelectMany(static one => Trip(
                "4.4.1, Table 2", $"round trip, {KebabCase.Of(one.Priority)}, every {one.Period} ms",
                StepOf(one.Priority, one.Period, OneK), one.Max, one.Mean, one.Variance)),
            .. Table3.SelectMany(static one => (PaperFigure[])
            [
                .. Trip(
                    "4.4.2, Table 3", $"every 10 ms, {one.Bytes} bytes, {KebabCase.Of(one.Level)}", StepOf(one.Level, 10, one.Bytes),
                    one.Max, one.Mean, one.Variance),
                new(
                    "4.4.2, text", $"every 10 ms, {one.Bytes} bytes, {KebabCase.Of(one.Level)}, late", one.Late, "",
                    StepOf(one.Level, 10, one.Bytes), static report => Figure(report, "missed deadlines")),
            ]),
            .. Table4.SelectMany(static one => Trip(
                "4.4.3, Table 4", $"with screen, every {one.Period} ms", StepOf(MeasurePriority.RealTime, one.Period, OneK, isShown: true),
                one.Max, one.Mean, one.Variance)),
        ])
    {
        Notes =
        [
            "Of experiments 1 to 3 the paper tells only what went on; here it is the percentage of what was done without the computing "
                + "thread.",
            "The paper's late commands are of 300; here they are of as many as fit into the duration. Its level 'highest', 26, is "
                + "time-critical here.",
            "The paper logged 30 minutes of system activity with its performance monitor, whose own 53 ms are not in the 153.",
        ],
    };

    private static PaperFigure Left(string experiment, string row, string published) => new(
        "3.1", $"{experiment}: {row} beside a computing thread", published, "%", "io-interference",
        report => Cell(report, row, "left"));

    private static PaperStep Step(MeasurePriority priority, int period, int bytes, bool isShown = false) => new(
        StepOf(priority, period, bytes, isShown), priority,
        () => new OperatorMeasurement(Duration.FromMilliseconds(period), bytes, isShown));

    private static string StepOf(MeasurePriority priority, int period, int bytes, bool isShown = false) =>
        $"operator {KebabCase.Of(priority)} {period} {bytes}{(isShown ? " shown" : "")}";

    private static PaperFigure[] Trip(string place, string what, string step, string max, string mean, string variance) =>
    [
        new(place, $"{what}, most", max, Ms, step, static report => Figure(report, "max")),
        new(place, $"{what}, mean", mean, Ms, step, static report => Figure(report, "mean")),
        new(place, $"{what}, variance", variance, "ms2", step, static report => Figure(report, "variance")),
    ];
}
