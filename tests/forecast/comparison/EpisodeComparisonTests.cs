namespace Tracer.Forecast.Tests;

/// <summary>How long episodes are, compared: as often, but for longer, is worse.</summary>
public class EpisodeComparisonTests
{
    [Fact]
    public void Longer_episodes_are_told_though_they_are_as_many()
    {
        LateBlock[] old = Blocks(1, 1);
        ComparedEpisodes length = EpisodeComparison.Length(old, Blocks(2, 1.5))!;
        Assert.InRange(length.Change.Ratio!.Value, 1.3, 1.7);
        Assert.InRange(length.Change.P, 0, 0.01);
        Assert.InRange(length.Old.Value, length.Old.Low, length.Old.High);
        Assert.InRange(EpisodeComparison.Time(old, Blocks(2, 1.5))!.Change.Ratio!.Value, 1.2, 1.9);
        Assert.True(EpisodeComparison.Length(old, Blocks(2, 1))!.Change.P > 0.05);
    }

    [Fact]
    public void The_worst_is_that_of_a_side_and_of_few_no_length_is_told()
    {
        LateBlock[] old = Blocks(1, 1);
        LateBlock[] now = [.. Blocks(2, 1)[..^1], new LateBlock(1, [9e9])];
        Assert.Equal(9_000_000_000, EpisodeComparison.Worst(old, now)!.Now.Value);
        LateBlock[] none = [.. Enumerable.Range(0, 20).Select(_ => new LateBlock(1, []))];
        Assert.Null(EpisodeComparison.Length(old, none));
        Assert.Null(EpisodeComparison.Time(none, none));
        ComparedEpisodes fresh = EpisodeComparison.Time(none, old)!;
        Assert.Null(fresh.Change.Ratio);
        Assert.Equal(0, fresh.Old.Value);
        Assert.InRange(fresh.Change.P, 0, 0.01);
    }

    private static LateBlock[] Blocks(ulong seed, double times)
    {
        var random = new RandomNumbers(seed);
        return [.. Enumerable.Range(0, 30).Select(_ => new LateBlock(4, [.. Enumerable.Range(0, 1 + random.Below(3)).Select(_ =>
            times * 500e3 * (1 + 0.3 * random.Exponential()))]))];
    }
}
