using Tracer.Analysis.Causes;

namespace Tracer.Analysis.Tests.Causes;

/// <summary>However many stretches a cause has, its time is right; and whether all of them were kept is told.</summary>
public class CauseSumsTests
{
    private static readonly CauseKey Storm = new(SumKind.Routine, 0);
    private static readonly CauseKey Other = new(SumKind.Routine, 1);

    [Theory]
    [InlineData(8_192, false)]
    [InlineData(8_193, true)]
    [InlineData(50_000, true)]
    public void Memory_is_limited_and_time_is_not(int stretches, bool isCut)
    {
        var sums = new CauseSums();
        for (int i = 0; i < stretches; i++)
        {
            sums.Add(in Storm, new CauseStretch(100 + (i * 40), 120 + (i * 40), 100 + (i * 40)));
        }

        Assert.Equal((20L * stretches, 100L), (sums.All[Storm].Ticks, sums.All[Storm].AtTicks));
        Assert.Equal(isCut, sums.IsCut);
        Assert.Equal(Math.Min(stretches, 8_192), sums.All[Storm].Stretches.Count);

        sums.Clear();
        Assert.Empty(sums.All);
        Assert.False(sums.IsCut);
        Assert.Single(sums.Add(in Storm, new CauseStretch(5, 10, 5)).Stretches);
    }

    [Fact]
    public void What_goes_on_is_one_stretch_and_causes_stay_apart()
    {
        var sums = new CauseSums();
        sums.Add(in Storm, new CauseStretch(100, 120, 90));
        sums.Add(in Other, new CauseStretch(120, 125, 120));
        sums.Add(in Storm, new CauseStretch(125, 140, 90));
        sums.Add(in Storm, new CauseStretch(140, 150, 90));
        sums.Add(in Storm, new CauseStretch(150, 160, 150));
        Assert.Equal(
            [new CauseStretch(100, 120, 90), new CauseStretch(125, 150, 90), new CauseStretch(150, 160, 150)], sums.All[Storm].Stretches);
        Assert.Equal((55L, 5L), (sums.All[Storm].Ticks, sums.All[Other].Ticks));
    }

    [Fact]
    public void Of_a_whole_trace_a_million_stretches_are_kept()
    {
        var sums = new CauseSums();
        for (int kept = 0; kept < 1_000_000;)
        {
            sums.Clear();
            for (int i = 0; i < 8_000 && kept < 1_000_000; i++, kept++)
            {
                sums.Add(in Storm, new CauseStretch(100 + (i * 40), 120 + (i * 40), 100 + (i * 40)));
            }

            Assert.False(sums.IsCut);
        }

        sums.Clear();
        Assert.Empty(sums.Add(in Storm, new CauseStretch(5, 10, 5)).Stretches);
        Assert.Equal((5, true), (sums.All[Storm].Ticks, sums.IsCut));
    }
}
