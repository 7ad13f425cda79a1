using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>So many of the worst are kept.</summary>
public sealed class KeptEpisodesTests
{
    [Fact]
    public void TheLeastMakesPlaceForAWorseOne()
    {
        var kept = new KeptEpisodes(2);
        Assert.Null(kept.Add(Episode(1, 900, "a.sys")));
        Assert.Equal(0, kept.LeastNs);
        Assert.Null(kept.Add(Episode(2, 700, "b.sys")));
        Assert.Equal(700_000, kept.LeastNs);
        CapturedEpisode? dropped = kept.Add(Episode(3, 800, "a.sys"));
        Assert.Equal(2, dropped?.Number);
        Assert.Equal([1, 3], kept.Episodes.Select(episode => episode.Number));
        Assert.Equal(20, kept.Bytes);
        Assert.Equal([new CaptureSuspect("a.sys", Duration.FromMicroseconds(1700), 2)], kept.Suspects());
    }

    private static CapturedEpisode Episode(int number, long latencyUs, string culprit) => new()
    {
        Number = number,
        File = $"{number}.etl",
        Bytes = 10,
        Trigger = TriggerKind.Wakeup,
        StartQpc = 0,
        StartUtc = default,
        Latency = Duration.FromMicroseconds(latencyUs),
        Cpu = 0,
        PreCovered = Duration.Zero,
        Blame = null,
        Suspects = [new EpisodeSuspect(culprit, Duration.FromMicroseconds(latencyUs))],
    };
}
