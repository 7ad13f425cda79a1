using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Analysis.Tests.Properties;

/// <summary>A beat is found whatever hides it, and random times have none.</summary>
public class PhaseTestProperties
{
    [Fact]
    public void Six_beats_are_a_beat_and_five_are_none()
    {
        Beat? beat = PhaseTest.Find([1, 6, 11.0003, 16, 20.9998, 26]);
        Assert.NotNull(beat);
        Assert.Equal((5, 6L, 6, 1.0), (Math.Round(beat.Seconds, 3), beat.Beats, beat.BeatsWithEvent, beat.Coverage));
        Assert.InRange(beat.Jitter, 0, 0.0003);
        Assert.InRange(beat.First, 0.999, 1.001);
        Assert.Null(PhaseTest.Find([1, 6, 11, 16, 21]));
        Assert.Null(PhaseTest.Find([]));
        Assert.Null(PhaseTest.Find([3, 3, 3, 3, 3, 3, 3]));
    }

    [Fact]
    public void The_same_times_on_another_scale_have_the_same_beat() => Hold(80, random =>
    {
        double[] times = Beats(random, 7.5, 30, jitter: 0.05, missing: 0.2);
        double scale = Math.Exp((random.NextDouble() * 20) - 10);
        double shift = (random.NextDouble() - 0.5) * 1000 * scale;
        Beat one = PhaseTest.Find(times)!;
        Beat other = PhaseTest.Find([.. times.Select(time => (time * scale) + shift)])!;
        Assert.Equal(one.Seconds, other.Seconds / scale, one.Seconds * 1e-6);
        Assert.Equal(one.Jitter, other.Jitter / scale, one.Seconds * 1e-6);
        Assert.Equal((one.Beats, one.BeatsWithEvent, one.EventsOnBeat), (other.Beats, other.BeatsWithEvent, other.EventsOnBeat));
    });

    [Fact]
    public void Jitter_of_a_tenth_and_two_missing_beats_of_five_hide_no_beat() => Hold(100, random =>
    {
        double period = Math.Exp((random.NextDouble() * 14) - 7);
        double missing = random.NextDouble() * 0.4;
        double[] times = Beats(random, period, 20 + random.Next(100), jitter: random.NextDouble() * 0.1, missing);
        Beat? beat = PhaseTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds / period, 0.99, 1.01);
        double there = times.Length / (1 + Math.Round((times.Max() - times.Min()) / period));
        Assert.InRange(beat.Coverage, 0.75 * there, Math.Min(1, 1.1 * there));
    });

    [Fact]
    public void Random_events_among_the_beats_hide_none() => Hold(100, random =>
    {
        const double Period = 36;
        double[] beats = Beats(random, Period, 40 + random.Next(40), jitter: random.NextDouble() * 0.1, missing: random.NextDouble() * 0.4);
        int others = random.Next(beats.Length / 3);
        double[] times = [.. beats, .. Enumerable.Range(0, others).Select(_ => beats[0] + (random.NextDouble() * (beats[^1] - beats[0])))];
        Beat? beat = PhaseTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds / Period, 0.99, 1.01);
    });

    [Fact]
    public void A_few_exact_beats_stand_out_of_random_events() => Hold(80, random =>
    {
        double[] beats = Beats(random, 5, 12, jitter: 0.0005, missing: 0);
        double[] times = [.. beats, .. Enumerable.Range(0, 5).Select(_ => random.NextDouble() * 60)];
        Beat? beat = PhaseTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds, 4.95, 5.05);
        Assert.InRange(beat.EventsOnBeat, 12, 14);
    });

    /// <summary>Fewer than one in a hundred, over all numbers of events; the seeds are fixed, so the answer is too.</summary>
    [Fact]
    public void Random_times_have_no_beat()
    {
        int found = 0;
        for (int seed = 0; seed < 1200; seed++)
        {
            var random = new Random(seed);
            int events = 6 + random.Next(seed % 3 == 0 ? 100 : 20);
            double at = 0;
            double[] times = [.. Enumerable.Range(0, events).Select(_ => at -= Math.Log(1 - random.NextDouble()))];
            found += PhaseTest.Find(times) is null ? 0 : 1;
        }

        Assert.InRange(found, 0, 11);
    }

    /// <summary>As somebody does it who waits a random time after each: no clock is behind it.</summary>
    [Fact]
    public void Uneven_gaps_of_much_the_same_length_are_hardly_ever_a_beat()
    {
        int found = 0;
        for (int seed = 0; seed < 600; seed++)
        {
            var random = new Random(seed);
            double at = 0;
            double[] times = [.. Enumerable.Range(0, 12 + random.Next(40)).Select(_ => at += 0.5 + random.NextDouble())];
            found += PhaseTest.Find(times) is null ? 0 : 1;
        }

        Assert.InRange(found, 0, 11);
    }

    [Fact]
    public void A_burst_counts_once() => Hold(100, random =>
    {
        double[] beats = Beats(random, 10, 9, jitter: 0.001, missing: 0);
        Beat? beat = PhaseTest.Find([.. beats.SelectMany(time => new[] { time, time + 0.004, time + 0.007 })], burst: 0.006);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds, 9.99, 10.01);
        Assert.Equal((9L, 9, 9), (beat.Beats, beat.BeatsWithEvent, beat.EventsOnBeat));
    });

    [Theory]
    [InlineData(0.1)]
    [InlineData(0.25)]
    [InlineData(1)]
    public void What_only_clock_ticks_show_keeps_its_own_beat(double period)
    {
        const double Tick = 0.015625;
        double[] times = [.. Enumerable.Range(1, 60).Select(beat => Math.Ceiling(beat * period / Tick) * Tick)];
        Beat? beat = PhaseTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds / period, 0.99, 1.01);
    }

    [Fact]
    public void Random_times_on_clock_ticks_have_no_beat()
    {
        int found = 0;
        for (int seed = 0; seed < 300; seed++)
        {
            var random = new Random(seed);
            double[] times = [.. Enumerable.Range(0, 30).Select(_ => Math.Ceiling(random.NextDouble() * 60 / 0.015625) * 0.015625)];
            found += PhaseTest.Find(times) is null ? 0 : 1;
        }

        Assert.InRange(found, 0, 2);
    }

    [Fact]
    public void The_beat_is_found_and_not_a_part_or_a_multiple_of_it()
    {
        Assert.Equal(3, PhaseTest.Find([.. Enumerable.Range(0, 20).Select(beat => beat * 3.0)])!.Seconds, 1e-6);
        double[] three = [.. Enumerable.Range(0, 20).Where(beat => beat % 4 != 1).Select(beat => beat * 3.0)];
        Assert.Equal(3, PhaseTest.Find(three)!.Seconds, 1e-6);
    }

    private static double[] Beats(Random random, double period, int beats, double jitter, double missing)
    {
        // So many are missing, never the first or last; which ones is a matter of chance.
        int[] kept = [.. Enumerable.Range(1, beats - 2).OrderBy(_ => random.Next()).Skip((int)(missing * beats)), 0, beats - 1];
        return [.. kept.Order().Select(beat => (beat + (jitter * ((2 * random.NextDouble()) - 1))) * period)];
    }

    private static void Hold(int tests, Action<Random> property) =>
        Prop.ForAll(ArbMap.Default.ArbFor<DoNotSize<int>>(), seed =>
        {
            property(new Random(seed.Item));
            return true;
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(tests));
}
