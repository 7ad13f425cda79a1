using Tracer.Contract;

namespace Tracer.Forecast;

/// <summary>What a report says of a set of periodic tasks.</summary>
internal static class TaskReport
{
    /// <summary>The tasks' part of the report, the highest priority first.</summary>
    public static IReadOnlyList<TaskForecast> Of(MeasuredTail tail, ForecastQuestion question)
    {
        LatencySeries series = tail.Series;
        if (question.Tasks.Count == 0 || series.Waits == 0)
        {
            return [];
        }

        long? rare = WorstCase.Of(series, question.PermittedNs).ExpectedNs;
        double mean = series.SumNs / series.Waits;
        return [.. Schedulability.Of(question.Tasks, rare ?? 0, mean).Select(response => new TaskForecast
        {
            Name = response.Task.Name,
            Period = new Duration((long)response.Task.Buffering.BufferNs),
            Compute = new Duration((long)response.Task.Buffering.ComputeNs),
            Buffers = response.Task.Buffering.Buffers,
            Rare = rare is { } known ? new Duration(known) : null,
            PseudoWorst = rare is null ? null : new Duration((long)response.PseudoWorstNs),
            Response = rare is null || response.ResponseNs is not { } ns ? null : new Duration((long)ns),
            KeepsUp = rare is null ? null : response.ResponseNs is not null,
        })];
    }
}
