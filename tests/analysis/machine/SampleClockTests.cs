using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>When samples are due, and how late one must be before that tells something. Ticks are 100 ns, the interval is 1 ms.</summary>
public class SampleClockTests
{
    private const long Interval = 10_000;
    private const long LeastTolerance = 500;

    /// <summary>An eighth of the interval.</summary>
    private const long Tolerance = 1_250;

    /// <summary>Half as much again as the least tolerance: nothing is so quiet that less lateness counts.</summary>
    private const long LeastJitter = 750;

    [Fact]
    public void A_sample_that_is_missing_was_due_an_interval_after_the_last()
    {
        SampleClock clock = Sampled(10, _ => 0);
        Assert.Null(clock.FirstMissed(10 * Interval, (11 * Interval) + Tolerance));
        Assert.Equal(11 * Interval, clock.FirstMissed(10 * Interval, (11 * Interval) + Tolerance + 1));
        // Another record came in between: what was due before it may have been that record.
        Assert.Equal(12 * Interval, clock.FirstMissed((11 * Interval) + 5_000, (13 * Interval) + 1));
    }

    [Fact]
    public void Without_an_interval_nothing_is_missing_until_it_is_learnt()
    {
        var clock = new SampleClock(0, LeastTolerance);
        for (int i = 1; i < 48; i++)
        {
            clock.Sampled(i * Interval);
        }

        Assert.Equal(0, clock.IntervalTicks);
        Assert.Null(clock.FirstMissed(47 * Interval, 100 * Interval));
        // One idle stretch more does not make it longer.
        clock.Sampled(60 * Interval);
        clock.Sampled(61 * Interval);
        Assert.Equal(Interval, clock.IntervalTicks);
    }

    [Fact]
    public void Before_enough_samples_came_jitter_is_what_it_may_be_at_most()
    {
        Assert.Equal(Tolerance, new SampleClock(Interval, LeastTolerance).JitterTicks);
        Assert.Equal(Tolerance, Sampled(256, _ => 0).JitterTicks);
        Assert.Equal(LeastJitter, Sampled(257, _ => 0).JitterTicks);
    }

    [Theory]
    [InlineData(100, LeastJitter, LeastJitter)]
    [InlineData(200, 4 * 200, 4 * 220)]
    [InlineData(300, 4 * 300, Tolerance)]
    [InlineData(900, Tolerance, Tolerance)]
    public void Four_times_the_usual_deviation_is_late_within_limits(int deviation, long least, long most) =>
        Assert.InRange(Sampled(300, i => i % 2 == 0 ? deviation : 0).JitterTicks, least, most);

    [Theory]
    [InlineData(2, LeastJitter, LeastJitter)]
    [InlineData(3, 4 * 240, Tolerance)]
    public void One_in_a_hundred_may_deviate_by_more(int outliers, long least, long most) =>
        // From the hundredth on so many come 25 us later each, and then they keep that.
        Assert.InRange(Sampled(257, i => Math.Clamp(i - 100, 0, outliers) * 250).JitterTicks, least, most);

    [Fact]
    public void Another_interval_forgets_what_was_usual()
    {
        SampleClock clock = Sampled(300, _ => 0);
        clock.SetInterval(0, Interval / 8);
        Assert.Equal((Interval / 8, LeastTolerance, LeastTolerance), (clock.IntervalTicks, clock.ToleranceTicks, clock.JitterTicks));
        Assert.Null(clock.FirstMissed(300 * Interval, 400 * Interval));
    }

    [Fact]
    public void One_late_sample_leaves_the_beat_and_two_that_agree_set_it_anew()
    {
        SampleClock clock = Sampled(20, _ => 0);
        clock.Sampled((21 * Interval) + 7_000);
        Assert.Equal(20 * Interval, clock.BeatTicks);
        clock.Sampled(22 * Interval);
        Assert.Equal(22 * Interval, clock.BeatTicks);

        clock.Sampled((23 * Interval) + 4_000);
        clock.Sampled((24 * Interval) + 4_000);
        Assert.Equal((24 * Interval) + 4_000, clock.BeatTicks);
        Assert.True(SampleClock.IsOnBeat((30 * Interval) + 4_000, clock.BeatTicks, Interval, clock.ToleranceTicks));
        Assert.False(SampleClock.IsOnBeat(30 * Interval, clock.BeatTicks, Interval, clock.ToleranceTicks));
    }

    [Fact]
    public void Times_far_apart_do_no_harm()
    {
        var clock = new SampleClock(Interval, LeastTolerance);
        clock.Sampled(long.MinValue + 1);
        clock.Sampled(long.MaxValue);
        clock.Sampled(5);
        Assert.Null(clock.FirstMissed(0, 5));
    }

    private static SampleClock Sampled(int samples, Func<int, long> deviation)
    {
        var clock = new SampleClock(Interval, LeastTolerance);
        for (int i = 1; i <= samples; i++)
        {
            clock.Sampled((i * Interval) + deviation(i));
        }

        return clock;
    }
}
