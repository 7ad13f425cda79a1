using Tracer.Capture.Engine;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>The sampling interval is read, set, read back and restored, and what it was is on the disk before.</summary>
public sealed class SampleIntervalTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-interval-").FullName;
    private readonly FakeCaptureMachine _machine;

    public SampleIntervalTests() => _machine = new FakeCaptureMachine(_folder) { Sessions = { ProfileInterval = 156_250 } };

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void ItIsSetAndRestored()
    {
        using StateFile state = StateFile.Open(_machine.StateFile, out _);
        _machine.Sessions.BeforeIntervalIsSet = () => Assert.Equal(156_250u, state.State.ProfileInterval100ns);
        var interval = new SampleInterval(_machine.Sessions, state, _machine.Observer);
        interval.Set(10_000);
        Assert.Equal(10_000u, _machine.Sessions.ProfileInterval);
        Assert.Equal(10_000u, interval.Current100ns);
        interval.Restore();
        Assert.Equal(156_250u, _machine.Sessions.ProfileInterval);
        Assert.Null(state.State.ProfileInterval100ns);
        Assert.Empty(_machine.Observer.Notes);
    }

    /// <summary>What was never changed is not restored: a machine that refuses would refuse that, and seem changed for good.</summary>
    [Fact]
    public void WhatIsRefusedLeavesNothingToUndo()
    {
        using StateFile state = StateFile.Open(_machine.StateFile, out _);
        _machine.Sessions.IntervalTaken = static _ => throw new EtwException("TraceSetInformation", 87, "refused");
        var interval = new SampleInterval(_machine.Sessions, state, _machine.Observer);
        interval.Set(10_000);
        Assert.Null(state.State.ProfileInterval100ns);
        interval.Restore();
        Assert.Contains("stays as it is", Assert.Single(_machine.Observer.Notes), StringComparison.Ordinal);
    }

    /// <summary>What a crash left changed is what is restored at the end, not what was found.</summary>
    [Theory]
    [InlineData(10_000u)]
    [InlineData(5_000u)]
    public void WhatACrashLeftChangedIsRestoredAtTheEnd(uint found)
    {
        using StateFile state = StateFile.Open(_machine.StateFile, out _);
        state.Write(new CaptureState { ProfileInterval100ns = 156_250 });
        _machine.Sessions.ProfileInterval = found;
        var interval = new SampleInterval(_machine.Sessions, state, _machine.Observer);
        interval.Set(10_000);
        Assert.Equal(156_250u, state.State.ProfileInterval100ns);
        interval.Restore();
        Assert.Equal(156_250u, _machine.Sessions.ProfileInterval);
        Assert.Null(state.State.ProfileInterval100ns);
    }

    [Fact]
    public void WhatIsAsWantedAlreadyIsNotTouched()
    {
        using StateFile state = StateFile.Open(_machine.StateFile, out _);
        _machine.Sessions.BeforeIntervalIsSet = () => Assert.Fail("set");
        new SampleInterval(_machine.Sessions, state, _machine.Observer).Set(156_000);
    }

    [Fact]
    public void AMachineThatRefusesOrTakesAnotherIsTold()
    {
        using StateFile state = StateFile.Open(_machine.StateFile, out _);
        _machine.Sessions.IntervalTaken = _ => 20_000;
        new SampleInterval(_machine.Sessions, state, _machine.Observer).Set(10_000);
        Assert.Contains("every 2 ms", _machine.Observer.Notes.Single(), StringComparison.Ordinal);
        _machine.Observer.Notes.Clear();
        _machine.Sessions.IntervalTaken = _ => throw new EtwException("TraceSetInformation", 5, "denied");
        new SampleInterval(_machine.Sessions, state, _machine.Observer).Set(10_000);
        Assert.Contains("stays as it is", _machine.Observer.Notes.Single(), StringComparison.Ordinal);
    }
}
