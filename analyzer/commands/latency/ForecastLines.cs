using Tracer.AnalyzerCommand.Common;

namespace Tracer.AnalyzerCommand.Commands.Latency;

/// <summary>
/// Forecasts as rows of the table of distributions: a row for each worst case and method, application, point of the underrun curve, and
/// task. What a row does not tell is an empty cell; <c>forecast</c> says which kind it is.
/// </summary>
internal static class ForecastLines
{
    /// <summary>The columns, behind those of distributions.</summary>
    public const string Header = "forecast,name,observed_for_us,use_us,level_us,low_us,high_us,buffers,buffer_us,compute_us,tolerance_us,"
        + "slack_us,late,once_in_waits,dropouts_per_hour,low_per_hour,high_per_hour,underrun_us,replayed,missed,keeps_up,why,"
        + "late_low,late_high,hit";

    private static readonly int Columns = Header.Split(',').Length;

    /// <summary>Adds the empty cells of a row that is of a distribution.</summary>
    public static CsvLine Fill(CsvLine line)
    {
        for (int i = 0; i < Columns; i++)
        {
            line.Add(null);
        }

        return line;
    }

    public static IEnumerable<CsvLine> Of(LatencyForecast of) =>
    [
        .. of.WorstCases.SelectMany(worst => (CsvLine[])
        [
            Row(of, "worst-case", worst.Per, new Cells { Use = worst.Use, Level = worst.Expected, Why = WhyNot(of, worst) }),
            Row(of, "longest-observed", worst.Per, new Cells { Use = worst.Use, Level = worst.Observed }),
            Row(of, "peaks-over-threshold", worst.Per, Level(worst, worst.PeaksOverThreshold, of.PeaksOverThreshold)),
            Row(of, "block-maxima", worst.Per, Level(worst, worst.BlockMaxima, of.BlockMaxima)),
        ]),
        .. of.Applications.Select(one => Row(of, "application", one.Name, new Cells { Application = one, Why = one.Replay?.Refusal })),
        .. of.Applications.SelectMany(one =>
            one.Curve.Select(point => Row(of, "underrun", one.Name, new Cells { Curve = one, Point = point }))),
        .. of.Tasks.Select(task => Row(of, "task", task.Name, new Cells
        {
            Task = task, Low = task.RareLow, High = task.RareHigh, Why = task.Refusal,
        })),
        .. of.SelfTests.Select(test => Row(of, "self-test", test.Name ?? "longest", new Cells
        {
            Level = test.Longest, High = test.AtMost, Test = test,
        })),
    ];

    private static string? WhyNot(LatencyForecast of, WorstCaseForecast worst) => worst.Expected is not null ? null
        : of.PeaksOverThreshold.Reason == KebabCase.Of(Forecast.RefusalReason.NoTimes) ? of.PeaksOverThreshold.Refusal
        : "not observed for so long";

    private static Cells Level(WorstCaseForecast worst, ReturnLevelForecast? level, ExtremeMethod method) => new()
    {
        Use = worst.Use,
        Level = level?.Level,
        Low = level?.Low,
        High = level?.High,
        Why = level?.Refusal ?? method.Refusal,
    };

    private static CsvLine Row(LatencyForecast of, string forecast, string name, Cells cells)
    {
        (ToleranceForecast? application, ToleranceForecast? buffering) = (cells.Application, cells.Application ?? cells.Curve);
        return DistributionsTable.Begin(of)
            .Add(forecast)
            .Text(name)
            .Microseconds(of.Observed)
            .Microseconds(cells.Use)
            .Microseconds(cells.Level ?? cells.Task?.Response)
            .Microseconds(cells.Low)
            .Microseconds(cells.High)
            .Number((long?)(cells.Point?.Buffers ?? buffering?.Buffers ?? cells.Task?.Buffers))
            .Microseconds(buffering?.Buffer ?? cells.Task?.Period)
            .Microseconds(buffering?.Compute ?? cells.Task?.Compute)
            .Microseconds(cells.Point?.Buffering ?? application?.Tolerance)
            .Microseconds(application?.Slack)
            .Number(application?.Late ?? cells.Test?.Late)
            .Number((double?)application?.OnceInWaits)
            .Number((double?)application?.DropoutsPerHour)
            .Number((double?)application?.LowPerHour)
            .Number((double?)application?.HighPerHour)
            .Microseconds(cells.Point is { } point ? point.Underrun : application?.Underrun)
            .Number(application?.Replay?.Cycles)
            .Number(application?.Replay?.Missed)
            .Add(cells.Task?.KeepsUp switch { true => "yes", false => "no", null => null })
            .Text(cells.Why)
            .Number(cells.Test?.LateLow)
            .Number(cells.Test?.LateHigh)
            .Add(cells.Test?.IsHit switch { true => "yes", false => "no", null => null });
    }

    private readonly record struct Cells
    {
        public Duration? Use { get; init; }

        public Duration? Level { get; init; }

        public Duration? Low { get; init; }

        public Duration? High { get; init; }

        public string? Why { get; init; }

        public ToleranceForecast? Application { get; init; }

        public ToleranceForecast? Curve { get; init; }

        public UnderrunPoint? Point { get; init; }

        public TaskForecast? Task { get; init; }

        public ForecastSelfTest? Test { get; init; }
    }
}
