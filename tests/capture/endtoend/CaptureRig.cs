using Tracer.Analysis;
using Tracer.Analysis.Report;
using Tracer.Analysis.Request;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;
using Tracer.Symbols;

#pragma warning disable CA1416 // Below these sessions is the fake Windows.

namespace Tracer.Capture.Tests;

/// <summary>
/// A capture on a fake Windows, with all of the product from the engine down to the P/Invokes. Traces go into a folder of its own; what the
/// user would be told is kept.
/// </summary>
internal sealed class CaptureRig : IDisposable, ICaptureObserver, ICaptureDisk, IImageFiles
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);

    private readonly CancellationTokenSource _afterwards = new();
    private readonly long _latest;
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-capture-").FullName;

    public CaptureRig(MachineTrace machine, FakeOptions? options = null)
    {
        Windows = new FakeWindows(machine, options);
        _latest = Windows.Plays[^1] + machine.LastTicks - machine.FirstTicks + Windows.Clock.Ticks(Patience);
        StateFile = Path.Combine(_folder, "tracer-capture.state");
        Options = new CaptureOptions { Threshold = Duration.FromMicroseconds(500), OutputPath = Path.Combine(_folder, "episode.etl") };
    }

    public FakeWindows Windows { get; }

    /// <summary>What the user asks for; tests change it.</summary>
    public CaptureOptions Options { get; set; }

    public EtwSessions Sessions { get; } = new();

    /// <summary>What the user was told.</summary>
    public List<string> Notes { get; } = [];

    public List<CapturedEpisode> Episodes { get; } = [];

    public List<CapturedEpisode> Dropped { get; } = [];

    public Action<CaptureStatus>? Watch { get; set; }

    /// <summary>Physical memory: the ring takes 5 % of it at most.</summary>
    public long MemoryBytes { get; set; } = 8L << 30;

    public long DiskFreeBytes { get; set; } = 100L << 30;

    public string StateFile { get; set; }

    public TimeSpan StatusInterval { get; set; } = TimeSpan.FromSeconds(1);

    public IReadOnlyList<string> Files => [.. Directory.EnumerateFiles(_folder).Select(path => Path.GetFileName(path)).Order()];

    /// <summary>Bytes of these files.</summary>
    public long DiskUsedBytes => new DirectoryInfo(_folder).EnumerateFiles().Sum(file => file.Length);

    public IReadOnlyList<VolumeName> Volumes => [];

    /// <summary>A machine's truth as a source of wake-ups.</summary>
    public TruthTrigger Wakeups(TriggerKind kind = TriggerKind.Wakeup) => new(Windows, kind);

    /// <summary>The trigger that reads a session through TraceEvent.</summary>
    public DpcIsrTrigger Interrupts(params TriggerKind[] kinds) =>
        new(Sessions, SessionPlans.Trigger(Machine().Size, kinds), Windows.Clock, kinds);

    /// <summary>Captures with the wake-ups as trigger.</summary>
    public CaptureResult Run() => Run(Wakeups());

    public CaptureResult Run(params ITriggerSource[] sources) => Engine(sources).Run(_afterwards.Token);

    public CaptureEngine Engine(params ITriggerSource[] sources) =>
        new(Options, Machine(), sources, path => Blame(path, Options.Threshold).Report, this);

    /// <summary>What an analysis says of a trace.</summary>
    public static BlameResult Blame(string path, Duration threshold)
    {
        using EtlReader reader = EtlReader.Open(path);
        return BlameAnalysis.Analyze(path, reader, new BlameRequest { Threshold = threshold });
    }

    public void Dispose()
    {
        Windows.Dispose();
        _afterwards.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    public void OnStatus(CaptureStatus status)
    {
        Watch?.Invoke(status);
        if (Windows.Now > _latest)
        {
            _afterwards.Cancel(); // Nothing will happen any more on this machine.
        }
    }

    public void OnNote(CaptureNoteLevel level, string text) => Notes.Add(text);

    public void OnEpisode(CapturedEpisode episode) => Episodes.Add(episode);

    public void OnDropped(CapturedEpisode episode) => Dropped.Add(episode);

    public long FreeBytes(string folder) => DiskFreeBytes;

    public ImageIdentity? Read(string traceName)
    {
        if (Windows.Machine.Images.Find(traceName) is not { } image)
        {
            return null;
        }

        ImageVersionTexts? version = image.Version.Count == 0 ? null : new ImageVersionTexts
        {
            OriginalFileName = image.Version[0],
            Description = image.Version[1],
            FileVersion = image.Version[2],
            NumberVersion = image.Version[3],
            Product = image.Version[5],
            Company = image.Version[6],
            ProductVersion = image.Version[7],
        };
        var pdb = new PdbId(image.PdbId, image.PdbAge);
        return new ImageIdentity(new ImageId(image.TimeDateStamp, (uint)image.Bytes), pdb, image.PdbName, version);
    }

    public CaptureMachine Machine() => new()
    {
        Sessions = Sessions,
        Clock = Windows.Clock,
        Disk = this,
        Images = this,
        Size = new MachineSize(Windows.Machine.Header.ProcessorCount, MemoryBytes),
        StateFile = StateFile,
        EndProcess = _ => false,
    };
}
