namespace Tracer.Forecast;

/// <summary>What a report says of a set of periodic tasks.</summary>
internal static class TaskReport
{
    /// <summary>The tasks' part of the report, the highest priority first.</summary>
    public static IReadOnlyList<TaskForecast> Of(LatencyKind kind, LatencySeries series, ForecastQuestion question) =>
        series.Waits == 0 ? []
        : kind.IsOfJobs() ? Refused("what jobs take or lose has what other tasks took in it: ask for --kind thread", question)
        : WorstCase.Of(series, question.PermittedNs).ExpectedNs is { } rare ? Told(rare, series.SumNs / series.Waits, question)
        : Refused(
            $"one dropout in {Times.Text(question.PermittedNs)} is permitted, and less than that was measured: record longer, or permit "
                + "more",
            question);

    /// <summary>The tasks where the rare latency that the pseudo worst case is made of is not known.</summary>
    /// <param name="why">Why not, as a sentence without a full stop.</param>
    public static IReadOnlyList<TaskForecast> Refused(string why, ForecastQuestion question) =>
        [.. question.Tasks.OrderBy(task => task.Buffering.BufferNs).Select(task => Of(task) with { Refusal = why })];

    private static IReadOnlyList<TaskForecast> Told(long rare, double mean, ForecastQuestion question) =>
    [
        .. Schedulability.Of(question.Tasks, rare, mean).Select(response => Of(response.Task) with
        {
            Rare = new Duration(rare),
            PseudoWorst = new Duration((long)response.PseudoWorstNs),
            Response = response.ResponseNs is { } ns ? new Duration((long)ns) : null,
            KeepsUp = response.ResponseNs is not null,
        }),
    ];

    private static TaskForecast Of(PeriodicTask task) => new()
    {
        Name = task.Name,
        Period = new Duration((long)task.Buffering.BufferNs),
        Compute = new Duration((long)task.Buffering.ComputeNs),
        Buffers = task.Buffering.Buffers,
        Rare = null,
        PseudoWorst = null,
        Response = null,
        KeepsUp = null,
    };
}
