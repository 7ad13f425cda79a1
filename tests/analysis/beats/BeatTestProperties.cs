using Tracer.Analysis.Beats;

namespace Tracer.Analysis.Tests.Beats;

/// <summary>A beat is found whatever hides it, and random times have none.</summary>
[Trait("Speed", "slow")]
public class BeatTestProperties
{
    [Fact]
    public void Six_beats_are_a_beat_and_five_are_none()
    {
        Beat? beat = BeatTest.Find([1, 6, 11.0003, 16, 20.9998, 26]);
        Assert.NotNull(beat);
        Assert.Equal((5, 6L, 6, 1.0), (Math.Round(beat.Seconds, 3), beat.Beats, beat.BeatsWithEvent, beat.Coverage));
        Assert.InRange(beat.Jitter, 0, 0.0003);
        Assert.InRange(beat.First, 0.999, 1.001);
        Assert.Null(BeatTest.Find([1, 6, 11, 16, 21]));
        Assert.Null(BeatTest.Find([]));
        Assert.Null(BeatTest.Find([3, 3, 3, 3, 3, 3, 3]));
    }

    [Fact]
    public void The_same_times_on_another_scale_have_the_same_beat() => Hold(80, random =>
    {
        double[] times = Beats(random, 7.5, 30, jitter: 0.03, missing: 0.2);
        double scale = Math.Exp((random.NextDouble() * 20) - 10);
        double shift = (random.NextDouble() - 0.5) * 1000 * scale;
        Beat one = BeatTest.Find(times)!;
        Beat other = BeatTest.Find([.. times.Select(time => (time * scale) + shift)])!;
        Assert.Equal(one.Seconds, other.Seconds / scale, one.Seconds * 1e-6);
        Assert.Equal(one.Jitter, other.Jitter / scale, one.Seconds * 1e-6);
        Assert.Equal((one.Beats, one.BeatsWithEvent, one.EventsOnBeat), (other.Beats, other.BeatsWithEvent, other.EventsOnBeat));
    });

    [Fact]
    public void Jitter_of_a_tenth_and_two_missing_beats_of_five_hide_no_beat_of_many_events() => Hold(40, random =>
    {
        double period = Math.Exp((random.NextDouble() * 14) - 7);
        double missing = random.NextDouble() * 0.4;
        double[] times = Beats(random, period, 70 + random.Next(100), jitter: random.NextDouble() * 0.1, missing);
        Beat? beat = BeatTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds / period, 0.99, 1.01);
        double there = times.Length / (1 + Math.Round((times.Max() - times.Min()) / period));
        Assert.InRange(beat.Coverage, 0.75 * there, Math.Min(1, 1.1 * there));
    });

    [Fact]
    public void Random_events_among_the_beats_hide_none() => Hold(40, random =>
    {
        const double Period = 36;
        double[] beats = Beats(random, Period, 70 + random.Next(40), jitter: random.NextDouble() * 0.1, missing: random.NextDouble() * 0.4);
        int others = random.Next(beats.Length / 3);
        double[] times = [.. beats, .. Enumerable.Range(0, others).Select(_ => beats[0] + (random.NextDouble() * (beats[^1] - beats[0])))];
        Beat? beat = BeatTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds / Period, 0.99, 1.01);
    });

    [Fact]
    public void A_few_exact_beats_stand_out_of_random_events() => Hold(80, random =>
    {
        double[] beats = Beats(random, 5, 12, jitter: 0.0005, missing: 0);
        double[] times = [.. beats, .. Enumerable.Range(0, 5).Select(_ => random.NextDouble() * 60)];
        Beat? beat = BeatTest.Find(times);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds, 4.95, 5.05);
        Assert.InRange(beat.EventsOnBeat, 12, 14);
    });

    /// <summary>At most one in a hundred, as docs/generated/beats.md measures with more; seeds are fixed, so the answer is too.</summary>
    [Theory]
    [InlineData("lognormal")]
    [InlineData("exponential")]
    [InlineData("gamma of shape 4")]
    [InlineData("1 or 1.6, each normal with 0.05")]
    [InlineData("uniform from 0.7 to 1")]
    [InlineData("normal")]
    public void Intervals_that_know_nothing_of_each_other_have_no_beat(string name)
    {
        const int Tries = 300;
        IntervalFamily family = IntervalFamily.All.Single(one => one.Name == name);
        int found = 0;
        for (int seed = 0; seed < Tries; seed++)
        {
            var made = new MadeTimes(seed);
            found += BeatTest.Find(made.Renewal(made.Whole(8, 48), family.Interval)) is null ? 0 : 1;
        }

        Assert.InRange(found, 0, Tries / 100);
    }

    /// <summary>The intervals spread as the name of the family says.</summary>
    [Fact]
    public void Families_have_their_variation()
    {
        foreach (IntervalFamily family in IntervalFamily.All)
        {
            var made = new MadeTimes(1);
            double[] intervals = [.. Enumerable.Range(0, 200_000).Select(_ => family.Interval(made))];
            double mean = intervals.Average();
            double variation = Math.Sqrt(intervals.Average(interval => (interval - mean) * (interval - mean))) / mean;
            Assert.InRange(variation / family.Variation, 0.93, 1.07);
        }
    }

    /// <summary>Most are found up to two thirds of the jitter that is told, and hardly any of twice that jitter.</summary>
    [Theory]
    [InlineData(8, 0.0)]
    [InlineData(12, 0.4)]
    [InlineData(20, 0.2)]
    [InlineData(40, 0.4)]
    public void Power_is_there_or_nothing_is_told(int events, double missed)
    {
        double most = BeatExamination.MostJitterOf(events);
        int found = 0;
        int foundOfMore = 0;
        for (int seed = 0; seed < 100; seed++)
        {
            Beat? beat = BeatTest.Find(new MadeTimes(seed).Beat(3, events, most * 2 / 3, missed));
            found += beat is not null && Math.Abs(beat.Seconds - 3) < 0.03 ? 1 : 0;
            foundOfMore += BeatTest.Find(new MadeTimes(seed).Beat(3, events, most * 2, missed)) is null ? 0 : 1;
        }

        Assert.InRange(found, 80, 100);
        Assert.InRange(foundOfMore, 0, 5);
    }

    [Fact]
    public void Jitter_is_the_standard_deviation_of_the_phase()
    {
        double[] jitters = [.. Enumerable.Range(0, 40)
            .Select(seed => BeatTest.Find(new MadeTimes(seed).Beat(5, 60, jitter: 0.02))!.Jitter)];
        Assert.InRange(jitters.Average(), 0.095, 0.105);
    }

    /// <summary>As it was told once: half of the beats of half of a beat whose timer was set anew.</summary>
    [Fact]
    public void A_beat_whose_phase_changes_is_no_clear_beat_of_another_length()
    {
        for (int seed = 0; seed < 60; seed++)
        {
            var made = new MadeTimes(seed);
            double[] times = made.Beat(5, 30, jitter: 0.001);
            double shift = 0;
            for (int i = 0; i < times.Length; i++)
            {
                shift += i is 10 or 20 ? made.Uniform(1, 4) : 0;
                times[i] += shift;
            }

            Assert.True(BeatTest.Find(times) is not { IsClear: true } beat || Math.Abs(beat.Seconds - 5) < 0.05);
        }
    }

    /// <summary>A loop that sleeps: its errors add up, however little its intervals spread, and it is told as one.</summary>
    [Theory]
    [InlineData(0.01, 20)]
    [InlineData(0.025, 12)]
    public void A_loop_that_sleeps_keeps_no_beat(double spread, int events)
    {
        int kept = Enumerable.Range(0, 100).Count(seed => BeatTest.Find(
            new MadeTimes(seed).Renewal(events, made => 1 + (spread * made.Normal()))) is { IsKept: true });
        Assert.InRange(kept, 0, 3);
    }

    /// <summary>What nothing but an exact timer does: jitter far below any loop's.</summary>
    [Fact]
    public void An_exact_timer_keeps_its_beat()
    {
        int kept = Enumerable.Range(0, 50).Count(seed => BeatTest.Find(new MadeTimes(seed).Beat(5, 12, jitter: 0.001, missed: 0.3))
            is { IsKept: true });
        Assert.InRange(kept, 48, 50);
    }

    /// <summary>What comes each two or three ticks never comes each tick, and each two of them by chance alone.</summary>
    [Theory]
    [InlineData(8)]
    [InlineData(40)]
    public void Whole_ticks_are_no_beat(int events)
    {
        int found = Enumerable.Range(0, 60).Count(seed => BeatTest.Find(new MadeTimes(seed).Renewal(events, made => made.Whole(2, 4)))
            is { IsKept: true });
        Assert.InRange(found, 0, 1);
    }

    /// <summary>Of more events than are examined together the beat must go through all.</summary>
    [Fact]
    public void Many_events_are_followed_to_the_last()
    {
        double[] times = new MadeTimes(1).Beat(0.25, 5000, jitter: 0.03, missed: 0.1);
        Beat beat = BeatTest.Find(times)!;
        Assert.Equal(0.25, beat.Seconds, 1e-5);
        Assert.InRange(beat.Coverage, 0.88, 0.92);
        Assert.InRange(beat.EventsOnBeat, 4950, 5000);
        Assert.InRange(beat.Last - times[^1], -0.04, 0.04);
        var made = new MadeTimes(2);
        Assert.Null(BeatTest.Find([.. times.Take(200), .. made.Renewal(3000, one => one.Exponential()).Select(time => times[199] + time)]));
    }

    [Fact]
    public void A_burst_counts_once() => Hold(100, random =>
    {
        double[] beats = Beats(random, 10, 9, jitter: 0.001, missing: 0);
        Beat? beat = BeatTest.Find([.. beats.SelectMany(time => new[] { time, time + 0.004, time + 0.007 })], burst: 0.006);
        Assert.NotNull(beat);
        Assert.InRange(beat.Seconds, 9.99, 10.01);
        Assert.Equal((9L, 9, 9), (beat.Beats, beat.BeatsWithEvent, beat.EventsOnBeat));
    });

    [Theory]
    [InlineData(0.25)]
    [InlineData(1)]
    public void What_only_clock_ticks_show_keeps_its_own_beat(double period)
    {
        const double Tick = 0.015625;
        double[] times = [.. Enumerable.Range(1, 60).Select(beat => Math.Ceiling(beat * period / Tick) * Tick)];
        Beat? beat = BeatTest.Find(times);
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
            found += BeatTest.Find(times) is null ? 0 : 1;
        }

        Assert.InRange(found, 0, 2);
    }

    [Fact]
    public void The_beat_is_found_and_not_a_part_or_a_multiple_of_it()
    {
        Assert.Equal(3, BeatTest.Find([.. Enumerable.Range(0, 20).Select(beat => beat * 3.0)])!.Seconds, 1e-6);
        double[] three = [.. Enumerable.Range(0, 20).Where(beat => beat % 4 != 1).Select(beat => beat * 3.0)];
        Assert.Equal(3, BeatTest.Find(three)!.Seconds, 1e-6);
    }

    private static double[] Beats(Random random, double period, int beats, double jitter, double missing)
    {
        // So many are missing, never the first or last; which ones is a matter of chance.
        int[] kept = [.. Enumerable.Range(1, beats - 2).OrderBy(_ => random.Next()).Skip((int)(missing * beats)), 0, beats - 1];
        return [.. kept.Order().Select(beat => (beat + (jitter * ((2 * random.NextDouble()) - 1))) * period)];
    }

    /// <summary>
    /// Chance may hide a beat or make half of one look better, rarely: of sets with fixed seeds so many at most may fail.
    /// </summary>
    private static void Hold(int all, Action<Random> property)
    {
        int tests = Selection.IsAll ? all : all / 2;
        const double MostFailures = 0.03;
        List<string> failures = [];
        for (int seed = 1; seed <= tests; seed++)
        {
            try
            {
                property(new Random(seed));
            }
            catch (Xunit.Sdk.XunitException failure)
            {
                failures.Add($"seed {seed}: {failure.Message}");
            }
        }

        Assert.True(failures.Count <= MostFailures * tests, string.Join('\n', failures));
    }
}
