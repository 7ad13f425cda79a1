using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>The longest runs are kept: all from some length on, and it tells from which.</summary>
public class LongestRunsTests
{
    [Fact]
    public void All_runs_longer_than_it_says_are_kept_and_no_others()
    {
        Gen<int[]> lengths = Gen.Choose(0, 3_000).SelectMany(count => Gen.Choose(0, 400).ArrayOf(count));
        Prop.ForAll(lengths.ToArbitrary(), times =>
        {
            var longest = new LongestRuns();
            for (int i = 0; i < times.Length; i++)
            {
                longest.Add(new LongRun(i * 1_000L, (i * 1_000L) + times[i] + 7, times[i], i % 4));
            }

            IEnumerable<long> expected = Enumerable.Range(0, times.Length)
                .Where(i => times[i] > longest.CompleteAboveTicks).Select(i => i * 1_000L);
            Assert.Equal(expected, longest.All.Select(run => run.StartTicks).Order());
            Assert.True(longest.All.Count < 512, "memory is limited");
        }).Check(Config.QuickThrowOnFailure);
    }

    [Fact]
    public void As_long_as_there_are_few_all_are_kept_also_those_without_length()
    {
        var longest = new LongestRuns();
        for (int i = 0; i < 511; i++)
        {
            longest.Add(new LongRun(i, i, 0, 0));
        }

        Assert.Equal((511, -1L), (longest.All.Count, longest.CompleteAboveTicks));
    }

    [Fact]
    public void The_longest_is_there_however_many_come()
    {
        var longest = new LongestRuns();
        for (int i = 0; i < 100_000; i++)
        {
            longest.Add(new LongRun(i, i + 10, i == 40_000 ? 5_000 : i % 900, 0));
        }

        Assert.Equal(40_000, longest.All.MaxBy(run => run.NetTicks).StartTicks);
    }
}
