namespace Tracer.Forecast;

/// <summary>What a report says of a set of periodic tasks.</summary>
internal static class TaskReport
{
    /// <summary>The tasks' part of the report, the highest priority first.</summary>
    /// <param name="kind">What was measured: what jobs take or lose answers nothing about other tasks.</param>
    /// <param name="law">The law of the tail; null where there is none.</param>
    public static IReadOnlyList<TaskForecast> Of(LatencyKind kind, MeasuredTail tail, TailLaw? law, ForecastQuestion question)
    {
        if (tail.Waits == 0)
        {
            return [];
        }

        if (kind.IsOfJobs())
        {
            return Refused("what jobs take or lose includes what other tasks took: ask for --kind thread", question);
        }

        double mean = tail.Series.SumNs / tail.Waits;
        Dictionary<PeriodicTask, RareLatency> rare = [];
        foreach (PeriodicTask task in question.Tasks)
        {
            rare[task] = RareLatency.Of(tail, question.PermittedNs / task.Buffering.BufferNs, law);
        }

        // Each answer has its own end of the interval: what keeps up does so at the high one, what does not fails at the low one.
        IReadOnlyList<TaskResponse> best = With(one => one.LowNs ?? 0);
        IReadOnlyList<TaskResponse> worst = With(one => one.HighNs ?? double.PositiveInfinity);
        return [.. worst.Zip(best, (high, low) => Of(high.Task) with
        {
            Rare = DurationOf(rare[high.Task].Ns),
            RareLow = DurationOf(rare[high.Task].LowNs),
            RareHigh = DurationOf(rare[high.Task].HighNs),
            PseudoWorst = rare[high.Task].HighNs is null ? null : new Duration((long)high.PseudoWorstNs),
            Response = high.ResponseNs is { } ns ? new Duration((long)ns) : null,
            KeepsUp = high.ResponseNs is not null ? true : low.ResponseNs is null ? false : null,
            Refusal = high.ResponseNs is null && low.ResponseNs is not null ? WhyNot(tail, high.Task, rare[high.Task], question) : null,
        })];

        IReadOnlyList<TaskResponse> With(Func<RareLatency, double> end) =>
            Schedulability.Of(question.Tasks, task => end(rare[task]), mean);
    }

    private static string WhyNot(MeasuredTail tail, PeriodicTask task, RareLatency rare, ForecastQuestion question)
    {
        string permitted = Times.Text(question.PermittedNs);
        if (rare.HighNs is { } high)
        {
            return $"a wait that is exceeded once in {permitted} takes {Times.Text(rare.LowNs ?? 0)} to {Times.Text(high)}, and it keeps "
                + "up with the shorter only: record longer, or permit more";
        }

        string times = Counted.Of((long)(question.PermittedNs / task.Buffering.BufferNs), "time");
        return $"one dropout in {permitted} is permitted, in which it waits {times}, and {Counted.Of(tail.Waits, "wait")} measured "
            + $"are not enough for that: record waits every {Times.Text((long)task.Buffering.BufferNs)} for three times as long, or permit "
            + "more";
    }

    /// <summary>The tasks where the rare latency that the pseudo worst case is made of is not known.</summary>
    /// <param name="why">Why not, as a sentence without a full stop.</param>
    public static IReadOnlyList<TaskForecast> Refused(string why, ForecastQuestion question) =>
        [.. question.Tasks.OrderBy(task => task.Buffering.BufferNs).Select(task => Of(task) with { Refusal = why })];

    private static Duration? DurationOf(long? ns) => ns is { } known ? new Duration(known) : null;

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
