namespace Tracer.Forecast.Tests;

/// <summary>Fits against distributions of which the numbers are known.</summary>
public class FitTests
{
    [Theory]
    [InlineData(-0.3)]
    [InlineData(0)]
    [InlineData(0.3)]
    public void The_most_likely_Pareto_is_near_the_true_one(double shape)
    {
        double[] sample = new double[20_000];
        ParetoSample.Fill(sample, new GeneralizedPareto(shape, 5), new RandomNumbers(11));
        GeneralizedPareto fitted = ParetoFit.MostLikely(sample);
        GeneralizedPareto start = ParetoFit.OfMoments(sample);
        Assert.InRange(fitted.Shape, shape - 0.04, shape + 0.04);
        Assert.InRange(fitted.Scale, 4.8, 5.2);
        Assert.InRange(start.Shape, shape - 0.06, shape + 0.06);
        Assert.True(fitted.LogLikelihood(sample) >= start.LogLikelihood(sample));
        Assert.True(fitted.LogLikelihood(sample) >= new GeneralizedPareto(shape, 5).LogLikelihood(sample));
    }

    [Theory]
    [InlineData(-0.3)]
    [InlineData(0)]
    [InlineData(0.3)]
    public void The_most_likely_extreme_value_distribution_is_near_the_true_one(double shape)
    {
        var truth = new GeneralizedExtreme(shape, 5, 100);
        double[] sample = ExtremeSample.One(5_000, truth, new RandomNumbers(11));
        GeneralizedExtreme fitted = ExtremeFit.MostLikely(sample);
        Assert.InRange(fitted.Shape, shape - 0.06, shape + 0.06);
        Assert.InRange(fitted.Scale, 4.75, 5.25);
        Assert.InRange(fitted.Place, 99.7, 100.3);
        Assert.True(fitted.LogLikelihood(sample) >= truth.LogLikelihood(sample));
    }

    /// <summary>The deviance of a level is 0 where the fit puts it, and rises on both sides.</summary>
    [Fact]
    public void The_deviance_of_a_level_has_its_foot_at_the_best_one()
    {
        double[] sample = new double[300];
        ParetoSample.Fill(sample, new GeneralizedPareto(0.1, 5), new RandomNumbers(3));
        GeneralizedPareto fitted = ParetoFit.MostLikely(sample);
        double best = fitted.Exceeded(1 / 1000.0);
        Assert.InRange(ParetoLevel.Deviance(sample, fitted, 1000, best), 0, 0.01);
        Assert.True(ParetoLevel.Deviance(sample, fitted, 1000, best * 1.3) > 0.3);
        Assert.True(ParetoLevel.Deviance(sample, fitted, 1000, best * 0.7) > 0.3);
    }

    /// <summary>Moving maxima whose extremal index is 0.3: so many of the latencies above a level begin a cluster.</summary>
    [Fact]
    public void Clusters_are_as_many_as_the_extremal_index_says()
    {
        LatencySeries series = TailFamily.Known.Single(family => family.Name == "autocorrelated").Make(new RandomNumbers(9));
        long threshold = series.Peaks.Select(peak => peak.LatencyNs).OrderDescending().ElementAt(500);
        Tail tail = ThresholdChoice.Above(series, threshold);
        Assert.InRange(tail.Clusters.Count, 110, 200);
        Assert.Equal(tail.Above, tail.Clusters.Sum(cluster => cluster.Size));
    }

    /// <summary>Garwood's table: of 10 events, 4.795 to 18.39; of none, 3 at the most.</summary>
    [Fact]
    public void The_interval_of_a_count_is_exact()
    {
        (double low, double high) = CountInterval.Of(10, 1);
        Assert.Equal((4.795, 18.39), (Math.Round(low, 3), Math.Round(high, 2)));
        Assert.Equal((0, 2.996), (CountInterval.Of(0, 1).Low, Math.Round(CountInterval.Of(0, 1).High, 3)));
    }
}
