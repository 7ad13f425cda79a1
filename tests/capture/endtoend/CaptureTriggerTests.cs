using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;

namespace Tracer.Capture.Tests;

/// <summary>Each trigger makes a trace of the moment that it tells of.</summary>
[Trait("Speed", "slow")]
public sealed class CaptureTriggerTests
{
    private static MachineTrace LongDpcs => FakeMachines.Of("ndis-miniport", Duration.FromSeconds(6));

    private static MachineTrace LongIsrs => FakeMachines.Of("shared-line", Duration.FromSeconds(6));

    [Theory]
    [InlineData(TriggerKind.Driver)]
    [InlineData(TriggerKind.Wakeup)]
    public void AWakeupThatWasLateIsCaptured(TriggerKind kind)
    {
        using var rig = new CaptureRig(LongDpcs);
        CaptureResult result = rig.Run(rig.Wakeups(kind));
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.Equal(CaptureEnd.Episodes, result.End);
        Assert.Equal(kind, episode.Trigger);
        Assert.Contains(LongDpcs.Truth.Episodes, one => one.Latency == episode.Latency);
        Assert.Equal(LongDpcs.Truth.Culprit, episode.Blame!.Culprit);
    }

    [Fact]
    public void ALongDpcIsCaptured()
    {
        using var rig = new CaptureRig(LongDpcs);
        using DpcIsrTrigger trigger = rig.Interrupts(TriggerKind.Dpc);
        CapturedEpisode episode = Assert.Single(rig.Run(trigger).Status.Episodes);
        Assert.Equal(TriggerKind.Dpc, episode.Trigger);
        Assert.True(episode.Latency >= rig.Options.Threshold);
        Assert.Equal(LongDpcs.Truth.Culprit, episode.Blame!.Culprit);
    }

    [Fact]
    public void ALongIsrIsCaptured()
    {
        using var rig = new CaptureRig(LongIsrs);
        using DpcIsrTrigger trigger = rig.Interrupts(TriggerKind.Isr);
        CaptureResult result = rig.Run(trigger);
        Assert.Equal(TriggerKind.Isr, Assert.Single(result.Status.Episodes).Trigger);
        Assert.Equal(TriggerKind.Isr, Assert.Single(result.Status.Triggers).Kind); // The session records no DPC.
    }

    [Fact]
    public void SeveralTriggersWatchAtOnce()
    {
        using var rig = new CaptureRig(LongDpcs);
        rig.Options = rig.Options with { Duration = Duration.FromSeconds(6) };
        using DpcIsrTrigger interrupts = rig.Interrupts(TriggerKind.Dpc, TriggerKind.Isr);
        CaptureResult result = rig.Run(interrupts, rig.Wakeups(), rig.Wakeups(TriggerKind.Driver));
        Assert.Equal(4, result.Status.Triggers.Count);
        Every.Item(result.Status.Triggers, trigger => Assert.True(trigger.Count > 0));

        // The DPC that made a wake-up late is heard of up to a second later, so that both may count.
        Assert.InRange(result.Status.EpisodesSeen, 1, 2 * LongDpcs.Truth.Episodes.Count);
    }

    [Fact]
    public void ATriggerThatCannotStartIsToldAndTheOthersGoOn()
    {
        using var rig = new CaptureRig(LongDpcs);
        rig.Windows.Refuse("StartTraceW", WindowsCode.NoSystemResources, SessionPlans.TriggerName);
        using DpcIsrTrigger interrupts = rig.Interrupts(TriggerKind.Dpc);
        CaptureResult result = rig.Run(interrupts, rig.Wakeups());
        Assert.Equal(TriggerKind.Wakeup, Assert.Single(result.Status.Episodes).Trigger);
        Assert.Contains(rig.Notes, note => note.Contains("1450", StringComparison.Ordinal));
    }

    [Fact]
    public void BuffersThatTheReaderWasTooSlowForAreCounted()
    {
        using var rig = new CaptureRig(LongDpcs);
        rig.Options = rig.Options with { Duration = Duration.FromSeconds(4), Threshold = Duration.FromMilliseconds(50) };
        bool hasLost = false;
        rig.Watch = status =>
        {
            if (!hasLost && status.Phase == CapturePhase.Watching)
            {
                hasLost = true;
                rig.Windows.LoseRealTimeBuffers(SessionPlans.TriggerName, 3);
            }
        };
        using DpcIsrTrigger interrupts = rig.Interrupts(TriggerKind.Dpc);
        Assert.Equal(3, rig.Run(interrupts).Status.MeasurementsLost);
    }
}
