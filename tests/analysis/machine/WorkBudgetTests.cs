using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Tests.Machine;

/// <summary>What looking into episodes may cost grows with the trace, and what is refused is counted.</summary>
public class WorkBudgetTests
{
    [Theory]
    [InlineData(0, 6_000_000)]
    [InlineData(-5, 6_000_000)]
    [InlineData(1_000_000, 22_000_000)]
    public void So_many_records_may_be_looked_at(long events, long all)
    {
        var budget = new WorkBudget(events);
        Assert.True(budget.TrySpend(all - 10));
        Assert.False(budget.TrySpend(11));
        Assert.Equal(1, budget.Refused);
        // What is smaller is still looked into.
        Assert.True(budget.TrySpend(10));
        Assert.False(budget.TrySpend(1));
        Assert.Equal((2L, all), (budget.Refused, budget.Records));
    }

    [Theory]
    [InlineData(0, 150_000)]
    [InlineData(-5, 150_000)]
    [InlineData(8_000, 151_000)]
    public void So_many_parts_may_be_kept(long events, long all)
    {
        var budget = new WorkBudget(events);
        Assert.True(budget.TryKeep(all - 1));
        Assert.False(budget.TryKeep(2));
        Assert.True(budget.TryKeep(1));
        Assert.False(budget.TryKeep(1));
        Assert.Equal((2L, all, 0L), (budget.Cut, budget.Parts, budget.Refused));
    }
}
