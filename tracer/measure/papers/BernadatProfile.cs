using Tracer.Measure.Ground;
using Tracer.Measure.Loads;
using Tracer.Measure.Measurements;
using Tracer.Measure.Recording;
using static Tracer.Measure.Papers.PaperProfiles;

namespace Tracer.Measure.Papers;

/// <summary>Bernadat's tables, each figure for the workload that runs beside it here, where he has it; else for an idle machine.</summary>
internal static class BernadatProfile
{
    private const string Us = "us";
    private const string Ns = "ns";
    private static readonly Duration Millisecond = Duration.FromMilliseconds(1);
    private static readonly Duration Frame = Duration.FromMilliseconds(33);
    private static readonly Duration FiveMilliseconds = Duration.FromMilliseconds(5);
    private static readonly Duration TenMilliseconds = Duration.FromMilliseconds(10);

    /// <summary>The columns of his tables that have a load of today.</summary>
    private static readonly LoadKind[] Columns =
        [LoadKind.Idle, LoadKind.Cpu, LoadKind.Make, LoadKind.Heap, LoadKind.Disk, LoadKind.Net, LoadKind.Tty];

    public static PaperProfile Of(IMeasureMachine machine, LoadKind load)
    {
        int column = Math.Max(0, Array.IndexOf(Columns, load));
        string clock = machine.Clocks[0].Name;
        return new PaperProfile(
            "Bernadat, An evaluation of Windows NT with respect to real-time capabilities in the context of the QUITE project, 1999",
            $"HP XU Kayak, Pentium II of 333 MHz, Windows NT 4.0 Workstation, load {KebabCase.Of(Columns[column])}",
            [
                new("clock", MeasurePriority.RealTime, static () => new ClockMeasurement()),
                new("preempt normal", MeasurePriority.Normal, static () => new PreemptMeasurement(Frame, Frame, 4)),
                new("preempt", MeasurePriority.RealTime, static () => new PreemptMeasurement(Frame, Frame, 4)),
                new("sleep", MeasurePriority.RealTime, static () => new SleepMeasurement(FiveMilliseconds, Millisecond)),
                new("timer", MeasurePriority.RealTime, static () => new TimerMeasurement(FiveMilliseconds)),
                new("interrupt", MeasurePriority.TimeCritical, static () => new InterruptMeasurement(TenMilliseconds)),
                new("wakeup", MeasurePriority.TimeCritical, static () => new WakeupMeasurement(TenMilliseconds)),
                new("udp", MeasurePriority.TimeCritical, static () => new UdpMeasurement(TenMilliseconds)),
            ],
            [
                new("5.1, Table 1", $"counter: reading it ({clock})", "1611", Ns, "clock", report => Cell(report, clock, "mean")),
                new(
                    "6, Table 4", "one iteration of the interruption loop", "318", Ns, "preempt",
                    static report => Figure(report, "base iteration")),
                new(
                    "6.1, Table 6", "longest interruption, priority 8, idle", "5943", Us, "preempt normal",
                    static report => Most(report, "interruptions")),
                new(
                    "6.1, Table 6", "longest interruption, priority 24, idle", "243", Us, "preempt",
                    static report => Most(report, "interruptions")),
                Of("6.2, Table 7", "interruptions a second, priority 24", "1016 1015 1172 1147 1233 1279 14594", column, "1/s", "preempt",
                    static report => Figure(report, "interruptions per second")),
                Of("7.2, Table 9", "drift of a timer of 5 ms, mean of its size", "206 206 207 207 206 206 234", column, Us, "timer",
                    static report => MeanSize(Series(report, "drift"))),
                Of("8.1, Table 10", "ISR, mean (here: till a computing thread stops)", "1.40 1.4 4.5 3.53 2.29 1.64 37.49", column, Us,
                    "interrupt", static report => Mean(report, DriverSeries.Interrupt, "latency")),
                Of("8.2, Table 11", "DPC, mean (needs the driver)", "5.19 4.68 11.48 9.87 7.44 5.75 48.11", column, Us, "interrupt",
                    static report => Mean(report, DriverSeries.Dpc)),
                Of("8.3, Table 12", "waking a thread, mean (there: from the interrupt)",
                    "20.69 20.04 43.50 44.91 30.81 23.74 70.88", column, Us, "wakeup",
                    static report => Mean(report, DriverSeries.Total, "absolute")),
                Of("9.1, Table 13", "UDP receive, mean", "42.69 42.39 80.25 84.24 58.73 47.11 62.84", column, Us, "udp",
                    static report => Mean(report, "receive")),
                Of("9.2, Table 14", "UDP send, mean", "27 28 65 69 45 31 41", column, Us, "udp", static report => Mean(report, "send")),
                Worst("longest interruption", "294 286 409 384 547 1289 341", column, "preempt", "interruptions"),
                Worst("largest deviation of a sleep of 5 ms", "1068 1059 1506 1110 1099 1375 1448", column, "sleep", "deviation"),
                Worst("largest drift of a timer of 5 ms", "898 887 1570 926 1090 1510 1514", column, "timer", "drift"),
                Worst("ISR (here: till a computing thread stops)", "11 14 765 12 121 161 643", column, "interrupt",
                    DriverSeries.Interrupt, "latency"),
                Of("11, Table 15", "worst: DPC (needs the driver)", "192 203 771 245 180 343 692", column, Us, "interrupt",
                    static report => Most(report, DriverSeries.Dpc)),
                Worst("waking a thread", "244 222 807 284 203 663 715", column, "wakeup", DriverSeries.Total, "absolute"),
                Worst("UDP receive", "275 265 1033 381 314 775 352", column, "udp", "receive"),
                Worst("UDP send", "84 77 288 187 268 462 149", column, "udp", "send"),
            ])
        {
            Notes =
            [
                "Table 8 (deviations of SleepEx) is blank in the text of the paper at hand; its largest deviations stand in Table 15.",
                "Latencies of ISRs, DPCs and woken threads are those that the driver measured, where it did (Windows); that of an ISR is "
                    + "measured by the laboratory driver only.",
                .. Columns[column] == load
                    ? Array.Empty<string>()
                    : [$"The paper has no workload like '{KebabCase.Of(load)}': its figures are those of an idle machine."],
            ],
        };
    }

    private static PaperFigure Of(
        string place, string what, string row, int column, string unit, string step, Func<MeasureReport, decimal?> value) =>
        new(place, what, row.Split(' ')[column], unit, step, value);

    private static PaperFigure Worst(string what, string row, int column, string step, params string[] series) =>
        Of("11, Table 15", $"worst: {what}", row, column, Us, step, report => Most(report, series));

    /// <summary>The mean of values without their sign, from their counts in bins of a thousandth; null where there is none.</summary>
    private static decimal? MeanSize(MeasureSeries series)
    {
        if (series.Count == 0 || HdrEncoding.Decode(series.Histogram) is not { } late)
        {
            return null;
        }

        Int128 early = series.EarlyHistogram is { } below ? HdrEncoding.Decode(below)?.Sum ?? 0 : 0;
        return Math.Round((decimal)(late.Sum + early) / series.Count / 1000, 3);
    }
}
