using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Delays;

/// <summary>Stretches at ISR or DPC level, of CPUs whose switches are not recorded. Ticks are 100 ns, the threshold is 500 us.</summary>
public class LevelProbesTests
{
    private const long Second = 10_000_000;

    [Theory]
    [InlineData(4_999, 0)]
    [InlineData(5_000, 1)]
    public void A_stretch_is_told_from_the_threshold_on(long length, int told)
    {
        var delays = new Told();
        LevelProbes probes = Probes(delays);
        probes.Ran(1_000, 1_000 + length);
        Assert.Empty(delays.Of);
        probes.Complete();
        Assert.Equal(told, delays.Of.Count);
    }

    /// <summary>A routine may still come that contains what ended less than a second ago.</summary>
    [Fact]
    public void What_ended_a_second_ago_is_over()
    {
        var delays = new Told();
        LevelProbes probes = Probes(delays);
        probes.Ran(1_000, 11_000);
        probes.Ran(11_000 + Second - 2, 11_000 + Second - 1);
        Assert.Empty(delays.Of);
        // That is asked once in a quarter of a second.
        probes.Ran(11_000 + (5 * Second / 4) - 2, 11_000 + (5 * Second / 4) - 1);
        Assert.Empty(delays.Of);
        probes.Ran(11_000 + (5 * Second / 4), 11_001 + (5 * Second / 4));
        Delay level = Assert.Single(delays.Of);
        Assert.Equal((0, 1_000L, 11_000L), (level.Cpu, level.FromTicks, level.ToTicks));
    }

    [Fact]
    public void A_routine_around_others_makes_one_of_them()
    {
        var delays = new Told();
        LevelProbes probes = Probes(delays);
        probes.Ran(2_000, 3_000);
        probes.Ran(1_000, 6_000);
        probes.Ran(6_020, 6_100);
        probes.Ran(6_121, 6_200);
        probes.Complete();
        Assert.Equal((1_000L, 6_100L), (Assert.Single(delays.Of).FromTicks, delays.Of[0].ToTicks));
    }

    [Theory]
    [InlineData(11_000, 1)]
    [InlineData(10_999, 0)]
    public void It_is_over_when_its_cpu_runs_a_thread(long at, int told)
    {
        var delays = new Told();
        LevelProbes probes = Probes(delays);
        probes.Ran(1_000, 11_000);
        probes.EndBefore(at);
        Assert.Equal(told, delays.Of.Count);
    }

    private static LevelProbes Probes(Told delays) => new(
        new DelaySettings
        {
            TicksPerSecond = Second,
            ThresholdTicks = 5_000,
            LongestWaitTicks = 60 * Second,
            LevelGapTicks = 20,
            WantsThreads = true,
            WantsHogs = true,
            WantsLevels = true,
            IsVictim = (_, _, _) => true,
            PauseOf = null,
            MeasuredReadies = new MeasuredReadies([]),
            FirstStepsTicks = 1_000,
        },
        0,
        delays);

    private sealed class Told : IDelaySink
    {
        public List<Delay> Of { get; } = [];

        public void Add(Delay delay, long nowTicks) => Of.Add(delay);
    }
}
