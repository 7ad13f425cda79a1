using System.Buffers.Binary;
using System.Diagnostics;
using System.Text.Json;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;

namespace Tracer.Capture.Tests;

/// <summary>
/// A machine that damages files, tells nothing, sleeps and refuses: a line each, every episode that can be written is, and what can't be
/// undone stays known.
/// </summary>
public sealed class HostileMachineTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-hostile-").FullName;
    private readonly FakeCaptureMachine _machine;
    private readonly FakeTrigger _trigger;

    public HostileMachineTests()
    {
        _machine = new FakeCaptureMachine(_folder);
        _trigger = new FakeTrigger(_machine.Clock, TriggerKind.Wakeup);
        _machine.Sessions.WriteSnapshot = path => TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
        _machine.Sessions.WriteRundown = path => TinyTrace.WriteRundown(path, _machine.Clock);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    /// <summary>A rundown that is damaged, cut short, or not there: the episode is written, and what is missing is told.</summary>
    [Theory]
    [InlineData("none", null)]
    [InlineData("empty", "no rundown, so drivers that were loaded before have no names")]
    [InlineData("garbage", "no rundown, so drivers that were loaded before have no names")]
    [InlineData("header", "the list of processes, threads and images can't be read: what was there before has no names")]
    [InlineData("cut", "the list of processes, threads and images lost 0 events and 1 buffer")]
    public void ADamagedRundownCostsNoEpisode(string damage, string? told)
    {
        _machine.Sessions.WriteRundown = path =>
        {
            TinyTrace.WriteRundown(path, _machine.Clock);
            Damage(path, damage);
        };
        _trigger.Measure(10, 600);
        _trigger.Measure(40, 700);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(60), KeepWorst = 5 });
        Assert.Equal([600, 700], result.Status.Episodes.Select(static one => (int)one.Latency.Microseconds));
        foreach (CapturedEpisode episode in result.Status.Episodes)
        {
            using EtlReader reader = EtlReader.Open(episode.File);
            var counter = new Counter();
            reader.Read(EtlOrder.Time, ref counter);
            Assert.False(reader.Health.HasDataLoss);
            Assert.True(counter.Events > 100);
        }

        Assert.Equal(
            told is not null,
            _machine.Observer.Notes.Any(note => note.StartsWith(told ?? "the list of", StringComparison.Ordinal)));
        AssertAllIsUndone();
    }

    /// <summary>Somebody stops the session of the only trigger, just when an episode was heard of: that is written first.</summary>
    [Fact]
    public void WhatWasHeardOfIsWrittenBeforeTheLastTriggersEndIsTold()
    {
        _trigger.Measure(10, 600);
        long heard = _machine.Clock.Qpc + (10 * _machine.Clock.QpcHz) + (_machine.Clock.QpcHz / 10);
        _machine.Clock.Passed = now =>
            _trigger.Failure = now >= heard ? new EtwException("ProcessTrace", 4201, "the session is gone") : null;
        CaptureOptions options = Options() with { KeepWorst = 5, Duration = Duration.FromSeconds(60) };
        CaptureException failure = Assert.Throws<CaptureException>(() => Run(options));
        Assert.Contains("'wakeup' no longer measures", failure.Message, StringComparison.Ordinal);
        Assert.Equal(600, Assert.Single(_machine.Observer.Episodes).Latency.Microseconds);
        Assert.Contains(_machine.Observer.Notes, note => note.Contains("'wakeup' no longer measures", StringComparison.Ordinal));
        AssertAllIsUndone();
    }

    /// <summary>A trace of yesterday that somebody has open stays, and today's episode gets another name.</summary>
    [Fact]
    public void AnOutputThatCanNotBeReplacedCostsNoEpisode()
    {
        string taken = Directory.CreateDirectory(Options().OutputPath).FullName; // What no file can replace.
        Measure(10);
        CapturedEpisode episode = Assert.Single(Run(Options()).Status.Episodes);
        Assert.StartsWith(Path.ChangeExtension(taken, null) + "-", episode.File, StringComparison.Ordinal);
        Assert.EndsWith(".etl", episode.File, StringComparison.Ordinal);
        Assert.Equal(episode.Bytes, new FileInfo(episode.File).Length);
        string told = $"the episode is in {episode.File}: {taken} can't be replaced";
        Assert.Single(_machine.Observer.Notes, note => note.StartsWith(told, StringComparison.Ordinal));
        AssertAllIsUndone();
    }

    /// <summary>A snapshot of which no trace can be made is told as that, and the next episode is written.</summary>
    [Fact]
    public void ADamagedSnapshotCostsOneEpisode()
    {
        int snapshots = 0;
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            Damage(path, ++snapshots == 2 ? "header" : "none");
        };
        _trigger.Measure(10, 600);
        _trigger.Measure(40, 700);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(60), KeepWorst = 5 });
        Assert.Equal(700, Assert.Single(result.Status.Episodes).Latency.Microseconds);
        Assert.Single(_machine.Observer.Notes, note => note.StartsWith("an episode could not be written: ", StringComparison.Ordinal));
        AssertAllIsUndone();
    }

    /// <summary>A disk that was full in the midst of a snapshot of which Windows says that it went well.</summary>
    [Fact]
    public void ASnapshotThatIsCutShortIsToldAndItsTraceCountsTheLoss()
    {
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            Damage(path, "cut");
        };
        Measure(10);
        CapturedEpisode episode = Assert.Single(Run(Options()).Status.Episodes);
        Assert.Contains("1 buffer of the snapshot can't be read: what they held is missing", _machine.Observer.Notes);
        using EtlReader reader = EtlReader.Open(episode.File);
        Assert.Equal(1u, reader.Header.BuffersLost);
        AssertAllIsUndone();
    }

    /// <summary>Asking the machine to describe itself takes seconds on some: once, also where nothing comes of it.</summary>
    [Fact]
    public void AMachineThatTellsNothingOfItselfIsAskedOnce()
    {
        Measure(10, 40, 70);
        Run(Options() with { Duration = Duration.FromSeconds(90), KeepWorst = 5 });
        SessionPlan[] rundowns = Rundowns();
        Assert.Equal([true, false, false, false], rundowns.Select(static plan => plan.WithConfiguration));
        Assert.Single(
            _machine.Observer.Notes, note => note.StartsWith("Windows was asked once to describe the machine", StringComparison.Ordinal));
    }

    /// <summary>A rundown that did not come about has asked for nothing.</summary>
    [Fact]
    public void WhereTheFirstRundownIsRefusedTheNextAsks()
    {
        int asked = 0;
        _machine.Sessions.Refusal = plan => plan.Role == SessionRole.Rundown && ++asked == 1
            ? new EtwException("StartTrace", 1450, "no place")
            : null;
        Measure(10, 40);
        Run(Options() with { Duration = Duration.FromSeconds(60), KeepWorst = 5 });
        Assert.Equal([true, false], Rundowns().Select(static plan => plan.WithConfiguration));
    }

    /// <summary>What an earlier capture left and nobody can undo now stays in the state file, while this one runs and afterwards.</summary>
    [Fact]
    public void WhatCanNotBeUndoneIsKeptForTheNextStart()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "the state file is held open for one process alone");
        string stays = Directory.CreateDirectory(Path.Combine(_folder, "y" + CaptureState.TemporarySuffix)).FullName; // No file.
        using (StateFile crashed = StateFile.Open(_machine.StateFile, out _))
        {
            crashed.Write(new CaptureState { TemporaryFiles = [stays], ProfileInterval100ns = 156_250 });
        }

        bool isRefused = true;
        _machine.Sessions.BeforeIntervalIsSet = () =>
        {
            if (isRefused)
            {
                throw new EtwException("TraceSetInformation", 5, "denied");
            }
        };
        CaptureState? meanwhile = null;
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            meanwhile = Left();
        };
        Run(Options() with { Duration = Duration.FromSeconds(1) });
        foreach (CaptureState state in (CaptureState[])[meanwhile!, Left()])
        {
            Assert.Contains(stays, state.TemporaryFiles);
            Assert.Equal(156_250u, state.ProfileInterval100ns);
        }

        Assert.Contains(_machine.Observer.Notes, note => note.Contains("it stays so until it can be restored", StringComparison.Ordinal));
        Assert.Contains(_machine.Observer.Notes, note => note.Contains($"{stays} can't be deleted now", StringComparison.Ordinal));

        Directory.Delete(stays);
        File.WriteAllText(stays, "half a snapshot");
        isRefused = false;
        _machine.Observer.Notes.Clear();
        Run(Options() with { Duration = Duration.FromSeconds(1) });
        Assert.False(File.Exists(stays));
        Assert.False(File.Exists(_machine.StateFile));
        Assert.Equal(156_250u, _machine.Sessions.ProfileInterval);
        Assert.DoesNotContain(_machine.Observer.Notes, note => note.Contains("undone", StringComparison.Ordinal));
    }

    /// <summary>The first snapshot is held for a second: the next one shows that events arrive.</summary>
    [Fact]
    public void AFirstSnapshotThatIsHeldEndsNoStart()
    {
        FileStream? scanner = null;
        int snapshots = 0;
        _machine.Sessions.WriteSnapshot = path =>
        {
            scanner?.Dispose();
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            scanner = snapshots++ == 0 ? new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.None) : null;
        };
        Measure(10);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(60) });
        Assert.Equal(1, result.Status.EpisodesCaptured);
        Assert.Equal(3, snapshots); // Two at the start, and the episode's.
        AssertAllIsUndone();
    }

    /// <summary>A capture that fails before it looks at the sampling interval forgets none that was left changed.</summary>
    [Fact]
    public void AStartThatFailsForgetsNothingThatIsToBeUndone()
    {
        using (StateFile crashed = StateFile.Open(_machine.StateFile, out _))
        {
            crashed.Write(new CaptureState { ProfileInterval100ns = 156_250 });
        }

        _machine.Sessions.BeforeIntervalIsSet = static () => throw new EtwException("TraceSetInformation", 5, "denied");
        CaptureMachine machine = _machine.Describe() with { KeepAwake = static () => throw new InvalidOperationException("no power") };
        var engine = new CaptureEngine(Options(), machine, [_trigger], static _ => null, _machine.Observer);
        Assert.Throws<InvalidOperationException>(() => engine.Run(CancellationToken.None));
        using StateFile next = StateFile.Open(_machine.StateFile, out CaptureState? left);
        Assert.Equal(156_250u, left?.ProfileInterval100ns);
    }

    /// <summary>A thread that is kept from running between two clocks has not seen a sleep.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void AStallBetweenTwoClocksIsNoSleep(int stalledRead)
    {
        var work = new CaptureWorkLog();
        var watch = new ClockWatch(new StallingClock(stalledRead), work, _machine.Observer);
        for (int look = 0; look < 4; look++)
        {
            watch.Look();
        }

        Assert.Empty(work.Spans);
    }

    /// <summary>A machine that falls asleep while an episode is written was not slow in writing it.</summary>
    [Fact]
    public void ASleepWithinAnEpisodesWritingIsNoSlowness()
    {
        int snapshots = 0;
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            if (++snapshots == 2)
            {
                _machine.Clock.Sleep(TimeSpan.FromHours(8));
                _machine.Clock.Set = TimeSpan.FromHours(-3);
            }
        };
        long start = _machine.Clock.Qpc + (10 * _machine.Clock.QpcHz);
        Measure(10);
        CaptureResult result = Run(Options() with { Duration = Duration.FromSeconds(9 * 3600), KeepWorst = 5 });
        CapturedEpisode episode = Assert.Single(result.Status.Episodes);
        Assert.Equal(_machine.Clock.UtcNow - new TimeSpan(_machine.Clock.Qpc - start), episode.StartUtc);
        Assert.Contains(_machine.Observer.Notes, note => note.StartsWith("the machine slept for ", StringComparison.Ordinal));
        Assert.DoesNotContain(_machine.Observer.Notes, note => note.StartsWith("writing the ring took", StringComparison.Ordinal));
        AssertAllIsUndone();
    }

    [Fact]
    public void SlowWritingIsToldOnce()
    {
        _machine.Sessions.WriteSnapshot = path =>
        {
            TinyTrace.WriteSnapshot(path, _machine.Clock, 60);
            _machine.Clock.Wait(TimeSpan.FromSeconds(3), CancellationToken.None);
        };
        Measure(10, 60);
        Run(Options() with { Duration = Duration.FromSeconds(90), KeepWorst = 5 });
        Assert.Single(_machine.Observer.Notes, note => note.StartsWith("writing the ring took 3", StringComparison.Ordinal));
    }

    private static void Damage(string path, string how)
    {
        const int BufferSizeOffset = 72 + 32; // Behind the buffer's and the event's header: the first field of the file's.
        byte[] bytes = File.ReadAllBytes(path);
        switch (how)
        {
            case "empty":
                bytes = [];
                break;
            case "garbage":
                Array.Fill(bytes, (byte)0x5A);
                break;
            case "cut":
                bytes = bytes[..^4000]; // All but the beginning of the last buffer.
                break;
            case "header":
                Assert.Equal(4096, BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(BufferSizeOffset)));
                BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(BufferSizeOffset), 65_537); // No size of a buffer.
                break;
            default:
                return;
        }

        File.WriteAllBytes(path, bytes);
    }

    private void Measure(params int[] seconds)
    {
        foreach (int second in seconds)
        {
            _trigger.Measure(second, 600 + second);
        }
    }

    private SessionPlan[] Rundowns() => [.. _machine.Sessions.Started.Where(static plan => plan.Role == SessionRole.Rundown)];

    /// <summary>What the state file holds: .NET would not let us read it while it is held.</summary>
    private CaptureState Left()
    {
        using var cat = Process.Start(new ProcessStartInfo("cat", [_machine.StateFile]) { RedirectStandardOutput = true })!;
        return JsonSerializer.Deserialize(cat.StandardOutput.ReadToEnd(), CaptureStateJson.Default.CaptureState)!;
    }

    private CaptureOptions Options() => new()
    {
        Threshold = Duration.FromMicroseconds(500),
        OutputPath = Path.Combine(_folder, "capture.etl"),
        BufferMb = 40,
    };

    private CaptureResult Run(CaptureOptions options) =>
        new CaptureEngine(options, _machine.Describe(), [_trigger], static _ => null, _machine.Observer).Run(CancellationToken.None);

    private void AssertAllIsUndone()
    {
        Assert.Empty(_machine.Sessions.RunningNames);
        Assert.True(_trigger.IsDisposed);
        Assert.False(File.Exists(_machine.StateFile));
        Assert.Empty(Directory.GetFiles(_folder, "*" + CaptureState.TemporarySuffix));
    }

    /// <summary>A clock of which each reading takes a microsecond, and one of the second look's 40 ms.</summary>
    private sealed class StallingClock(int stalledRead) : ICaptureClock
    {
        private const int ReadsOfALook = 4;

        private long _now = 1_000_000;
        private int _reads;

        public long QpcHz => 10_000_000;

        public long Qpc => Read();

        public long? AwakeTime => Read();

        public DateTime UtcNow => DateTime.UnixEpoch.AddTicks(Read());

        public void Wait(TimeSpan time, CancellationToken cancellation) => throw new NotSupportedException();

        private long Read()
        {
            long now = _now;
            _now += _reads++ == ReadsOfALook + stalledRead ? 400_000 : 10;
            return now;
        }
    }

    private struct Counter : IEtlEventSink
    {
        public long Events;

        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            Events++;
            return true;
        }
    }
}
