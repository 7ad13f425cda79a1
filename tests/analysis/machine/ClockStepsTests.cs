using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>
/// A clock that moves in long steps is told from one that is read seldom. Ticks are 100 ns; steps of more than 50 us are too long here.
/// </summary>
public class ClockStepsTests
{
    private const long Most = 500;
    private const long Step = 10_000;

    [Theory]
    [InlineData(49, false)]
    [InlineData(50, true)]
    public void System_time_in_steps_of_a_millisecond_is_coarse_when_enough_are_seen(int steps, bool isCoarse)
    {
        ClockSteps clock = Made(Enumerable.Range(0, steps + 1).SelectMany(step => Enumerable.Repeat(step * Step, 5)));
        Assert.Equal(isCoarse, clock.Coarse(isSystemTime: true) is not null);
        if (isCoarse)
        {
            Assert.InRange(clock.Coarse(isSystemTime: true)!.Value, Step, Step * 1.02);
        }
    }

    [Theory]
    [InlineData(5, true)]
    [InlineData(6, false)]
    public void One_short_step_in_twenty_is_an_accident(int shortOf100, bool isCoarse)
    {
        long at = 0;
        ClockSteps clock = Made([0, .. Enumerable.Range(0, 100).Select(step => at += step < shortOf100 ? Most : Step)]);
        Assert.Equal(isCoarse, clock.Coarse(isSystemTime: true) is not null);
    }

    /// <summary>CPUs that log seldom see several steps at once: the least is the clock's, unless it is far from the usual ones.</summary>
    [Theory]
    [InlineData(9_850, 9_850)]
    [InlineData(9_000, 10_111)]
    public void The_step_is_told_exactly(long least, long told)
    {
        long at = 0;
        ClockSteps one = Made([0, at += least, .. Enumerable.Range(0, 60).Select(_ => at += Step)]);
        ClockSteps sum = Made([0, .. Enumerable.Range(1, 60).Select(step => step * 3 * Step)]);
        sum.Add(one);
        Assert.Equal(told, sum.Coarse(isSystemTime: true));
        Assert.Null(Made([]).Coarse(isSystemTime: true));
    }

    [Fact]
    public void A_fine_system_time_is_not_coarse() =>
        Assert.Null(Made(Enumerable.Range(0, 1_000).Select(step => step * 30L)).Coarse(isSystemTime: true));

    [Theory]
    [InlineData(4, false)]
    [InlineData(5, true)]
    public void Of_the_performance_counter_most_events_must_share_their_time(int eventsOfStep, bool isCoarse)
    {
        // With five at each time four of five share that of the one before; one more makes up for the first of all.
        IEnumerable<long> times = Enumerable.Range(0, 100).SelectMany(step => Enumerable.Repeat(step * Step, eventsOfStep));
        Assert.Equal(isCoarse, Made([.. times, 99 * Step]).Coarse(isSystemTime: false) is not null);
    }

    [Fact]
    public void Times_that_go_back_are_no_steps() =>
        Assert.Null(Made([.. Enumerable.Range(0, 1_000).Select(step => -step * Step), long.MaxValue]).Coarse(isSystemTime: true));

    private static ClockSteps Made(IEnumerable<long> times)
    {
        var steps = new ClockSteps(Most);
        foreach (long time in times)
        {
            steps.Take(time);
        }

        return steps;
    }
}
