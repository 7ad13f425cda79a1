using Tracer.Analysis.Beats;

namespace Tracer.Analysis.Tests.Beats;

/// <summary>Whether other times keep a beat that was found, and whether others come in step with it.</summary>
public class BeatKeepingTests
{
    private static readonly Beat Five = BeatTest.Find([.. Enumerable.Range(0, 40).Select(beat => 100 + (beat * 5.0))])!;

    [Fact]
    public void Times_on_the_beat_keep_it()
    {
        BeatKeeping kept = BeatKeeping.Of([.. Enumerable.Range(3, 12).Select(beat => 100.01 + (beat * 5.0))], Five);
        Assert.Equal((BeatAnswer.Keeps, 12, 0, 1.0), (kept.Answer, kept.OnBeat, kept.Beside, kept.Share));
        Assert.InRange(kept.LogChance, -60, -50);
    }

    [Fact]
    public void Another_phase_and_another_period_are_off_it()
    {
        Assert.Equal(BeatAnswer.IsOff, BeatKeeping.Of([.. Enumerable.Range(3, 12).Select(beat => 101.0 + (beat * 5.0))], Five).Answer);
        Assert.Equal(BeatAnswer.IsOff, BeatKeeping.Of([.. Enumerable.Range(3, 12).Select(beat => 100 + (beat * 7.0))], Five).Answer);
    }

    /// <summary>Code that runs without a pause is on every beat, and between any two.</summary>
    [Fact]
    public void Who_always_runs_is_off_it()
    {
        BeatKeeping always = BeatKeeping.Of([.. Enumerable.Range(0, 100_000).Select(at => 100 + (at * 0.002))], Five);
        Assert.Equal(BeatAnswer.IsOff, always.Answer);
        Assert.InRange(always.Share, 0.45, 0.55);
    }

    [Fact]
    public void Few_times_decide_nothing()
    {
        Assert.Equal(BeatAnswer.Undecided, BeatKeeping.Of([], Five).Answer);
        Assert.Equal(BeatAnswer.Undecided, BeatKeeping.Of([105], Five).Answer);
        Assert.Equal(BeatAnswer.Undecided, BeatKeeping.Of([105, 112], Five).Answer);
        Assert.Equal(BeatAnswer.Keeps, BeatKeeping.Of([105, 110], Five).Answer);
        Assert.Equal(BeatAnswer.IsOff, BeatKeeping.Of([107, 112, 118], Five).Answer);
    }

    [Fact]
    public void A_burst_counts_once_and_times_elsewhere_not_at_all()
    {
        double[] burst = [.. Enumerable.Range(0, 50).Select(at => 105 + (at * 0.0001))];
        Assert.Equal((1, 0), (BeatKeeping.Of(burst, Five).OnBeat, BeatKeeping.Of(burst, Five).Beside));
        BeatKeeping elsewhere = BeatKeeping.Of([1, 7.3, 90, 301, 305, double.NaN, double.PositiveInfinity], Five);
        Assert.Equal((BeatAnswer.Undecided, 0.0), (elsewhere.Answer, elsewhere.Share));
    }

    /// <summary>Four in five on the beat keep it; fewer of many do not.</summary>
    [Theory]
    [InlineData(32, 8, BeatAnswer.Keeps)]
    [InlineData(31, 9, BeatAnswer.Undecided)]
    [InlineData(24, 16, BeatAnswer.IsOff)]
    public void Most_must_be_on_it(int on, int beside, object answer)
    {
        double[] times = [.. Enumerable.Range(0, on + beside).Select(beat => 100 + (beat * 5.0) + (beat < on ? 0 : 2))];
        Assert.Equal(answer, BeatKeeping.Of(times, Five).Answer);
    }

    [Fact]
    public void Random_times_never_keep_it()
    {
        for (int seed = 0; seed < 300; seed++)
        {
            var made = new MadeTimes(seed);
            double[] times = [.. Enumerable.Range(0, made.Whole(1, 40)).Select(_ => made.Uniform(100, 295))];
            Assert.NotEqual(BeatAnswer.Keeps, BeatKeeping.Of(times, Five).Answer);
        }
    }

    [Fact]
    public void What_follows_each_event_is_in_step()
    {
        var made = new MadeTimes(1);
        double[] events = made.Beat(5, 20, jitter: 0.02);
        double[] others = [.. events.Select(time => time - 0.003), .. Enumerable.Range(0, 50).Select(_ => made.Uniform(0, 95))];
        InStep? step = InStep.Of(events, others, 5, 0.001);
        Assert.NotNull(step);
        Assert.Equal((20, 20, -0.003), (step.Value.Met, step.Value.Events, Math.Round(step.Value.Distance, 9)));
        Assert.True(step.Value.LogChance < -15);
        Assert.Null(InStep.Of(events, [.. others.Skip(20)], 5, 0.001));
        Assert.Null(InStep.Of(events, [.. events.Take(5)], 5, 0.001));
        Assert.Null(InStep.Of([.. events.Take(5)], events, 5, 0.001));
    }

    /// <summary>What comes all the time is beside everything: with products in place of logarithms its chance was 0.</summary>
    [Theory]
    [InlineData(20)]
    [InlineData(2_000)]
    [InlineData(20_000)]
    public void What_always_comes_is_in_step_with_nothing(int events)
    {
        var made = new MadeTimes(events);
        double[] times = made.Beat(1, events, jitter: 0.01);
        Assert.Null(InStep.Of(times, [.. Enumerable.Range(0, events * 60).Select(at => at / 60.0)], 1, 0.001));
        Assert.Null(InStep.Of(times, made.Renewal(events * 100, one => one.Uniform(0, 0.02)), 1, 0.001));
    }

    [Fact]
    public void Odd_times_are_in_step_with_nothing()
    {
        double[] odd = [double.NaN, double.PositiveInfinity, 1, 1, 1, 1, 1, 1];
        Assert.Null(InStep.Of(odd, odd, 0, 0));
        Assert.Null(InStep.Of(odd, odd, double.NaN, 0.001));
    }
}
