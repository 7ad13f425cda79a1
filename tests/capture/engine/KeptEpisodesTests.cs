using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>So many of the worst are kept, and the file of the loser is deleted.</summary>
public sealed class KeptEpisodesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-kept-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

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
        Assert.False(File.Exists(dropped?.File));
        Assert.Equal([1, 3], kept.Episodes.Select(episode => episode.Number));
        Every.Item(kept.Episodes, episode => Assert.True(File.Exists(episode.File)));
        Assert.Equal(20, kept.Bytes);
        Assert.Equal([new CaptureSuspect("a.sys", Duration.FromMicroseconds(1700), 2)], kept.Suspects());
    }

    private CapturedEpisode Episode(int number, long latencyUs, string culprit)
    {
        string file = Path.Combine(_folder, $"{number}.etl");
        File.WriteAllBytes(file, new byte[10]);
        return new CapturedEpisode
        {
            Number = number,
            File = file,
            Bytes = 10,
            Trigger = TriggerKind.Wakeup,
            StartUtc = default,
            Latency = Duration.FromMicroseconds(latencyUs),
            Cpu = 0,
            PreCovered = Duration.Zero,
            Blame = null,
            Suspects = [new EpisodeSuspect(culprit, Duration.FromMicroseconds(latencyUs))],
        };
    }
}
