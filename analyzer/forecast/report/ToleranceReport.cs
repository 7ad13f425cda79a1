namespace Tracer.Forecast;

internal readonly record struct ToldApplication(AskedApplication Asked, ToleranceForecast Told);

/// <summary>What a report says of applications.</summary>
internal static class ToleranceReport
{
    /// <summary>Points of the curve of figures 6 and 7: 2 to 9 buffers, beyond which an application has none of Table 1.</summary>
    private const int CurvePoints = 8;

    /// <summary>Each application that is asked about, in its order; none where nothing was measured.</summary>
    /// <param name="perCpu">The series of each CPU, for the replay; empty where there is none.</param>
    /// <param name="law">The law of the tail; null where there is none.</param>
    public static IReadOnlyList<ToldApplication> Of(
        ICountedTail tail, IReadOnlyList<LatencySeries> perCpu, ForecastQuestion question, TailLaw? law)
    {
        List<ToldApplication> told = [];
        foreach (AskedApplication asked in question.Applications)
        {
            if (Of(tail, perCpu, asked, question, law) is { } one)
            {
                told.Add(new ToldApplication(asked, one));
            }
        }

        return told;
    }

    private static ToleranceForecast? Of(
        ICountedTail tail, IReadOnlyList<LatencySeries> perCpu, AskedApplication asked, ForecastQuestion question, TailLaw? law)
    {
        Buffering buffering = asked.Buffering;
        if (Dropouts.Of(tail, buffering) is not { } dropouts)
        {
            return null;
        }

        ReplayForecast? replay = ReplayOf(perCpu, buffering, question.Unit);
        if (replay is { Refusal: null })
        {
            dropouts = dropouts.AgreedWith(replay.Cycles!.Value * (double)replay.Covered!.Value, replay.Missed!.Value);
        }

        TailPromise promise = dropouts.Late > 0 || dropouts.IsReplayed ? default
            : TailPromise.Of(tail, buffering, law, [.. question.Usage.Times.Select(time => time.UseNs)], question.Unit);
        return new ToleranceForecast
        {
            Name = asked.Name,
            Buffers = buffering.Buffers,
            Buffer = DurationOf(buffering.BufferNs)!.Value,
            Compute = DurationOf(buffering.ComputeNs)!.Value,
            Tolerance = DurationOf(buffering.ToleranceNs)!.Value,
            Slack = DurationOf(buffering.SlackNs)!.Value,
            Late = dropouts.Late,
            OnceInWaits = dropouts.Late == 0 ? null : Digits((double)dropouts.Waits / dropouts.Late),
            Every = dropouts.Late == 0 ? null : DurationOf(UnderrunTime.EveryNs(tail.Above(buffering.SlackNs), buffering.BufferNs)),
            DropoutsPerHour = Digits(dropouts.PerHour),
            LowPerHour = Digits(dropouts.LowPerHour),
            HighPerHour = Digits(dropouts.HighPerHour),
            Dispersion = dropouts.Dispersion is { } dispersion ? Digits(dispersion) : null,
            Underrun = DurationOf(UnderrunTime.MeanNs(tail, buffering)),
            Curve = [.. Enumerable.Range(2, CurvePoints).Select(n => buffering with { Buffers = n }).Select(more => new UnderrunPoint(
                more.Buffers, DurationOf(more.ToleranceNs)!.Value, DurationOf(UnderrunTime.MeanNs(tail, more))))],
            ByReplay = dropouts.IsReplayed,
            Replay = replay,
            Sentence = DropoutSentence.Of(asked.Name, dropouts, promise, question.Unit),
        };
    }

    private static ReplayForecast? ReplayOf(IReadOnlyList<LatencySeries> cpus, Buffering buffering, string unit)
    {
        if (cpus.Count == 0)
        {
            return null;
        }

        double observed = Math.Max(1.0, cpus.Sum(cpu => (double)cpu.ObservedNs));
        double covered = cpus.Sum(cpu => cpu.Spacing.Covered(buffering.BufferNs) * cpu.ObservedNs) / observed;
        var above = new Duration(Math.Max(0, cpus.Max(cpu => cpu.PeaksAboveNs)));
        if (covered < DeadlineReplay.LeastCovered)
        {
            return new ReplayForecast(null, null, null, above, Math.Round((decimal)covered, 4), string.Create(
                CultureInfo.InvariantCulture,
                $"{unit}s follow each other within {Times.Text((long)buffering.BufferNs)} in {covered:0 %} of ")
                + $"the time, and nobody saw what was between them: record {unit}s every {Times.Text((long)buffering.BufferNs)}");
        }

        ReplayResult[] results = [.. cpus.SelectMany(cpu => cpu.Sessions.Select(session =>
            DeadlineReplay.Of(BusyTimes.Of(cpu, session), session.StartNs, session.EndNs, buffering)))];
        return new ReplayForecast(
            results.Sum(result => result.Cycles),
            results.Sum(result => result.Missed),
            new Duration(results.Max(result => result.WorstNs)),
            above,
            Math.Round((decimal)covered, 4),
            null);
    }

    /// <summary>Four digits: more would claim more than a count tells.</summary>
    private static decimal Digits(double number)
    {
        if (number <= 0)
        {
            return 0;
        }

        int decimals = Math.Clamp(3 - (int)Math.Floor(Math.Log10(number)), 0, 15);
        return Math.Round((decimal)Math.Min(number, 1e18), decimals);
    }

    /// <summary>Null where it is beyond any time.</summary>
    private static Duration? DurationOf(double ns) => ns < 9e18 ? new Duration((long)Math.Round(ns)) : null;
}
