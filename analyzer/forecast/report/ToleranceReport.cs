namespace Tracer.Forecast;

/// <summary>An application and what is told of it.</summary>
internal readonly record struct ToldApplication(AskedApplication Asked, ToleranceForecast Told);

/// <summary>What a report says of applications.</summary>
internal static class ToleranceReport
{
    /// <summary>Points of the curve of figures 6 and 7: 2 to 9 buffers, beyond which an application has none of Table 1.</summary>
    private const int CurvePoints = 8;

    /// <summary>Each application that is asked about, in its order; none where nothing was measured.</summary>
    /// <param name="perCpu">The series of each CPU, for the replay; empty where there is none.</param>
    /// <param name="levels">Levels of extreme-value theory; null where there are none.</param>
    public static IReadOnlyList<ToldApplication> Of(
        ICountedTail tail, IReadOnlyList<LatencySeries> perCpu, ForecastQuestion question, ReturnLevels? levels)
    {
        List<ToldApplication> told = [];
        foreach (AskedApplication asked in question.Applications)
        {
            if (Of(tail, perCpu, asked, levels) is { } one)
            {
                told.Add(new ToldApplication(asked, one));
            }
        }

        return told;
    }

    private static ToleranceForecast? Of(
        ICountedTail tail, IReadOnlyList<LatencySeries> perCpu, AskedApplication asked, ReturnLevels? levels)
    {
        Buffering buffering = asked.Buffering;
        if (Dropouts.Of(tail, buffering) is not { } dropouts)
        {
            return null;
        }

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
            Replay = ReplayOf(perCpu, buffering),
            Sentence = DropoutSentence.Of(asked.Name, dropouts, levels),
        };
    }

    private static ReplayForecast? ReplayOf(IReadOnlyList<LatencySeries> cpus, Buffering buffering)
    {
        if (cpus.Count == 0)
        {
            return null;
        }

        ReplayResult[] results = [.. cpus.SelectMany(cpu => cpu.Sessions.Select(session =>
            DeadlineReplay.Of(BusyTimes.Of(cpu, session), session.StartNs, session.EndNs, buffering)))];
        return new ReplayForecast(
            results.Sum(result => result.Cycles),
            results.Sum(result => result.Missed),
            new Duration(results.Max(result => result.WorstNs)),
            new Duration(Math.Max(0, cpus.Max(cpu => cpu.PeaksAboveNs))));
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
