using FsCheck;
using FsCheck.Fluent;

namespace Tracer.Etl.Tests;

/// <summary>The one binary search finds what a walk from the start finds.</summary>
public class SortedSearchTests
{
    [Fact]
    public void It_finds_what_a_walk_finds() => Prop.ForAll(
        ArbMap.Default.ArbFor<byte[]>(),
        ArbMap.Default.ArbFor<byte>(),
        (values, key) =>
        {
            byte[] sorted = [.. values.Order()];
            int from = sorted.Length / 4;
            int walked = from;
            while (walked < sorted.Length && sorted[walked] < key)
            {
                walked++;
            }

            Assert.Equal(walked, SortedSearch.FirstNot(from, sorted.Length, (sorted, key), static (at, i) => at.sorted[i] < at.key));
        }).Check(Config.QuickThrowOnFailure.WithMaxTest(500));

    [Fact]
    public void Nothing_is_searched_in_nothing() =>
        Assert.Equal(3, SortedSearch.FirstNot(3, 3, 0, static (_, _) => throw new InvalidOperationException("asked")));
}
