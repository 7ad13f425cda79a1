using FsCheck;
using FsCheck.Fluent;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

public class TickSpanTests
{
    [Fact]
    public void The_end_is_not_part_of_it()
    {
        var span = new TickSpan(10, 20);
        Assert.Equal(10ul, span.LengthTicks);
        Assert.Equal([false, true, true, false], new long[] { 9, 10, 19, 20 }.Select(span.Contains));
        Assert.True(new TickSpan(5, 5).IsEmpty);
    }

    [Fact]
    public void A_span_that_ends_before_it_starts_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new TickSpan(1, 0));

    [Fact]
    public void The_longest_span_has_a_length() => Assert.Equal(ulong.MaxValue, new TickSpan(long.MinValue, long.MaxValue).LengthTicks);

    [Theory]
    [InlineData(10, 20, 12, 15, 12, 15)] // Inside.
    [InlineData(10, 20, 5, 15, 10, 15)] // Over the start.
    [InlineData(10, 20, 15, 25, 15, 20)] // Over the end.
    [InlineData(10, 20, 20, 30, 20, 20)] // Touching.
    [InlineData(10, 20, 30, 40, 30, 30)] // Apart.
    public void What_both_cover(long start, long end, long otherStart, long otherEnd, long bothStart, long bothEnd)
    {
        TickSpan both = new TickSpan(start, end).Intersect(new TickSpan(otherStart, otherEnd));
        Assert.Equal(new TickSpan(bothStart, bothEnd), both);
    }

    [Fact]
    public void The_common_part_is_the_same_both_ways_and_lies_in_both() =>
        Prop.ForAll(ArbMap.Default.ArbFor<(int, uint)>(), ArbMap.Default.ArbFor<(int, uint)>(), (a, b) =>
        {
            var first = new TickSpan(a.Item1, a.Item1 + (long)a.Item2);
            var second = new TickSpan(b.Item1, b.Item1 + (long)b.Item2);
            TickSpan both = first.Intersect(second);
            return both == second.Intersect(first) && (both.IsEmpty || (first.Contains(both) && second.Contains(both)));
        }).QuickCheckThrowOnFailure();
}
