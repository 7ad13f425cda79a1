using Tracer.Analysis.Latencies;

namespace Tracer.Analysis.Tests.Latencies;

public class ClockBeatTests
{
    private const long Period = 1_000_000;

    /// <summary>Jones &amp; Regehr 4.1: the clock ticks 1,024 times a second: 2.4 % of the callbacks wait for one tick more.</summary>
    [Theory]
    [InlineData(976_562)]
    [InlineData(0)]
    public void A_timer_that_drifts_through_the_ticks_is_found(long told)
    {
        string? sentence = ClockBeat.Sentence(Served(976_562, Period, 4000), Period, told);
        Assert.NotNull(sentence);
        Assert.Contains("2.4 % of the intervals are 2 ticks long and the others 1", sentence);
        Assert.StartsWith("The clock ticks every 977 us, 1.024 times in the 1 ms that the timer asks for, and the two beat ", sentence);
        Assert.Contains("beat against each other every 41.7 ms: ", sentence);
        Assert.EndsWith(", and the rarer come with that beat.", sentence);
    }

    /// <summary>Late callbacks hide some of the long intervals and make others; most still come with the beat.</summary>
    [Fact]
    public void A_beat_among_late_callbacks_is_found()
    {
        var random = new Random(7);
        long[] at = [.. Served(976_562, Period, 2000).Where(_ => random.Next(200) != 0)];
        Assert.EndsWith(", and the rarer come with that beat.", ClockBeat.Sentence(at, Period, 976_562));
    }

    /// <summary>As many long intervals, but at random: both periods and their beat are told, and not that anything comes with it.</summary>
    [Fact]
    public void Long_intervals_at_random_keep_no_beat()
    {
        for (int seed = 0; seed < 20; seed++)
        {
            var random = new Random(seed);
            long at = 0;
            long[] times = [.. Enumerable.Range(0, 2000).Select(_ => at += 976_562 * (random.Next(1000) < 24 ? 2 : 1))];
            string? sentence = ClockBeat.Sentence(times, Period, 976_562);
            Assert.DoesNotContain("come with that beat", sentence ?? "");
        }
    }

    /// <summary>
    /// The timer of NT 4.0 with HALMPS (Jones &amp; Regehr, Table 2): half of the intervals are next to nothing, half two ticks.
    /// </summary>
    [Fact]
    public void A_timer_that_catches_up_is_found()
    {
        long[] at = [.. Enumerable.Range(0, 2000).Select(i => ((i / 2) * 2 * 976_562L) + ((i % 2) * 30_000))];
        Assert.Contains("50 % of the callbacks come right after the one before", ClockBeat.Sentence(at, Period, 976_562));
    }

    [Fact]
    public void A_timer_on_the_ticks_has_no_beat() => Assert.Null(ClockBeat.Sentence(Served(500_000, Period, 2000), Period, 500_000));

    [Fact]
    public void Intervals_that_spread_are_no_ticks()
    {
        var random = new Random(5);
        long at = 0;
        long[] times = [.. Enumerable.Range(0, 2000).Select(_ => at += Period - 300_000 + random.Next(600_000))];
        Assert.Null(ClockBeat.Sentence(times, Period, 0));
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Few_callbacks_tell_nothing(int count) => Assert.Null(ClockBeat.Sentence(Served(976_562, Period, count), Period, 0));

    /// <summary>A timer that is due each period is served with the first tick from then on, with a little noise.</summary>
    private static long[] Served(long tick, long period, int count)
    {
        var random = new Random(3);
        return [.. Enumerable.Range(1, count).Select(i => ((((i * period) + tick - 1) / tick) * tick) + random.Next(5_000))];
    }
}
