namespace Tracer.Forecast.Tests;

/// <summary>The two tests of steadiness against published numbers.</summary>
public class SteadinessTests
{
    /// <summary>By hand: of 1, 2, 3, 4 all six pairs rise; variance 4 3 13 / 18, so z = 5 / 2.944.</summary>
    [Fact]
    public void Mann_Kendall_counts_pairs() =>
        Assert.Equal(0.0894, MannKendall.Probability([1, 2, 3, 4]), 3);

    [Fact]
    public void Mann_Kendall_does_not_mind_ties_or_few_numbers()
    {
        Assert.Equal(1, MannKendall.Probability([5, 5, 5, 5, 5]));
        Assert.Equal(1, MannKendall.Probability([1, 2]));
    }

    /// <summary>One in a hundred steady sequences is above the critical number; measured on two thousand.</summary>
    [Fact]
    public void Kpss_refuses_one_steady_sequence_in_a_hundred()
    {
        var random = new RandomNumbers(5);
        int refused = Enumerable.Range(0, 2000).Count(_ =>
            Kpss.Statistic([.. Enumerable.Range(0, 40).Select(_ => (double)random.Poisson(5))]) > Kpss.Critical);
        Assert.InRange(refused, 1, 40);
    }

    [Fact]
    public void Kpss_finds_a_step()
    {
        var random = new RandomNumbers(5);
        int found = Enumerable.Range(0, 200).Count(_ => Kpss.Statistic(
            [.. Enumerable.Range(0, 40).Select(i => (double)random.Poisson(i < 20 ? 3 : 9))]) > Kpss.Critical);
        Assert.InRange(found, 150, 200);
        Assert.Equal(0, Kpss.Statistic([2, 2, 2, 2, 2, 2]));
    }
}
