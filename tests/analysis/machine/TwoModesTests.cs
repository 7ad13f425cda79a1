using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>Two code paths are told by two peaks in a routine's run times, and by nothing less.</summary>
[Trait("Speed", "slow")]
public class TwoModesTests
{
    private static readonly int[] Counts = [20, 30, 60, 200, 1_000, 20_000];

    /// <summary>Times of one kind, in ticks, from 0.5 us to 5 ms of a clock of 10 MHz, narrow and wide.</summary>
    public static TheoryData<string, double, double> OneMode()
    {
        TheoryData<string, double, double> kinds = [];
        foreach (string kind in new[] { "normal", "log-normal", "exponential", "uniform" })
        {
            foreach (double middle in new double[] { 5, 30, 200, 3_000, 50_000 })
            {
                foreach (double width in new[] { 0.05, 0.3, 0.8 })
                {
                    kinds.Add(kind, middle, width);
                }
            }
        }

        return kinds;
    }

    [Theory]
    [MemberData(nameof(OneMode))]
    public void Times_of_one_kind_have_one_mode(string kind, double middle, double width)
    {
        for (int seed = 0; seed < Selection.Cases(40); seed++)
        {
            var random = new Random(seed);
            foreach (int count in Counts)
            {
                DurationCounts counts = Made(Enumerable.Range(0, count).Select(_ => Next(random, kind, middle, width)));
                Assert.Null(TwoModes.Of(counts));
            }
        }
    }

    [Theory]
    [InlineData(312, 180, 41, 12_000)]
    [InlineData(30, 180, 30, 12_000)]
    [InlineData(5_000, 200, 400, 800)]
    [InlineData(400, 200, 5_000, 900)]
    [InlineData(200, 4, 200, 400)]
    public void Two_kinds_of_times_are_found(int few, double fewTicks, int many, double manyTicks)
    {
        for (int seed = 0; seed < Selection.Cases(40); seed++)
        {
            var random = new Random(seed);
            TwoModes? modes = TwoModes.Of(Made(
            [
                .. Enumerable.Range(0, few).Select(_ => Next(random, "log-normal", fewTicks, 0.15)),
                .. Enumerable.Range(0, many).Select(_ => Next(random, "log-normal", manyTicks, 0.15)),
            ]));
            Assert.NotNull(modes);
            Assert.Equal(few + many, modes.ShortRuns + modes.LongRuns);
            Assert.InRange(modes.ShortRuns, few * 0.99, few * 1.01);
            Assert.InRange(modes.ShortTicks, fewTicks * 0.7, fewTicks * 1.3);
            Assert.InRange(modes.LongTicks, manyTicks * 0.9, manyTicks * 1.1);
        }
    }

    [Theory]
    [InlineData(1_000, 20)]
    [InlineData(1_000, 4)]
    [InlineData(16, 10)]
    public void A_few_outliers_are_no_mode(int usual, int outliers) =>
        Assert.Null(TwoModes.Of(Made([.. Enumerable.Repeat(200L, usual), .. Enumerable.Repeat(40_000L, outliers)])));

    [Fact]
    public void Times_that_differ_by_less_than_a_factor_of_two_are_one_mode() =>
        Assert.Null(TwoModes.Of(Made([.. Enumerable.Repeat(1_000L, 500), .. Enumerable.Repeat(1_700L, 500)])));

    [Fact]
    public void Nothing_has_no_mode() => Assert.Null(TwoModes.Of(new DurationCounts()));

    [Fact]
    public void The_longest_times_there_are_do_no_harm()
    {
        TwoModes? modes = TwoModes.Of(Made([.. Enumerable.Repeat(0L, 500), .. Enumerable.Repeat(long.MaxValue, 500)]));
        Assert.Equal((500, 500), (modes!.ShortRuns, modes.LongRuns));
    }

    private static DurationCounts Made(IEnumerable<long> times)
    {
        var counts = new DurationCounts();
        foreach (long time in times)
        {
            counts.Add(time);
        }

        return counts;
    }

    private static long Next(Random random, string kind, double middle, double width)
    {
        double bell = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
        double time = kind switch
        {
            "normal" => middle * (1 + (width / 2 * bell)),
            "log-normal" => middle * Math.Exp(width * bell),
            "exponential" => -middle * Math.Log(1 - random.NextDouble()),
            _ => middle * (1 - width + (2 * width * random.NextDouble())),
        };
        return (long)Math.Round(Math.Max(0, time));
    }
}
