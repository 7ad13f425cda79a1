using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;

namespace Tracer.Capture.Tests;

/// <summary>A machine with a virtual clock and sessions that write what a test wants.</summary>
internal sealed class FakeCaptureMachine(string folder)
{
    public VirtualClock Clock { get; } = new();

    public FakeSessions Sessions { get; } = new();

    public RecordingObserver Observer { get; } = new();

    public List<LeftProcess> LiveProcesses { get; } = [];

    public FakeImageFiles Images { get; } = new();

    public string StateFile { get; } = Path.Combine(folder, "capture.state");

    public long FreeBytes { get; set; } = 1L << 40;

    public CaptureMachine Describe() => new()
    {
        Sessions = Sessions,
        Clock = Clock,
        Disk = new FakeDisk(this),
        Images = Images,
        Size = new MachineSize(2, 8L << 30),
        StateFile = StateFile,
        EndProcess = LiveProcesses.Remove,
        KeepAwake = () =>
        {
            KeptAwake++;
            return new Awake(this);
        },
    };

    /// <summary>Power requests that are in force.</summary>
    public int KeptAwake { get; private set; }

    private sealed class Awake(FakeCaptureMachine machine) : IDisposable
    {
        public void Dispose() => machine.KeptAwake--;
    }

    private sealed class FakeDisk(FakeCaptureMachine machine) : ICaptureDisk
    {
        public long FreeBytes(string folder) => machine.FreeBytes;
    }
}

/// <summary>Time passes when somebody waits.</summary>
internal sealed class VirtualClock : ICaptureClock
{
    private static readonly DateTime Day = new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);

    /// <summary>Called with each step.</summary>
    public Action<long>? Passed { get; set; }

    public long Qpc { get; private set; } = 1_000_000_000;

    public long QpcHz => 10_000_000;

    /// <summary>How long the machine has slept, in units of 100 ns, which are this clock's ticks.</summary>
    public long Slept { get; private set; }

    public long? AwakeTime => Qpc - Slept;

    public void Sleep(TimeSpan time)
    {
        Qpc += time.Ticks;
        Slept += time.Ticks;
    }

    public DateTime UtcNow => Day + new TimeSpan(Qpc) + Set;

    /// <summary>By how much somebody set the clock.</summary>
    public TimeSpan Set { get; set; }

    public void Wait(TimeSpan time, CancellationToken cancellation)
    {
        Qpc += time.Ticks;
        Passed?.Invoke(Qpc);
    }
}

/// <summary>Remembers what it was told.</summary>
internal sealed class RecordingObserver : ICaptureObserver
{
    public List<string> Notes { get; } = [];

    public List<CapturedEpisode> Episodes { get; } = [];

    public List<CapturedEpisode> Dropped { get; } = [];

    public List<CapturePhase> Phases { get; } = [];

    public CaptureStatus? Last { get; private set; }

    public int Statuses { get; private set; }

    public TimeSpan StatusInterval { get; set; } = TimeSpan.FromSeconds(1);

    public void OnStatus(CaptureStatus status)
    {
        Statuses++;
        Last = status;
        if (Phases.Count == 0 || Phases[^1] != status.Phase)
        {
            Phases.Add(status.Phase);
        }
    }

    public void OnNote(CaptureNoteLevel level, string text) => Notes.Add(text);

    public void OnEpisode(CapturedEpisode episode) => Episodes.Add(episode);

    public void OnDropped(CapturedEpisode episode) => Dropped.Add(episode);
}

/// <summary>Image files that a test declares.</summary>
internal sealed class FakeImageFiles : IImageFiles
{
    public Dictionary<string, ImageIdentity> Files { get; } = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Files that are there, and that can not be read for now.</summary>
    public HashSet<string> Locked { get; } = new(StringComparer.OrdinalIgnoreCase);

    public List<string> Asked { get; } = [];

    public ImageFileStamp? StampOf(string traceName) =>
        Locked.Contains(traceName) ? new ImageFileStamp(1, DateTime.UnixEpoch, DateTime.UnixEpoch) : null;

    public IReadOnlyList<VolumeName> Volumes { get; set; } = [new(@"\Device\HarddiskVolume3\", @"C:\")];

    public ImageIdentity? Read(string traceName)
    {
        Asked.Add(traceName);
        return Files.GetValueOrDefault(traceName);
    }
}
