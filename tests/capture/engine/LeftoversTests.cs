using Tracer.Capture.Engine;
using Tracer.Capture.Ground;

namespace Tracer.Capture.Tests;

/// <summary>What a capture left is undone, and nothing of other people's.</summary>
public sealed class LeftoversTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-left-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void SessionsOfOursAreStoppedAndOthersAreNot()
    {
        var machine = new FakeCaptureMachine(_folder);
        machine.Sessions.RunningNames.AddRange(
            [
                "NT Kernel Logger", "Tracer.Recorder", "Tracer.Trigger", "tracer.rundown", "Tracer.Process", "Tracer.Events",
                "Tracer.Monitor", "Tracer.Vision", "TracerX", "WPR_initiated",
            ]);
        new Leftovers(machine.Describe(), machine.Observer).Undo(null);
        // A monitor may run beside a capture.
        Assert.Equal(["NT Kernel Logger", "Tracer.Monitor", "Tracer.Vision", "TracerX", "WPR_initiated"], machine.Sessions.RunningNames);
        Assert.Equal(5, machine.Observer.Notes.Count);
    }

    [Fact]
    public void TheIntervalIsRestoredAndProcessesEnded()
    {
        var machine = new FakeCaptureMachine(_folder) { Sessions = { ProfileInterval = 10_000 } };
        var process = new LeftProcess(5, DateTime.UnixEpoch);
        machine.LiveProcesses.Add(process);
        string ours = Path.Combine(_folder, "x.tracer-tmp");
        string others = Path.Combine(_folder, "x.etl");
        File.WriteAllText(ours, "");
        File.WriteAllText(others, "");
        new Leftovers(machine.Describe(), machine.Observer).Undo(
            new CaptureState { ProfileInterval100ns = 156_250, Processes = [process], TemporaryFiles = [ours, others] });
        Assert.Equal(156_250u, machine.Sessions.ProfileInterval);
        Assert.Empty(machine.LiveProcesses);
        Assert.False(File.Exists(ours));
        Assert.True(File.Exists(others));
    }

    /// <summary>What can't be deleted now is named, so that the next start tries it.</summary>
    [Fact]
    public void AFileThatStaysIsToldAndARefusedSessionEndsNothing()
    {
        var machine = new FakeCaptureMachine(_folder) { Sessions = { StopRefusal = 5 } };
        machine.Sessions.RunningNames.Add("Tracer.Recorder");
        string stays = Directory.CreateDirectory(Path.Combine(_folder, "y.tracer-tmp")).FullName; // No file: deleting it is refused.
        string goes = Path.Combine(_folder, "z.tracer-tmp");
        File.WriteAllText(goes, "");
        var left = new CaptureState { TemporaryFiles = [stays, goes] };
        Assert.Equal([stays], new Leftovers(machine.Describe(), machine.Observer).Undo(left).TemporaryFiles);
        Assert.False(File.Exists(goes));
        Assert.Contains("'Tracer.Recorder'", Assert.Single(machine.Observer.Notes), StringComparison.Ordinal);
        machine.Sessions.RunningRefusal = 5;
        Assert.Equal([stays], new Leftovers(machine.Describe(), machine.Observer).Undo(left).TemporaryFiles);
        Assert.Equal(2, machine.Observer.Notes.Count);
    }

    [Theory]
    [InlineData(0u)]
    [InlineData(uint.MaxValue)]
    public void AnIntervalThatWindowsDoesNotHaveIsLeftAlone(uint interval)
    {
        var machine = new FakeCaptureMachine(_folder) { Sessions = { ProfileInterval = 10_000 } };
        new Leftovers(machine.Describe(), machine.Observer).Undo(new CaptureState { ProfileInterval100ns = interval });
        Assert.Equal(10_000u, machine.Sessions.ProfileInterval);
    }
}
