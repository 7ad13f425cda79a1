using Tracer.Analysis.Slicing;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;

#pragma warning disable CA1416 // Below these calls is the fake.

namespace Tracer.Capture.Tests;

/// <summary>What Windows refuses is told with its Win32 code; the capture goes on where it can, and leaves nothing where not.</summary>
[Trait("Speed", "slow")]
public sealed class CaptureFailureTests
{
    private const uint NotEnoughMemory = 8;
    private const uint SharingViolation = 32;
    private const uint NotSupported = 50;

    private static MachineTrace Machine => FakeMachines.Of("ndis-miniport", Duration.FromSeconds(6));

    [Theory]
    [InlineData(WindowsCode.AccessDenied, "administrator")]
    [InlineData(WindowsCode.BadLength, "size")]
    [InlineData(WindowsCode.InvalidParameter, "parameter")]
    [InlineData(WindowsCode.DiskFull, "disk")]
    [InlineData(WindowsCode.AlreadyExists, "already")]
    [InlineData(WindowsCode.PrivilegeNotHeld, "SeSystemProfilePrivilege")]
    [InlineData(NotEnoughMemory, "memory")]
    [InlineData(13, "helpmsg 13")]
    public void ARecorderThatCannotStartEndsItAndNothingStays(uint code, string word)
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse("StartTraceW", code, SessionPlans.RecorderName);
        AssertFails(rig, code, word);
    }

    [Fact]
    public void SomebodyWithoutRightsIsToldSo()
    {
        using var rig = new CaptureRig(Machine, new FakeOptions { IsAdministrator = false });
        Exception failure = Assert.ThrowsAny<Exception>(() => rig.Run());
        Assert.Contains("failed with 5", failure.Message, StringComparison.Ordinal);
        Assert.Contains("administrator", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void WhoHoldsTheEightPlacesIsTold()
    {
        (string Name, bool IsSystemLogger)[] others = [.. Enumerable.Range(1, 8).Select(number => ($"Logger {number}", true))];
        using var rig = new CaptureRig(Machine, new FakeOptions { Others = others });
        CaptureException failure = AssertFails(rig, WindowsCode.NoSystemResources, "eight");
        Every.Item(others, other => Assert.Contains(other.Name, failure.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void WhereMemoryIsShortTheRingIsSmaller()
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse("StartTraceW", NotEnoughMemory, SessionPlans.RecorderName, times: 1);
        rig.Options = rig.Options with { BufferMb = 32 };
        Assert.Single(rig.Run().Status.Episodes);
        Assert.Contains(rig.Notes, note => note.Contains("16 MiB", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("TraceSetInformation.3", WindowsCode.InvalidParameter)]
    [InlineData("TraceQueryInformation.4", NotSupported)]
    [InlineData("EnableTraceEx2", WindowsCode.AccessDenied)]
    [InlineData("ControlTraceW.0", WindowsCode.AccessDenied)]
    public void WhatIsOnlyMissedIsNoReasonToStop(string function, uint code)
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse(function, code, SessionPlans.RecorderName);
        Assert.Equal(Machine.Truth.Culprit, Assert.Single(rig.Run().Status.Episodes).Blame!.Culprit);
    }

    /// <summary>A flush that Windows takes only plainly is told, once, whatever it writes.</summary>
    [Fact]
    public void AFlushThatIsAskedOtherwiseIsToldOnce()
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse("ControlTraceW.3", WindowsCode.InvalidParameter, SessionPlans.RecorderName, times: 1);
        Assert.Single(rig.Run().Status.Episodes);
        Assert.Single(rig.Notes, note => note.Contains("ControlTrace (flush) failed with 87", StringComparison.Ordinal));
    }

    /// <summary>What a trigger's session loses is not known where Windows does not tell: told once, and it triggers all the same.</summary>
    [Fact]
    public void ATriggerWhoseLossesAreNotToldGoesOn()
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse("ControlTraceW.0", WindowsCode.AccessDenied, SessionPlans.TriggerName);
        using DpcIsrTrigger interrupts = rig.Interrupts(TriggerKind.Dpc);
        rig.Run(interrupts, rig.Wakeups());
        Assert.Single(rig.Notes, note => note.StartsWith("what 'Tracer.Trigger' loses is not known", StringComparison.Ordinal));
    }

    /// <summary>Describing the machine takes seconds on some: once, at the start, and every trace has it.</summary>
    [Fact]
    public void TheMachineIsDescribedOnceAndInEveryTrace()
    {
        using var rig = new CaptureRig(Machine);
        CapturedEpisode episode = Assert.Single(rig.Run().Status.Episodes);
        Assert.Equal(1, rig.Windows.Descriptions);
        using EtlReader trace = EtlReader.Open(episode.File);
        RundownSurvey survey = RundownSurvey.Of(trace, new HeaderRecords());
        Assert.Equal(Machine.Configuration.Count, survey.Configuration.Count);
    }

    /// <summary>What only the lost part of the rundown named has no name then: that is no reason to blame somebody else.</summary>
    [Fact]
    public void ARundownThatLosesBuffersAccusesNobodyElse()
    {
        using var rig = new CaptureRig(Machine, new FakeOptions { LosesOneBufferOf = 3 });
        CapturedEpisode episode = Assert.Single(rig.Run().Status.Episodes);
        Assert.Contains(episode.Blame!.Culprit, (string?[])[Machine.Truth.Culprit, null]);
    }

    [Fact]
    public void WhatAnOlderWindowsDoesNotKnowIsToldAndTheRestRecorded()
    {
        uint[] known = [.. Enumerable.Repeat(uint.MaxValue, 8)];
        known[4] = 0; // No driver framework.
        known[1] &= ~0x4_0000u; // No DPC queue.
        using var rig = new CaptureRig(Machine, new FakeOptions { KnownMasks = known, DropsUnknownMasks = true });
        CaptureResult result = rig.Run();
        Assert.Contains("WDF_DPC", result.Status.NotGranted);
        Assert.Contains("DPC_QUEUE", result.Status.NotGranted);
        Assert.Contains(rig.Notes, note => note.Contains("WDF_DPC", StringComparison.Ordinal));
        Assert.Equal(Machine.Truth.Culprit, Assert.Single(result.Status.Episodes).Blame!.Culprit);
    }

    [Theory]
    [InlineData("TraceSetInformation.5", WindowsCode.InvalidParameter)]
    [InlineData("TraceSetInformation.5", WindowsCode.PrivilegeNotHeld)]
    [InlineData("TraceQueryInformation.5", NotSupported)]
    public void ASamplingIntervalThatIsRefusedIsTold(string function, uint code)
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse(function, code);
        rig.Options = rig.Options with { ProfileInterval = Duration.FromMicroseconds(125) };
        Assert.Single(rig.Run().Status.Episodes);
        AssertNoted(rig, code);
        Assert.Equal(10_000u, rig.Windows.ProfileInterval);
        Assert.Equal(["episode.etl"], rig.Files); // Nothing is left to be undone.
    }

    [Fact]
    public void ASamplingIntervalThatIsSilentlyKeptIsTold()
    {
        using var rig = new CaptureRig(Machine, new FakeOptions { KeepsInterval = true });
        rig.Options = rig.Options with { ProfileInterval = Duration.FromMicroseconds(125) };
        Assert.Single(rig.Run().Status.Episodes);
        Assert.Contains(rig.Notes, note => note.Contains("125 us", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData(WindowsCode.NoSystemResources)]
    [InlineData(SharingViolation)]
    public void AnEpisodeWithoutRundownIsWrittenAllTheSame(uint code)
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse("StartTraceW", code, SessionPlans.RundownName);
        Assert.Single(rig.Run().Status.Episodes);
        AssertNoted(rig, code);
    }

    [Theory]
    [InlineData(WindowsCode.DiskFull)]
    [InlineData(WindowsCode.PathNotFound)]
    [InlineData(WindowsCode.AccessDenied)]
    public void ASnapshotThatFailsOnceIsToldAndTheNextEpisodeIsWritten(uint code)
    {
        using var rig = new CaptureRig(Machine);
        RefuseOnceWatching(rig, () => rig.Windows.Refuse("ControlTraceW.3", code, SessionPlans.RecorderName, times: 1));
        rig.Options = rig.Options with { Duration = Duration.FromSeconds(14) };
        rig.Run();
        AssertNoted(rig, code);
        Assert.DoesNotContain(rig.Files, file => file.EndsWith("tracer-tmp", StringComparison.Ordinal));
    }

    [Fact]
    public void ADiskThatIsFullInTheMidstLeavesNoHalfTrace()
    {
        using var rig = new CaptureRig(Machine);
        RefuseOnceWatching(rig, () =>
        {
            rig.Windows.DiskBytes = 200_000;
            rig.DiskFreeBytes = 0;
        });
        CaptureResult result = rig.Run();
        Assert.Equal(CaptureEnd.DiskFull, result.End);
        Assert.Empty(rig.Files);
    }

    [Fact]
    public void ARecorderThatSomebodyStoppedIsMissed()
    {
        using var rig = new CaptureRig(Machine);
        RefuseOnceWatching(rig, () => rig.Sessions.Stop(SessionPlans.RecorderName));
        AssertFails(rig, WindowsCode.InstanceNotFound, "stopped");
    }

    [Theory]
    [InlineData("OpenTraceW", WindowsCode.AccessDenied)]
    [InlineData("ProcessTrace", WindowsCode.NoSystemResources)]
    public void AReaderThatFailsIsToldWithItsCode(string function, uint code)
    {
        using var rig = new CaptureRig(Machine);
        rig.Windows.Refuse(function, code);
        rig.Options = rig.Options with { Duration = Duration.FromSeconds(5) };
        using DpcIsrTrigger interrupts = rig.Interrupts(TriggerKind.Dpc);
        string said = string.Join('\n', [Record.Exception(() => rig.Run(interrupts))?.Message, .. rig.Notes]);
        Assert.Contains(code.ToString(CultureInfo.InvariantCulture), said, StringComparison.Ordinal);
        Assert.DoesNotContain(rig.Windows.SessionNames, name => name.StartsWith(SessionPlan.NamePrefix, StringComparison.Ordinal));
    }

    private static void RefuseOnceWatching(CaptureRig rig, Action refuse)
    {
        bool isDone = false;
        rig.Watch = status =>
        {
            if (!isDone && status.Phase == CapturePhase.Watching)
            {
                isDone = true;
                refuse();
            }
        };
    }

    private static CaptureException AssertFails(CaptureRig rig, uint code, string word)
    {
        CaptureException failure = Assert.Throws<CaptureException>(() => rig.Run());
        Assert.Contains($"failed with {code}", failure.Message, StringComparison.Ordinal);
        Assert.Contains(word, failure.Message, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain(rig.Windows.SessionNames, name => name.StartsWith(SessionPlan.NamePrefix, StringComparison.Ordinal));
        Assert.Equal(10_000u, rig.Windows.ProfileInterval);
        Assert.Empty(rig.Files);
        return failure;
    }

    private static void AssertNoted(CaptureRig rig, uint code) => Assert.Contains(
        rig.Notes, note => note.Contains($"failed with {code}:", StringComparison.Ordinal));
}
