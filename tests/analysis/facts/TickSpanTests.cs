using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Tests.Facts;

public class TickSpanTests
{
    [Fact]
    public void The_end_is_not_part_of_it()
    {
        var span = new TickSpan(10, 20);
        Assert.Equal([false, true, true, false], new long[] { 9, 10, 19, 20 }.Select(span.Contains));
    }

    [Fact]
    public void A_span_that_ends_before_it_starts_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(() => new TickSpan(1, 0));
}
