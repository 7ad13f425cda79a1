using System.Text.Json;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>What a capture left that could not clean up is undone by the next one; nothing of other people's is touched.</summary>
public sealed class CaptureCrashTests
{
    private static MachineTrace Machine => FakeMachines.Of("ndis-miniport", Duration.FromSeconds(6));

    [Fact]
    public void TheNextCaptureUndoesWhatACrashLeft()
    {
        using var rig = new CaptureRig(Machine, new FakeOptions { Others = [("Tracer.Vision", true), ("Somebody's", false)] });
        rig.Options = rig.Options with { ProfileInterval = Duration.FromMicroseconds(250) };
        Crash(rig);
        Assert.Contains(SessionPlans.RecorderName, rig.Windows.SessionNames);
        Assert.Contains(SessionPlans.TriggerName, rig.Windows.SessionNames);
        Assert.Equal(2_500u, rig.Windows.ProfileInterval);

        CaptureResult result = rig.Run();
        Assert.Single(result.Status.Episodes);
        Assert.Equal(["Tracer.Vision", "Somebody's"], rig.Windows.SessionNames);
        Assert.Equal(10_000u, rig.Windows.ProfileInterval);
        Assert.Contains(rig.Notes, note => note.Contains(SessionPlans.RecorderName, StringComparison.Ordinal));
        Assert.Contains(rig.Notes, note => note.Contains(SessionPlans.TriggerName, StringComparison.Ordinal));
        Assert.Equal(["episode.etl"], rig.Files);
    }

    /// <summary>Runs a capture until it watches, and lets it vanish: its thread never goes on, its files lose their locks.</summary>
    private static void Crash(CaptureRig rig)
    {
        using var isWatching = new ManualResetEventSlim();
        string left = rig.StateFile;
        rig.StateFile += ".crashed";
        rig.Watch = status =>
        {
            if (status.Phase == CapturePhase.Watching)
            {
                rig.Watch = null;
                isWatching.Set();
                Thread.Sleep(Timeout.Infinite);
            }
        };
        CaptureEngine engine = rig.Engine(rig.Interrupts(TriggerKind.Dpc), rig.Wakeups());
        new Thread(() => engine.Run(CancellationToken.None)) { IsBackground = true }.Start();
        Assert.True(isWatching.Wait(TimeSpan.FromSeconds(30)));
        ChildProcess.Output("cp", rig.StateFile, left); // We hold it: .NET would not let us read it a second time.
        File.Delete(rig.StateFile);
        rig.StateFile = left;
        CaptureState state = JsonSerializer.Deserialize(File.ReadAllText(left), CaptureStateJson.Default.CaptureState)!;
        File.WriteAllText(state.TemporaryFiles[0], "half a snapshot");
    }
}
