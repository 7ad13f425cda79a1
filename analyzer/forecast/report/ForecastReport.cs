namespace Tracer.Forecast;

/// <summary>Puts together what a report says of a forecast.</summary>
public static class ForecastReport
{
    public static LatencyForecast Of(MeasuredLatencies latencies, ForecastQuestion question)
    {
        ArgumentNullException.ThrowIfNull(latencies);
        ArgumentNullException.ThrowIfNull(question);
        LatencySeries series = latencies.Tail.Series;
        question = latencies is { Thread: not null, Tail.Series.PeriodNs: > 0 and var period }
            ? question.ForBeat(period)
            : question.For(latencies.Kind);
        long[] horizons = [.. question.Usage.Times.Select(time => time.UseNs)];
        (ReturnLevels peaks, ReturnLevels blocks) = ExtremeValues.Of(series, horizons);
        IReadOnlyList<ToldApplication> told = ToleranceReport.Of(latencies.Tail, latencies.PerCpu, question, peaks.Law);
        return new LatencyForecast
        {
            Kind = latencies.Kind,
            Source = latencies.Source,
            Group = latencies.Group,
            Thread = latencies.Thread,
            Period = DurationOf(series.PeriodNs),
            Waits = series.Waits,
            Observed = new Duration(series.ObservedNs),
            Usage = question.Usage.ToString(),
            WorstCases = [.. question.Usage.Times.Select((time, i) => WorstCaseOf(series, time.Name, time.UseNs, peaks, blocks, i))],
            PeaksOverThreshold = MethodOf(peaks),
            BlockMaxima = MethodOf(blocks),
            Sentences = DropoutSentence.Joined(told, series.Waits, question.Unit),
            Applications = [.. told.Select(one => one.Told)],
            Tasks = TaskReport.Of(latencies.Kind, latencies.Tail, peaks.Law, question),
            SelfTests = SelfTest.Of(series, question),
        };
    }

    private static WorstCaseForecast WorstCaseOf(
        LatencySeries series, string name, long useNs, ReturnLevels peaks, ReturnLevels blocks, int horizon)
    {
        WorstCase worst = WorstCase.Of(series, useNs);
        return new WorstCaseForecast
        {
            Per = name,
            Use = new Duration(useNs),
            Expected = DurationOf(worst.ExpectedNs),
            Observed = DurationOf(worst.ObservedNs),
            PeaksOverThreshold = LevelOf(peaks, horizon),
            BlockMaxima = LevelOf(blocks, horizon),
        };
    }

    private static ReturnLevelForecast? LevelOf(ReturnLevels levels, int horizon) => levels.Refusal is not null ? null
        : levels.Levels[horizon] is var level ? new ReturnLevelForecast
        {
            Level = DurationOf(level.LevelNs),
            Low = DurationOf(level.LowNs),
            High = DurationOf(level.HighNs),
            Refusal = level.Refusal?.Sentence,
        }
        : null;

    private static ExtremeMethod MethodOf(ReturnLevels levels) => new()
    {
        Reason = levels.Refusal is { } refusal ? KebabCase.Of(refusal.Reason) : null,
        Refusal = levels.Refusal?.Sentence,
        Choice = DurationOf(levels.ChoiceNs),
        Count = levels.Count,
        Clusters = levels.Clusters,
        Shape = levels.Shape is { } shape ? Math.Round((decimal)shape, 3) : null,
        Scale = levels.ScaleNs is { } scale and < 1e18 ? new Duration((long)Math.Round(scale)) : null,
    };

    private static Duration? DurationOf(long? ns) => ns is { } known ? new Duration(known) : null;
}
