using System.Diagnostics;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;
using Tracer.Symbols;

namespace Tracer.Capture.Tests;

/// <summary>The flight recorder from start to end, on a machine of which only the sessions are fake and the clock is virtual.</summary>
public sealed class CaptureEngineTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-engine-").FullName;
    private readonly FakeCaptureMachine _machine;
    private readonly FakeTrigger _trigger;
    private readonly List<string> _blamed = [];
    private double _ringSeconds = 60;

    public CaptureEngineTests()
    {
        _machine = new FakeCaptureMachine(_folder);
        _trigger = new FakeTrigger(_machine.Clock, TriggerKind.Wakeup);
        _machine.Sessions.WriteSnapshot = path => TinyTrace.WriteSnapshot(path, _machine.Clock, _ringSeconds);
        _machine.Sessions.WriteRundown = path => TinyTrace.WriteRundown(path, _machine.Clock);
    }

    private string Output => Path.Combine(_folder, "capture.etl");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void OneEpisodeIsWrittenAndTheCaptureEnds()
    {
        _trigger.Measure(10, 600);
        CaptureResult result = Run(Options());
        Assert.Equal(CaptureEnd.Episodes, result.End);
        Assert.True(result.IsHit);
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.Equal(Output, episode.File);
        Assert.Equal(new FileInfo(Output).Length, episode.Bytes);
        Assert.Equal(Duration.FromMicroseconds(600), episode.Latency);
        Assert.Equal(Duration.FromSeconds(2), episode.PreCovered);
        Assert.Equal([Output], _blamed);
        CapturePhase[] phases =
        [
            CapturePhase.Starting, CapturePhase.Watching, CapturePhase.Recording, CapturePhase.Writing, CapturePhase.Watching,
            CapturePhase.Stopping,
        ];
        Assert.Equal(phases, _machine.Observer.Phases);
        AssertAllIsUndone();
    }

    [Fact]
    public void TheWindowIsMeasuredFromTheEpisodesOwnTimeHoweverLateItIsHeardOf()
    {
        _trigger.Delay = TimeSpan.FromSeconds(1.5);
        long start = _machine.Clock.Qpc + (20 * _machine.Clock.QpcHz);
        _trigger.Measure(20, 1000);
        Run(Options());
        using EtlReader reader = EtlReader.Open(Output);
        long lead = EpisodeWriting.Lead.Nanoseconds * _machine.Clock.QpcHz / 1_000_000_000;
        Assert.Equal(start - (2 * _machine.Clock.QpcHz) - lead, reader.Header.Clock.HeaderTicks);
        var times = new Times();
        reader.Read(EtlOrder.Time, ref times);
        Assert.InRange(times.LastSample, start + 10_000 + 2_400_000, start + 10_000 + 2_500_000);
    }

    [Fact]
    public void NoSnapshotIsTakenBeforeTheTimeBehindTheEpisodeIsOver()
    {
        _trigger.Measure(10, 1000);
        long due = _machine.Clock.Qpc + (10 * _machine.Clock.QpcHz) + 10_000 + 2_500_000;
        List<long> snapshots = [];
        _machine.Sessions.WriteSnapshot = path =>
        {
            snapshots.Add(_machine.Clock.Qpc);
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
        };
        Run(Options());
        Assert.Equal(2, snapshots.Count); // The first sees whether events arrive.
        Assert.InRange(snapshots[1], due, due + 400_000);
    }

    [Fact]
    public void NothingOverTheThresholdEndsWithTheTimeAskedFor()
    {
        _trigger.Measure(5, 100);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(30) });
        Assert.Equal(CaptureEnd.Duration, result.End);
        Assert.False(result.IsHit);
        Assert.Equal(Duration.FromMicroseconds(100), result.Status.Worst);
        Assert.InRange(result.Status.Elapsed.Nanoseconds, 30_000_000_000, 31_000_000_000);
        Assert.False(File.Exists(Output));
        AssertAllIsUndone();
    }

    [Fact]
    public void OnlyTheWorstAreKept()
    {
        long[] latencies = [600, 900, 700, 5000, 650, 950];
        for (int i = 0; i < latencies.Length; i++)
        {
            _trigger.Measure(10 + (100 * i), latencies[i]);
        }

        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(700), KeepWorst = 2 });
        Assert.Equal([5000, 950], result.Status.Episodes.Select(episode => (int)episode.Latency.Microseconds));
        Assert.Equal(6, result.Status.EpisodesSeen);
        Assert.Equal(5, result.Status.EpisodesCaptured); // 650 is no worse than what was kept.
        Assert.Equal([600, 700, 900], _machine.Observer.Dropped.Select(episode => (int)episode.Latency.Microseconds));
        string[] files = [.. Directory.GetFiles(_folder, "*.etl").Select(path => Path.GetFileName(path)!).Order()];
        Assert.Equal(["capture-4.etl", "capture-5.etl"], files);
        Assert.Equal(result.Status.DiskUsedBytes, Directory.GetFiles(_folder, "*.etl").Sum(path => new FileInfo(path).Length));
    }

    [Fact]
    public void AShortRingIsTold()
    {
        _ringSeconds = 1;
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, _ringSeconds);
        };
        _trigger.Measure(10, 600);
        CaptureResult result = Run(Options());
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.InRange(episode.PreCovered.Nanoseconds, 600_000_000, 800_000_000);
        Assert.Contains(_machine.Observer.Notes, note => note.Contains("the ring held", StringComparison.Ordinal));
    }

    [Fact]
    public void StartedIsOnlyWhatDeliversEvents()
    {
        _machine.Sessions.WriteSnapshot = path => TinyTrace.WriteEmpty(path, _machine.Clock);
        CaptureException refusal = Assert.Throws<CaptureException>(() => Run(Options()));
        Assert.StartsWith("no events arrive", refusal.Message, StringComparison.Ordinal);
        AssertAllIsUndone();
        _machine.Sessions.WriteSnapshot = static _ => { };
        Assert.Throws<CaptureException>(() => Run(Options()));
        AssertAllIsUndone();
    }

    [Fact]
    public void WhereNothingElseCanMeasureAThresholdBelowTwiceTheFloorItIsRefused()
    {
        _trigger.FloorNs = 300_000;
        _machine.Sessions.Refusal = NoPlaceForTriggers;
        CaptureException refusal = Assert.Throws<CaptureException>(() => Run(Options()));
        Assert.Contains("600 us", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("no place for a session", refusal.Message, StringComparison.Ordinal);
        AssertAllIsUndone();
    }

    /// <summary>The default threshold is never refused: what wake-ups can't tell is left to DPCs and ISRs, which have no floor.</summary>
    [Fact]
    public void BelowTwiceTheFloorDpcsAndIsrsAreWatchedInstead()
    {
        _trigger.FloorNs = 300_000;
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(3) });
        Assert.Equal(CaptureEnd.Duration, result.End);
        Assert.Contains(
            "a threshold of 500us is below twice what the probe shows when nothing is wrong (300 us): wake-ups of 600 us or more can be "
            + "measured here; DPCs and ISRs are watched instead",
            _machine.Observer.Notes);
        Assert.True(_trigger.IsDisposed);
        AssertAllIsUndone();
    }

    [Fact]
    public void TheMachineIsKeptAwakeWhileItIsCaptured()
    {
        int most = 0;
        _machine.Clock.Passed = _ => most = Math.Max(most, _machine.KeptAwake);
        Run(Options() with { Duration = Duration.FromSeconds(1) });
        Assert.Equal((1, 0), (most, _machine.KeptAwake));
        _trigger.FloorNs = 300_000;
        _machine.Sessions.Refusal = NoPlaceForTriggers;
        Assert.Throws<CaptureException>(() => Run(Options()));
        Assert.Equal(0, _machine.KeptAwake);
    }

    [Fact]
    public void WhatTheMachineSleptIsNoLatency()
    {
        const double Night = 8 * 3600;
        long asleepAt = _machine.Clock.Qpc + (5 * _machine.Clock.QpcHz);
        _machine.Clock.Passed = now =>
        {
            if (now >= asleepAt)
            {
                asleepAt = long.MaxValue;
                _machine.Clock.Sleep(TimeSpan.FromSeconds(Night));
            }
        };
        // Its timer was set before and served behind the sleep; so was a thread that a DPC kept waiting, as it seems.
        _trigger.Measure(4.999, (long)((Night + 0.002) * 1e6));
        _trigger.Measure(Night + 20, 700);
        CaptureResult result = Run(Options());
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.Equal(Duration.FromMicroseconds(700), episode.Latency);
        Assert.Equal(1, result.Status.EpisodesSeen);
        Assert.Contains(_machine.Observer.Notes, note => note.StartsWith("the machine slept for ", StringComparison.Ordinal));
    }

    /// <summary>A latency is what a counter measured; only its date is by the clock, as it is when the trace is written.</summary>
    [Theory]
    [InlineData(-3600, "the clock was set back by 3,600 s: ")]
    [InlineData(86_400, "the clock was set forward by 86,400 s: ")]
    public void WhoSetsTheClockChangesNoLatency(int seconds, string told)
    {
        long start = _machine.Clock.Qpc + (10 * _machine.Clock.QpcHz);
        long setAt = start + (_machine.Clock.QpcHz / 10); // Between the latency and its trace.
        _machine.Clock.Passed = now => _machine.Clock.Set = TimeSpan.FromSeconds(now >= setAt ? seconds : 0);
        _trigger.Measure(10, 600);
        _trigger.Measure(40, 700);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(60), KeepWorst = 5 });
        Assert.Equal(Duration.FromSeconds(60).Nanoseconds, result.Status.Elapsed.Nanoseconds, 100_000_000d);
        Assert.Equal([600, 700], result.Status.Episodes.Select(static one => (int)one.Latency.Microseconds));
        CapturedEpisode first = result.Status.Episodes[0];
        Assert.Equal(start, first.StartQpc);
        Assert.Equal(_machine.Clock.UtcNow - new TimeSpan(_machine.Clock.Qpc - start), first.StartUtc);
        using (EtlReader reader = EtlReader.Open(first.File))
        {
            EtlFileHeader header = reader.Header;
            Assert.Equal(first.StartUtc.ToFileTimeUtc(), header.Clock.FileTimeAt(start));
        }

        Assert.StartsWith(
            told, Assert.Single(_machine.Observer.Notes, note => note.Contains("the clock was set", StringComparison.Ordinal)),
            StringComparison.Ordinal);
        AssertAllIsUndone();
    }

    [Fact]
    public void ImagesThatAreLockedReplacedOrGoneAreToldAndTheEpisodeIsWritten()
    {
        const string Folder = @"\SystemRoot\System32\";
        _machine.Images.Files[Folder + "ntoskrnl.exe"] = new ImageIdentity(new ImageId(1, 0x10_0000), null, "", null);
        _machine.Images.Locked.Add(Folder + "nic.sys");
        _trigger.Measure(10, 600);
        Assert.Single(Run(Options()).Status.Episodes);
        const string Told =
            "images without an id in the trace: 1 could not be read (locked, denied, or no image), 1 replaced since they were loaded; "
            + "they have their names, not their symbols";
        Assert.Contains(Told, _machine.Observer.Notes);
        Assert.Contains("2 not found", new UnidentifiedImages(2, 0, 0).Told(), StringComparison.Ordinal);
        AssertAllIsUndone();
    }

    [Fact]
    public void AnEpisodeThatGivesWayAndCanNotBeDeletedIsTold()
    {
        string first = Path.ChangeExtension(Output, null) + "-1.etl";
        _machine.Clock.Passed = _ =>
        {
            if (File.Exists(first))
            {
                File.Delete(first);
                Directory.CreateDirectory(first); // What can't be deleted as a file.
            }
        };
        _trigger.Measure(10, 600);
        _trigger.Measure(60, 700);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(90), KeepWorst = 1 });
        Assert.Equal([2], result.Status.Episodes.Select(static one => one.Number));
        Assert.Equal([1], _machine.Observer.Dropped.Select(static one => one.Number));
        Assert.Contains(
            _machine.Observer.Notes, note => note.StartsWith(first + " gave way to a worse one", StringComparison.Ordinal));
        AssertAllIsUndone();
    }

    [Fact]
    public void ATriggerThatCannotStartIsToldAndTheOthersGoOn()
    {
        const string Why = "the driver is not there";
        var other = new FakeTrigger(_machine.Clock, TriggerKind.Driver) { Refusal = new InvalidOperationException(Why) };
        _trigger.Measure(10, 600);
        CaptureResult result = Run(Options(), other, _trigger);
        Assert.Single(result.Status.Episodes);
        Assert.Contains(_machine.Observer.Notes, note => note.Contains(Why, StringComparison.Ordinal));
        Assert.Contains(Why, Assert.Throws<CaptureException>(() => Run(Options(), other)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void CtrlCStillWritesWhatWasHeardOf()
    {
        _trigger.Measure(10, 600);
        using var finish = new CancellationTokenSource();
        long time = _machine.Clock.Qpc + (long)(10.1 * _machine.Clock.QpcHz);
        _machine.Clock.Passed = now => Cancel(finish, now >= time);
        CaptureResult result = Engine(Options(), _trigger).Run(finish.Token);
        Assert.Equal(CaptureEnd.Episodes, result.End);
        Assert.Single(result.Status.Episodes);
        AssertAllIsUndone();
    }

    [Fact]
    public void WhenTheSystemGivesNoTimeNothingIsWrittenAndAllIsUndone()
    {
        _trigger.Measure(10, 600);
        using var abandon = new CancellationTokenSource();
        long time = _machine.Clock.Qpc + (long)(10.1 * _machine.Clock.QpcHz);
        _machine.Clock.Passed = now => Cancel(abandon, now >= time);
        CaptureResult result = Engine(Options(), _trigger).Run(CancellationToken.None, abandon.Token);
        Assert.Equal(CaptureEnd.Cancelled, result.End);
        Assert.True(result.IsHit);
        Assert.Empty(result.Status.Episodes);
        AssertAllIsUndone();
    }

    [Fact]
    public void AFullDiskEndsItAndIsRefusedAtTheStart()
    {
        _machine.Clock.Passed = _ => _machine.FreeBytes -= 1L << 30;
        _machine.FreeBytes = 300L << 30;
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(3600) });
        Assert.Equal(CaptureEnd.DiskFull, result.End);
        AssertAllIsUndone();
        Assert.Contains("are needed", Assert.Throws<CaptureException>(() => Run(Options())).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void SnapshotsThatWindowsRefusesAreToldAndThreeInARowEndIt()
    {
        int snapshots = 0;
        _machine.Sessions.WriteSnapshot = path =>
        {
            if (++snapshots > 1)
            {
                throw new EtwException("ControlTrace", 1450, "no resources");
            }

            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
        };
        for (int i = 0; i < 5; i++)
        {
            _trigger.Measure(10 + (100 * i), 600);
        }

        Assert.Throws<CaptureException>(() => Run(Options() with { Duration = Duration.FromSeconds(3600) }));
        Assert.Equal(4, snapshots);
        AssertAllIsUndone();
    }

    [Fact]
    public void AMachineWithoutMemoryGetsASmallerRing()
    {
        _machine.Sessions.Refusal = plan => plan.Role == SessionRole.Recorder && plan.Buffers * (long)plan.BufferKb > 20_000
            ? new EtwException("StartTrace", 8, "not enough memory")
            : null;
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(5) });
        Assert.InRange(result.Status.Ring.Bytes, 1, 20_000 * 1024);
        Assert.Contains(_machine.Observer.Notes, note => note.Contains("reaches less far back", StringComparison.Ordinal));
    }

    [Fact]
    public void WhatACrashLeftIsUndoneAtTheNextStart()
    {
        var process = new LeftProcess(9, DateTime.UnixEpoch);
        _machine.Sessions.ProfileInterval = 10_000;
        using (StateFile crashed = StateFile.Open(_machine.StateFile, out _))
        {
            crashed.Write(new CaptureState { ProfileInterval100ns = 156_250, Processes = [process] });
        }

        _machine.LiveProcesses.Add(process);
        _machine.Sessions.RunningNames.AddRange(["Tracer.Recorder", "EventLog-System"]);
        Run(Options() with { Duration = Duration.FromSeconds(1) });
        Assert.Empty(_machine.LiveProcesses);
        Assert.Equal(["EventLog-System"], _machine.Sessions.RunningNames);
        Assert.Equal(156_250u, _machine.Sessions.ProfileInterval);
        Assert.False(File.Exists(_machine.StateFile));
    }

    [Fact]
    public void TheStateFileKnowsTheProbesProcessWhileItRuns()
    {
        _trigger.Process = new LeftProcess(4711, DateTime.UnixEpoch);
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the file is held open for one process alone");
        string seen = "";
        _trigger.Measure(3, 600);
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            using var cat = Process.Start(new ProcessStartInfo("cat", [_machine.StateFile]) { RedirectStandardOutput = true })!;
            seen = cat.StandardOutput.ReadToEnd();
        };
        Run(Options());
        Assert.Contains("4711", seen, StringComparison.Ordinal);
    }

    [Fact]
    public void AnalysisThatFailsIsToldAndTheTraceIsKept()
    {
        _trigger.Measure(3, 600);
        var engine = new CaptureEngine(
            Options(), _machine.Describe(), [_trigger], _ => throw new IOException("no memory stick"), _machine.Observer);
        CaptureResult result = engine.Run(CancellationToken.None);
        Assert.Equal("not analysed", Assert.Single(result.Status.Episodes).VerdictLine);
        Assert.Contains(_machine.Observer.Notes, note => note.Contains("no memory stick", StringComparison.Ordinal));
    }

    [Fact]
    public void ATriggerThatFailsMeanwhileIsToldAndTheLastOneEndsIt()
    {
        var other = new FakeTrigger(_machine.Clock, TriggerKind.Dpc);
        long time = _machine.Clock.Qpc + (10 * _machine.Clock.QpcHz);
        _machine.Clock.Passed = now => other.Failure = now >= time ? new EtwException("ProcessTrace", 4201, "the session is gone") : null;
        Run(Options() with { Duration = Duration.FromSeconds(20) }, other, _trigger);
        Assert.Contains(_machine.Observer.Notes, note => note.Contains("'dpc' no longer measures", StringComparison.Ordinal));
        time = _machine.Clock.Qpc + (10 * _machine.Clock.QpcHz);
        Assert.Throws<CaptureException>(() => Run(Options() with { Duration = Duration.FromSeconds(20) }, other));
        AssertAllIsUndone();
    }

    /// <summary>A day with an episode each half hour: the loop allocates nothing, and there are no more files than are kept.</summary>
    [Fact]
    public void ADayTakesNoMemoryAndNoMoreDiskThanIsKept()
    {
        const int Hours = 24;
        _machine.Observer.StatusInterval = TimeSpan.FromHours(1);
        _ringSeconds = 4;
        for (int i = 1; i < 2 * Hours; i++)
        {
            _trigger.Measure(1800 * i, 600 + i);
        }

        long steps = 0;
        long last = 0;
        _machine.Clock.Passed = _ =>
        {
            long now = GC.GetAllocatedBytesForCurrentThread();
            steps += now == last ? 1 : 0;
            last = now;
        };
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(Hours * 3600), KeepWorst = 3 });
        Assert.Equal(47, result.Status.EpisodesCaptured);
        Assert.Equal([645, 646, 647], result.Status.Episodes.Select(episode => (int)episode.Latency.Microseconds));
        Assert.Equal(3, Directory.GetFiles(_folder, "*.etl").Length);
        AssertAllIsUndone();

        // One step in fifty asks for the counters, a few write episodes; none of the others allocates.
        Assert.True(steps > 0.97 * Hours * 3600 * 50, $"{steps} steps without allocation");
    }

    private static void Cancel(CancellationTokenSource source, bool now)
    {
        if (now)
        {
            source.Cancel();
        }
    }

    private CaptureOptions Options() => new()
    {
        Threshold = Duration.FromMicroseconds(500),
        OutputPath = Output,
        BufferMb = 40,
    };

    private CaptureResult Run(CaptureOptions options, params ITriggerSource[] triggers) =>
        Engine(options, triggers.Length == 0 ? [_trigger] : triggers).Run(CancellationToken.None);

    private CaptureEngine Engine(CaptureOptions options, params ITriggerSource[] triggers) => new(
        options,
        _machine.Describe(),
        triggers,
        path =>
        {
            _blamed.Add(path);
            return null;
        },
        _machine.Observer);

    private static EtwException? NoPlaceForTriggers(SessionPlan plan) =>
        plan.Name == SessionPlans.TriggerName ? new EtwException("StartTrace", 1450, "no place for a session") : null;

    private void AssertAllIsUndone()
    {
        Assert.Empty(_machine.Sessions.RunningNames);
        Assert.Equal(10_000u, _machine.Sessions.ProfileInterval);
        Assert.True(_trigger.IsDisposed);
        Assert.False(File.Exists(_machine.StateFile));
        Assert.Empty(Directory.GetFiles(_folder, "*" + CaptureState.TemporarySuffix));
    }

    private struct Times : IEtlEventSink
    {
        public long LastSample { get; private set; }

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            LastSample = traceEvent.HookId == Tracer.Etl.Kernel.KernelHook.SampledProfile ? traceEvent.TimestampTicks : LastSample;
            return true;
        }
    }
}
