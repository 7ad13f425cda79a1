namespace Tracer.Forecast;

/// <summary>
/// What merged reports allow to forecast: how often an application drops out follows from how many waits were how long. Whatever rests on
/// when they were is refused, part by part.
/// </summary>
public static class MergedForecast
{
    private const string NoTimes =
        "a report tells how many latencies were how long, but not when; name the traces that it was made from";

    public static LatencyForecast Of(MergedLatencies latencies, ForecastQuestion question)
    {
        ArgumentNullException.ThrowIfNull(latencies);
        ArgumentNullException.ThrowIfNull(question);
        HistogramTail tail = latencies.Tail;
        question = question.For(latencies.Kind);
        IReadOnlyList<ToldApplication> told = ToleranceReport.Of(tail, [], question, null);
        var refused = new ExtremeMethod
        {
            Reason = KebabCase.Of(RefusalReason.NoTimes),
            Refusal = NoTimes,
            Choice = null,
            Count = 0,
            Clusters = 0,
            Shape = null,
            Scale = null,
        };
        return new LatencyForecast
        {
            Kind = latencies.Kind,
            Source = latencies.Source,
            Group = latencies.Group,
            Waits = tail.Waits,
            Observed = new Duration(tail.ObservedNs),
            Usage = question.Usage.ToString(),
            WorstCases =
            [
                .. question.Usage.Times.Select(time => new WorstCaseForecast
                {
                    Per = time.Name,
                    Use = new Duration(time.UseNs),
                    Expected = null,
                    Observed = tail.LongestNs is { } longest ? new Duration(longest) : null,
                    PeaksOverThreshold = null,
                    BlockMaxima = null,
                }),
            ],
            PeaksOverThreshold = refused,
            BlockMaxima = refused,
            Sentences = DropoutSentence.Joined(told, tail.Waits, question.Unit),
            Applications = [.. told.Select(one => one.Told)],
            Tasks = TaskReport.Refused(NoTimes, question),
        };
    }
}
