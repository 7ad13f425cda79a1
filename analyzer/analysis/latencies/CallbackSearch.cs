using Tracer.Analysis.Beats;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Finds the periodic threads, and how the intervals between their wake-ups are distributed (Jones &amp; Regehr 3.2, Table 2).
/// </summary>
internal static class CallbackSearch
{
    /// <summary>Fewest intervals that are shown.</summary>
    private const int FewestIntervals = 20;

    /// <summary>Most threads that are shown; those with most wake-ups.</summary>
    private const int MostShown = 8;

    /// <summary>Most threads whose wake-ups are searched for a beat.</summary>
    private const int MostSearched = 24;

    /// <summary>
    /// The wake-ups fill the time with their period to this part, and do not come more often than by the same: half is missed, or
    /// something else wakes the thread as often.
    /// </summary>
    private const double LeastOfPeriod = 0.6;

    /// <summary>Periods that differ by less than this part of them are one: due times are rounded to the clock that tells them.</summary>
    private const int PeriodsAlike = 20;

    /// <summary>Bins to the period, about: the paper has ten, of 100 us for a period of 1 ms.</summary>
    private const int BinsOfPeriod = 10;

    /// <summary>Most bins that are listed.</summary>
    private const int MostBins = 100;

    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="tick">From one clock tick to the next, in nanoseconds; 0 where the trace does not tell.</param>
    /// <returns>What is told of each thread, and its jobs; none where no record tells of them.</returns>
    public static IReadOnlyList<(CallbackIntervals Told, IReadOnlyList<MeasuredJob> Jobs)> Of(
        CallbackTimes times, TraceFacts facts, TraceClock clock, string trace, long tick)
    {
        List<(CallbackIntervals, IReadOnlyList<MeasuredJob>)> found = [];
        foreach (CallbackThread thread in times.Threads.Where(thread => thread.Ticks.Count > FewestIntervals).Take(MostSearched))
        {
            long[] at = [.. thread.Ticks.Order().Select(clock.NanosecondsFromHeader)];
            if (found.Count < MostShown && PeriodOf(thread, at, clock) is { } period && IsPeriodic(at, period))
            {
                MeasuredJob[] jobs = [.. JobsOf(thread, period, clock)];
                CallbackIntervals told = Intervals(thread, at, period, tick, facts, trace);
                found.Add((jobs.Length == 0 ? told : told with
                {
                    Jobs = jobs.Length,
                    Missed = jobs.Count(job => job.IsMissed),
                    OwnDeadlines = thread.Jobs.Count(job => job.DeadlineTicks is not null),
                    WorstResponse = new Duration(jobs.Max(job => job.ResponseNs)),
                }, jobs));
            }
        }

        return found;
    }

    /// <summary>
    /// The period of the timers whose wake-ups a source measured, as their due times have it, in nanoseconds; null where there is none, or
    /// where they are not of one period.
    /// </summary>
    public static long? TimerPeriod(CallbackTimes times, LatencySource source, TraceClock clock)
    {
        long? period = null;
        foreach (CallbackThread thread in times.Threads.Where(thread => thread.Source == source && thread.DueTicks.Count > FewestIntervals))
        {
            if (PeriodOf(thread, [], clock) is not { } one || (period is { } other && Math.Abs(one - other) > other / PeriodsAlike))
            {
                return null;
            }

            period ??= one;
        }

        return period;
    }

    /// <summary>The period in nanoseconds: that of the due times where they are known, else the beat that the wake-ups keep.</summary>
    private static long? PeriodOf(CallbackThread thread, long[] at, TraceClock clock)
    {
        const double Second = 1e9;
        if (thread.DueTicks.Count == 0)
        {
            return BeatTest.Find([.. at.Select(time => time / Second)]) is { IsClear: true } beat
                ? (long)Math.Round(beat.Seconds * Second)
                : null;
        }

        long[] due = [.. thread.DueTicks.Order().Select(clock.NanosecondsFromHeader)];
        long[] intervals = [.. due.Skip(1).Zip(due, (next, last) => next - last).Order()];
        long median = intervals[intervals.Length / 2];
        if (median <= 0 || intervals.Count(interval => Math.Abs(interval - median) <= median / PeriodsAlike) * 2 <= intervals.Length)
        {
            return null;
        }

        // Over all of them the error of a single due time is nothing.
        double periods = intervals.Sum(interval => Math.Round(interval / (double)median));
        long mean = (long)Math.Round((due[^1] - due[0]) / Math.Max(1, periods));
        return Math.Abs(mean - median) <= median / PeriodsAlike ? mean : median;
    }

    /// <summary>Whether a thread wakes up for little else than its period.</summary>
    private static bool IsPeriodic(long[] at, long period) =>
        at.Length * period > (at[^1] - at[0]) * LeastOfPeriod && at.Length * period * LeastOfPeriod < at[^1] - at[0];

    /// <summary>
    /// The jobs of a thread that keeps a beat: from when it was made ready, or should have been by its wake-up before, where it was late by
    /// less than a beat and it waited by then; of one that comes later nobody knows whether it chose to.
    /// </summary>
    private static IEnumerable<MeasuredJob> JobsOf(CallbackThread thread, long period, TraceClock clock)
    {
        (long ReadyNs, long EndNs)? last = null;
        foreach ((long readyTicks, long endTicks, long? deadlineTicks) in thread.Jobs)
        {
            long ready = clock.NanosecondsFromHeader(readyTicks);
            long end = clock.NanosecondsFromHeader(endTicks);
            long due = last is { } before && ready - before.ReadyNs < 2 * period && before.EndNs <= before.ReadyNs + period
                ? Math.Min(ready, before.ReadyNs + period)
                : ready;
            last = (ready, end);
            long response = end - due;
            if (response >= 0 && response <= HdrLayout.Latencies.Highest)
            {
                yield return new MeasuredJob(due, response, deadlineTicks is { } deadline ? endTicks > deadline : response > period);
            }
        }
    }

    private static CallbackIntervals Intervals(
        CallbackThread thread, long[] at, long period, long tick, TraceFacts facts, string trace)
    {
        long[] lengths = [.. at.Skip(1).Zip(at, (next, last) => next - last)];
        double mean = lengths.Average();
        double deviation = Math.Sqrt(lengths.Average(length => (length - mean) * (length - mean)));
        uint? process = facts.Threads.ProcessOf(thread.ThreadId, thread.Ticks[0]);
        return new CallbackIntervals
        {
            Source = thread.Source,
            Trace = trace,
            Process = process is { } id ? facts.Threads.NameOf(id, thread.Ticks[0]) : null,
            Tid = thread.ThreadId,
            Period = new Duration(period),
            Count = lengths.Length,
            Minimum = new Duration(lengths.Min()),
            Mean = new Duration((long)Math.Round(mean)),
            Maximum = new Duration(lengths.Max()),
            Deviation = new Duration((long)Math.Round(deviation)),
            Bins = BinsOf(lengths, period),
            Clock = tick > 0 ? new Duration(tick) : null,
            Beat = ClockBeat.Sentence(at, period, tick),
        };
    }

    /// <summary>Counts in bins of one width: 1, 2 or 5 times a power of ten, wider where there would be too many.</summary>
    private static IReadOnlyList<LatencyBin> BinsOf(long[] lengths, long period)
    {
        long width = 1;
        for (int step = 0; width * BinsOfPeriod < period; step++)
        {
            width = step % 3 == 1 ? width / 2 * 5 : width * 2;
        }

        while (true)
        {
            var bins = lengths.GroupBy(length => length / width).OrderBy(bin => bin.Key).ToList();
            if (bins.Count <= MostBins)
            {
                return [.. bins.Select(bin => new LatencyBin(
                    new Duration(bin.Key * width), new Duration((bin.Key + 1) * width), bin.Count()))];
            }

            width *= 10;
        }
    }
}
