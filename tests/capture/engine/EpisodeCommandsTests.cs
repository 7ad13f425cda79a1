using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>The user's command runs for each episode, with what it needs in its environment, and never ends the capture.</summary>
public sealed class EpisodeCommandsTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-command-").FullName;
    private readonly RecordingObserver _observer = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void ItFindsTheEpisodeInItsEnvironment()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "written for /bin/sh");
        string told = Path.Combine(_folder, "told");
        string command = $"echo \"$TRACER_FILE $TRACER_LATENCY_US $TRACER_TRIGGER $TRACER_VERDICT\" > '{told}'";
        using (var commands = new EpisodeCommands(command, _observer))
        {
            commands.Start(Episode());
        }

        Assert.Equal($"{Path.Combine(_folder, "a b.etl")} 1234.5 wakeup not analysed\n", File.ReadAllText(told));
        Assert.Empty(_observer.Notes);
    }

    [Fact]
    public void ItsFailureIsTold()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "written for /bin/sh");
        using (var commands = new EpisodeCommands("exit 3", _observer))
        {
            commands.Start(Episode());
        }

        Assert.Equal(["--on-episode ended with status 3"], _observer.Notes);
    }

    [Fact]
    public void SoManyRunAtOnceAndNoMore()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "written for /bin/sh");
        string go = Path.Combine(_folder, "go");
        using (var commands = new EpisodeCommands($"while ! test -e '{go}'; do sleep 0.02; done", _observer))
        {
            for (int i = 0; i <= EpisodeCommands.MostRunning; i++)
            {
                commands.Start(Episode());
            }

            Assert.Contains("was not run", Assert.Single(_observer.Notes), StringComparison.Ordinal);
            File.WriteAllText(go, "");
        }
    }

    private CapturedEpisode Episode() => new()
    {
        Number = 1,
        File = Path.Combine(_folder, "a b.etl"),
        Bytes = 1,
        Trigger = TriggerKind.Wakeup,
        StartQpc = 0,
        StartUtc = default,
        Latency = new Duration(1_234_500),
        Cpu = 0,
        PreCovered = Duration.Zero,
        Blame = null,
        Suspects = [],
    };
}
