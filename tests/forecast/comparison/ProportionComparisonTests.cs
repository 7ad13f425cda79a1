namespace Tracer.Forecast.Tests;

/// <summary>Parts of machines compared, each machine once.</summary>
public sealed class ProportionComparisonTests
{
    [Fact]
    public void It_is_Fishers_chance_and_Koopmans_interval()
    {
        // Fisher's tea: 3 of 4 against 1 of 4 has a one-sided chance of 17 in 70.
        Assert.Equal(34.0 / 70, ProportionComparison.Of(3, 4, 1, 4).P, 12);
        // Koopman 1984: 36 of 40 and 16 of 80 give 2.94 to 7.15.
        var koopman = ProportionComparison.Of(36, 40, 16, 80);
        Assert.Equal(4.5, koopman.Ratio!.Value, 12);
        Assert.Equal(2.94, koopman.Low, 2);
        Assert.Equal(7.15, koopman.High, 2);
    }

    [Fact]
    public void The_other_way_around_is_the_inverse()
    {
        var one = ProportionComparison.Of(7, 19, 30, 55);
        var other = ProportionComparison.Of(30, 55, 7, 19);
        Assert.Equal(1 / one.Ratio!.Value, other.Ratio!.Value, 9);
        Assert.Equal(1 / one.Low, other.High, 6);
        Assert.Equal(1 / one.High, other.Low, 6);
        Assert.Equal(one.P, other.P, 9);
    }

    [Fact]
    public void None_and_all_have_an_end_where_there_is_one()
    {
        var none = ProportionComparison.Of(0, 10, 5, 10);
        Assert.Equal((0.0, 0.0), (none.Ratio!.Value, none.Low));
        Assert.InRange(none.High, 0.3, 1);
        var rest = ProportionComparison.Of(20, 20, 0, 180);
        Assert.True(rest is { Ratio: null, Low: > 10 } && double.IsPositiveInfinity(rest.High) && rest.P < 1e-20);
        Assert.Equal(1, ProportionComparison.Of(0, 5, 0, 5).P);
        Assert.Equal(1, ProportionComparison.Of(5, 5, 9, 9).P, 12);
        Assert.True(ProportionComparison.Of(50_000, 500_000, 10_000, 500_000) is { Ratio: 5, Low: > 4.8, High: < 5.2, P: < 1e-100 });
    }

    [Fact]
    public void The_interval_holds_the_truth_as_often_as_it_says()
    {
        var random = new Random(3);
        int held = 0;
        const int Times = 2000;
        for (int i = 0; i < Times; i++)
        {
            long having = Enumerable.Range(0, 40).Count(_ => random.NextDouble() < 0.3);
            long othersHaving = Enumerable.Range(0, 160).Count(_ => random.NextDouble() < 0.1);
            var one = ProportionComparison.Of(having, 40, othersHaving, 160);
            held += one.Low <= 3 && one.High >= 3 ? 1 : 0;
        }

        Assert.InRange(held / (double)Times, 0.93, 0.97);
    }

    [Fact]
    public void Machines_compared_with_themselves_give_their_ratio_whoever_is_watched_more()
    {
        var random = new Random(5);
        int alarms = 0;
        int held = 0;
        const int Times = 1000;
        for (int i = 0; i < Times; i++)
        {
            alarms += Drawn(random, 1).P < 0.05 ? 1 : 0;
            Compared rose = Drawn(random, 2);
            held += rose.Low <= 2 && rose.High >= 2 ? 1 : 0;
        }

        Assert.InRange(alarms / (double)Times, 0, 0.07);
        Assert.InRange(held / (double)Times, 0.92, 0.98);
        Assert.Null(new MatchedRates().Of());

        static Compared Drawn(Random random, double times)
        {
            var rates = new MatchedRates();
            for (int machine = 0; machine < 60; machine++)
            {
                double part = 0.3 * random.NextDouble();
                (int before, int now) = (3 + (machine % 9), 2 + (machine % 4));
                rates.Add(Met(before, part), before, Met(now, part * times), now);
            }

            return rates.Of()!;

            int Met(int looks, double part) => Enumerable.Range(0, looks).Count(_ => random.NextDouble() < part);
        }
    }
}
