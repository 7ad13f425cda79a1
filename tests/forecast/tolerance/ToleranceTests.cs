namespace Tracer.Forecast.Tests;

/// <summary>What an application can bear of what was measured.</summary>
public class ToleranceTests
{
    private const long Ms = 1_000_000;
    private const long HourNs = 3_600_000_000_000;

    /// <summary>The issue's own sentence: 62 late waits in 20 h, one wait a period, are 3.1 an hour, 2.4 to 4.0.</summary>
    [Fact]
    public void Dropouts_have_the_exact_interval_of_a_count()
    {
        Dropouts dropouts = Measured(20, 62, period: 1e8, spread: true);
        Assert.Equal(62, dropouts.Late);
        Assert.Equal(1, dropouts.Dispersion);
        Assert.Equal([3.1, 2.4, 4.0],
            new[] { dropouts.PerHour, dropouts.LowPerHour, dropouts.HighPerHour }.Select(rate => Math.Round(rate, 1)));
    }

    /// <summary>And the other half of it: none in 2 h is at most 1.5 an hour.</summary>
    [Fact]
    public void None_is_at_most_so_many()
    {
        Dropouts dropouts = Measured(2, 0, period: 1e8, spread: true);
        Assert.Equal((0, 0, 1.5), (dropouts.PerHour, dropouts.LowPerHour, Math.Round(dropouts.HighPerHour, 1)));
    }

    /// <summary>What a musician reads; of a hundred waits nothing, however good they were.</summary>
    [Theory]
    [InlineData(20, 62, 1e8, "64 samples: 3.1 dropouts an hour (2.4 to 4.0)")]
    [InlineData(2, 0, 1e8, "64 samples: none in the 2 h measured (at most 1.5 an hour)")]
    [InlineData(1, 0, 3.6e10, "64 samples: not known from 100 waits; it takes 1,000 waits, so record longer")]
    public void The_sentence_says_how_often_and_how_sure(int hours, int late, double period, string sentence)
    {
        Assert.Equal(sentence, DropoutSentence.Of("64 samples", Measured(hours, late, period, spread: true), default, "wait"));
    }

    /// <summary>Ten bursts of ten are worth ten events, not a hundred.</summary>
    [Fact]
    public void Bursts_widen_the_interval()
    {
        Dropouts alone = Measured(10, 100, period: 1e8, spread: true);
        Dropouts bursts = Measured(10, 100, period: 1e8, spread: false);
        Assert.Equal(alone.PerHour, bursts.PerHour);
        Assert.InRange(bursts.Dispersion ?? 0, 9.9, 30);
        Assert.True(bursts.HighPerHour - bursts.LowPerHour > 2.5 * (alone.HighPerHour - alone.LowPerHour));
    }

    [Theory]
    [InlineData(1, 10, 1, "two buffers")]
    [InlineData(0, 10, 1, "two buffers")]
    [InlineData(2000, 10, 1, "1,024 buffers are the most")]
    [InlineData(3, 0, 0, "some time")]
    [InlineData(3, 10, 10, "never keeps up")]
    [InlineData(3, 10, 11, "never keeps up")]
    [InlineData(3, 10, -1, "negative")]
    public void What_is_no_buffering_is_refused(int buffers, double buffer, double compute, string says) =>
        Assert.Contains(says, new Buffering(buffers, buffer * Ms, compute * Ms).Problem);

    [Fact]
    public void The_papers_three_buffers_of_ten_milliseconds()
    {
        var buffering = new Buffering(3, 10 * Ms, 2.5 * Ms);
        Assert.Null(buffering.Problem);
        Assert.Equal((20.0 * Ms, 17.5 * Ms), (buffering.ToleranceNs, buffering.SlackNs));
        Assert.Equal(2_666_666.67, Buffering.SamplesNs(128, 48_000), 2);
    }

    /// <summary>A latency of exactly the slack is in time; below the kept peaks the histogram counts, from the bucket's top.</summary>
    [Fact]
    public void Late_is_what_takes_longer_than_the_slack()
    {
        var recording = new LatencyRecording(0, peaks: 4);
        var histogram = new HdrHistogram(new HdrLayout(1, HourNs, 3));
        for (int i = 1; i <= 1000; i++)
        {
            recording.Add(i * Ms, i * 1000);
            histogram.Record(i * 1000);
        }

        var tail = new MeasuredTail(recording.End(1000 * Ms), histogram);
        Assert.Equal(0, tail.CountAbove(1_000_000));
        Assert.Equal(1, tail.CountAbove(999_999.5));
        Assert.Equal(1, tail.CountAbove(999_000));
        Assert.Equal(2, tail.CountAbove(998_999));
        Assert.InRange(tail.CountAbove(500_000), 500, 501);
        Assert.Equal(1000, tail.CountAbove(-1));
    }

    /// <summary>Where only the histogram is known: the same count, the interval of waits that come alone, and a word about it.</summary>
    [Fact]
    public void A_histogram_alone_tells_dropouts()
    {
        var histogram = new HdrHistogram(new HdrLayout(1, HourNs, 3));
        histogram.Record(1000, 72_000 * 10 - 62);
        histogram.Record(200 * Ms, 62);
        var tail = new HistogramTail(histogram, 20 * HourNs);
        Dropouts dropouts = Dropouts.Of(tail, new Buffering(2, 1e8, 0))!;
        Dropouts known = Measured(20, 62, period: 1e8, spread: true);
        Assert.Null(dropouts.Dispersion);
        Assert.Equal((known.PerHour, known.LowPerHour, known.HighPerHour), (dropouts.PerHour, dropouts.LowPerHour, dropouts.HighPerHour));
        Assert.Equal(
            "64 samples: 3.1 dropouts an hour (2.4 to 4.0 if late waits come alone)",
            DropoutSentence.Of("64 samples", dropouts, default, "wait"));
        Assert.Equal((0, 62, 720_000), (tail.CountAbove(200 * Ms), tail.CountAbove(199 * Ms), tail.CountAbove(-1)));
        Assert.Null(Dropouts.Of(new HistogramTail(new HdrHistogram(HdrLayout.Latencies), HourNs), new Buffering(2, 1e8, 0)));
    }

    /// <summary>The issue's own sentence: sizes that are asked for together stand in one.</summary>
    [Fact]
    public void Sizes_stand_in_one_sentence()
    {
        AskedApplication[] asked =
        [
            new("64 samples at 48 kHz", new Buffering(2, 1e8, 0)),
            new("128 samples at 48 kHz", new Buffering(3, 2e8, 0), "128"),
            new("modem", new Buffering(2, 1e8, 0)),
        ];
        LatencyForecast forecast = MergedForecast.Of(
            new MergedLatencies(LatencyKind.Thread, LatencySource.Driver, null, new HistogramTail(Histogram(720_000), 20 * HourNs)),
            new ForecastQuestion { Applications = asked });
        Assert.Equal(
            [
                "64 samples at 48 kHz: 3.1 dropouts an hour (2.4 to 4.0 if late waits come alone); "
                    + "128: none in the 20 h measured (at most 0.075 an hour if late waits come alone)",
                "modem: 3.1 dropouts an hour (2.4 to 4.0 if late waits come alone)",
            ],
            forecast.Sentences);
        Assert.Equal(["dropouts: not known from 999 waits; it takes 1,000 waits, so record longer"], MergedForecast.Of(
            new MergedLatencies(LatencyKind.Thread, LatencySource.Driver, null, new HistogramTail(Histogram(999), 20 * HourNs)),
            new ForecastQuestion { Applications = asked }).Sentences);

        static HdrHistogram Histogram(long waits)
        {
            var histogram = new HdrHistogram(new HdrLayout(1, HourNs, 3));
            histogram.Record(1000, waits - 62);
            histogram.Record(200 * Ms, 62);
            return histogram;
        }
    }

    /// <summary>Two tasks by hand: R1 = 2 + 1 = 3; R2 = 4 + 1 + ceil(R2 / 10) 2 = 7.</summary>
    [Fact]
    public void Response_times_are_those_of_the_recurrence()
    {
        PeriodicTask slow = new("slow", new Buffering(2, 30 * Ms, 4 * Ms));
        PeriodicTask fast = new("fast", new Buffering(2, 10 * Ms, 2 * Ms));
        IReadOnlyList<TaskResponse> responses = Schedulability.Of([slow, fast], _ => 1 * Ms, 0);
        Assert.Equal([("fast", 3.0 * Ms), ("slow", 7.0 * Ms)],
            responses.Select(response => (response.Task.Name, response.ResponseNs!.Value)));
    }

    /// <summary>R = 10 + 5 + ceil(R / 10) 4 reaches 27 by 15, 23, 27.</summary>
    [Fact]
    public void A_task_waits_for_each_release_of_the_one_above()
    {
        PeriodicTask fast = new("fast", new Buffering(2, 10 * Ms, 4 * Ms));
        PeriodicTask slow = new("slow", new Buffering(2, 27 * Ms, 10 * Ms));
        PeriodicTask hasty = new("hasty", new Buffering(2, 26 * Ms, 10 * Ms));
        Assert.Equal(27.0 * Ms, Schedulability.Of([fast, slow], _ => 5 * Ms, 0)[1].ResponseNs);
        Assert.Null(Schedulability.Of([fast, hasty], _ => 5 * Ms, 0)[1].ResponseNs);
    }

    [Fact]
    public void Tasks_that_ask_for_more_than_there_is_do_not_keep_up()
    {
        PeriodicTask one = new("one", new Buffering(2, 10 * Ms, 6 * Ms));
        PeriodicTask two = new("two", new Buffering(2, 11 * Ms, 6 * Ms));
        Assert.Null(Schedulability.Of([one, two], _ => 0, 0)[1].ResponseNs);
    }

    /// <summary>A long latency costs less the more buffers there are to catch up.</summary>
    [Fact]
    public void The_pseudo_worst_case_spreads_a_long_latency()
    {
        Assert.Equal(20, Schedulability.PseudoWorstNs(20, 1, 2));
        Assert.Equal(10.5, Schedulability.PseudoWorstNs(20, 1, 3));
        Assert.Equal(7.333, Schedulability.PseudoWorstNs(20, 1, 4), 3);
    }

    [Fact]
    public void A_free_cpu_misses_nothing()
    {
        ReplayResult result = DeadlineReplay.Of([], 0, 1000 * Ms, new Buffering(2, 10 * Ms, 3 * Ms));
        Assert.InRange(result.Cycles, 8 * 98, 8 * 100);
        Assert.Equal((0, 3 * Ms), (result.Missed, result.WorstNs));
    }

    /// <summary>
    /// One blackout of 35 ms: a computation of 3 ms each 10 ms with two buffers misses those that were due in it, at every phase.
    /// </summary>
    [Fact]
    public void A_blackout_costs_the_buffers_that_it_covers()
    {
        BusySpan[] stop = [new(500 * Ms, 535 * Ms)];
        ReplayResult two = DeadlineReplay.Of(stop, 0, 1000 * Ms, new Buffering(2, 10 * Ms, 3 * Ms));
        ReplayResult four = DeadlineReplay.Of(stop, 0, 1000 * Ms, new Buffering(4, 10 * Ms, 3 * Ms));
        ReplayResult six = DeadlineReplay.Of(stop, 0, 1000 * Ms, new Buffering(6, 10 * Ms, 3 * Ms));
        Assert.InRange(two.Missed, 8 * 3, 8 * 5);
        Assert.InRange(four.Missed, 1, 8 * 2);
        Assert.Equal(0, six.Missed);
        Assert.InRange(two.WorstNs, 35 * Ms, 38 * Ms);
    }

    /// <summary>Half of the time taken in small pieces makes a computation twice as long, and no more.</summary>
    [Fact]
    public void A_computation_runs_between_the_pieces()
    {
        BusySpan[] pieces = [.. Enumerable.Range(0, 2000).Select(i => new BusySpan(i * Ms, i * Ms + Ms / 2))];
        ReplayResult result = DeadlineReplay.Of(pieces, 0, 2000 * Ms, new Buffering(2, 10 * Ms, 3 * Ms));
        Assert.Equal(0, result.Missed);
        Assert.InRange(result.WorstNs, 5 * Ms, 6 * Ms + Ms / 2);
        Assert.True(DeadlineReplay.Of(pieces, 0, 2000 * Ms, new Buffering(2, 10 * Ms, 6 * Ms)).Missed > 0);
    }

    /// <summary>Buffers that are counted together are those that one by one would have been counted.</summary>
    [Theory]
    [InlineData(2, 10, 3)]
    [InlineData(2, 10, 9)]
    [InlineData(5, 2, 1)]
    [InlineData(3, 4, 0)]
    public void Buffers_counted_together_are_those_counted_one_by_one(int buffers, int period, int compute)
    {
        var buffering = new Buffering(buffers, period * Ms, compute * Ms);
        var random = new Random(24);
        List<BusySpan> busy = [];
        for (long at = 0; at < 60_000 * Ms;)
        {
            long from = at + random.NextInt64(random.Next(4) == 0 ? 3000 * Ms : 20 * Ms);
            at = from + 1 + random.NextInt64(random.Next(8) == 0 ? 900 * Ms : 2 * Ms);
            busy.Add(new BusySpan(from, at));
        }

        long end = busy[^1].ToNs + 5000 * Ms;
        (long Cycles, long Missed, double Worst) slow = (0, 0, 0);
        for (int phase = 0; phase < 8; phase++)
        {
            double first = buffering.BufferNs * phase / 8;
            double now = first;
            for (int cycle = 0; first + cycle * buffering.BufferNs + buffering.ToleranceNs <= end; cycle++)
            {
                double due = first + cycle * buffering.BufferNs;
                now = Math.Max(now, due);
                double left = buffering.ComputeNs;
                foreach (BusySpan span in busy.Where(span => span.ToNs > now))
                {
                    if (left > 0 ? span.FromNs >= now + left : span.FromNs > now)
                    {
                        break;
                    }

                    left -= Math.Max(0, span.FromNs - now);
                    now = span.ToNs;
                }

                now += left;
                slow = (slow.Cycles + 1, slow.Missed + (now - due > buffering.ToleranceNs ? 1 : 0), Math.Max(slow.Worst, now - due));
            }
        }

        ReplayResult fast = DeadlineReplay.Of(busy, 0, end, buffering);
        Assert.True(fast.Missed > 0);
        Assert.Equal((slow.Cycles, slow.Missed), (fast.Cycles, fast.Missed));
        Assert.InRange(fast.WorstNs, slow.Worst - 1, slow.Worst + 1);
    }

    /// <summary>Damaged times make a session last for decades: what that costs is what its waits cost.</summary>
    [Fact]
    public void A_replay_of_decades_takes_no_longer_than_its_waits()
    {
        const long Decades = long.MaxValue / 4;
        BusySpan[] hours = [new(10 * HourNs, 20 * HourNs), new(Decades / 2, Decades / 2 + 1000 * HourNs)];
        ReplayResult result = DeadlineReplay.Of(hours, 0, Decades, new Buffering(2, Ms, Ms / 2));
        Assert.InRange(result.Cycles, Decades / Ms * 8 - 100, Decades / Ms * 8 + 100);

        // What was due in the hours is late, and so is what was due while that was caught up, for as long again.
        Assert.InRange(result.Missed, 8 * 1.99 * 1010 * HourNs / Ms, 8 * 2.01 * 1010 * HourNs / Ms);
    }

    /// <summary>Hours of waits one period apart, of which some take 200 ms.</summary>
    private static Dropouts Measured(int hours, int late, double period, bool spread)
    {
        long waits = (long)Math.Round(hours * HourNs / period);
        var recording = new LatencyRecording(0);
        var histogram = new HdrHistogram(new HdrLayout(1, HourNs, 3));
        histogram.Record(1000, waits - late);
        histogram.Record(200 * Ms, late);
        HashSet<long> lateOnes = [.. Enumerable.Range(0, late).Select(i => spread
            ? (i + 1L) * waits / (late + 1)
            : (i / 10 + 1L) * waits / (late / 10 + 1) + i % 10)];
        for (long i = 0; i < waits; i++)
        {
            recording.Add((long)(i * period), lateOnes.Contains(i) ? 200 * Ms : 1000);
        }

        return Dropouts.Of(new MeasuredTail(recording.End(hours * HourNs, (long)period), histogram), new Buffering(2, period, 0))!;
    }
}
