using System.Security.Cryptography;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Slicing;
using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Sessions;
using Tracer.Capture.Sessions.Native;

namespace Tracer.Capture.Engine;

/// <summary>Writes an episode: snapshot, rundown behind it, merge, blame. All of it is work of our own, and noted as such.</summary>
public sealed class EpisodeWriting
{
    /// <summary>
    /// So much before the window is kept where the ring has it: what led to the window's first latencies, such as the clock ticks
    /// that show when the next one is due.
    /// </summary>
    internal static readonly Duration Lead = Duration.FromMilliseconds(250);

    /// <summary>Snapshot and rundown of a usual machine are done in less.</summary>
    private static readonly Duration LongDeafness = Duration.FromSeconds(2);

    private readonly CaptureOptions _options;
    private readonly CaptureMachine _machine;
    private readonly ICaptureObserver _observer;
    private readonly CaptureWorkLog _work;
    private readonly Func<string, BlameReport?> _blame;
    private readonly ImageIdentityCache _identities = new();
    private KernelImageLog _images = new();
    private MachineConfiguration? _configuration;
    private bool _hasAskedConfiguration;
    private bool _hasToldNoConfiguration;
    private bool _hasToldUnidentified;
    private bool _hasToldRundownLosses;
    private bool _hasToldDeafness;

    /// <summary>Makes the writing of one capture's episodes.</summary>
    /// <param name="observer">Is told of what is not as it should be.</param>
    /// <param name="blame">Analyses a trace; null from it where that could not be done.</param>
    public EpisodeWriting(
        CaptureOptions options, CaptureMachine machine, ICaptureObserver observer, CaptureWorkLog work, Func<string, BlameReport?> blame)
    {
        ArgumentNullException.ThrowIfNull(options);
        (_options, _machine, _observer, _work, _blame) = (options, machine, observer, work, blame);
        // Nobody who may write to the folder can guess the names, and put something else there first.
        string path = $"{Path.GetFullPath(options.OutputPath)}.{RandomNumberGenerator.GetHexString(8, lowercase: true)}";
        SnapshotPath = path + ".snapshot" + CaptureState.TemporarySuffix;
        RundownPath = path + ".rundown" + CaptureState.TemporarySuffix;
        MergePath = path + ".merge" + CaptureState.TemporarySuffix;
    }

    /// <summary>The recorder; set once it runs.</summary>
    public ITraceSession? Recorder { get; set; }

    public RecorderWatch? Watch { get; set; }

    /// <summary>The sampling interval in units of 100 ns; 0 where it is not known.</summary>
    public uint SampleInterval100ns { get; set; }

    /// <summary>What arrived in the first second; null before.</summary>
    public ArrivalSurvey? Arrivals { get; private set; }

    /// <summary>The files that come and go, beside the traces.</summary>
    public IReadOnlyList<string> TemporaryFiles => [SnapshotPath, RundownPath, MergePath];

    private string SnapshotPath { get; }

    private string RundownPath { get; }

    private string MergePath { get; }

    /// <summary>
    /// Sees whether events arrive: started is only what delivers. Takes a first rundown as well, which later ones are compared with.
    /// </summary>
    /// <param name="patience">How often to look, a second apart.</param>
    public bool EventsArrive(int patience, CancellationToken cancellation)
    {
        long begin = _machine.Clock.Qpc;
        try
        {
            for (int i = 0; i < patience && !cancellation.IsCancellationRequested; i++)
            {
                _machine.Clock.Wait(TimeSpan.FromSeconds(1), cancellation);
                if (Arrive(isLast: i + 1 == patience))
                {
                    if (Rundown())
                    {
                        KeepRundown();
                    }

                    return true;
                }
            }

            return false;
        }
        finally
        {
            Leftovers.DeleteFiles(TemporaryFiles);
            _work.Add(new CaptureWorkSpan(CaptureWorkKind.Start, begin, _machine.Clock.Qpc));
        }
    }

    /// <exception cref="EtwException">Windows refused the snapshot.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public CapturedEpisode Write(PendingEpisode episode, int number)
    {
        try
        {
            long begin = _machine.Clock.Qpc;
            Duration awakeBegin = AwakeTime();
            Recorder!.Snapshot(SnapshotPath);
            long end = _machine.Clock.Qpc;
            Duration awakeEnd = AwakeTime();
            _work.Add(new CaptureWorkSpan(CaptureWorkKind.Snapshot, begin, end));
            bool hasRundown = Rundown();
            _work.Add(new CaptureWorkSpan(CaptureWorkKind.Rundown, end, _machine.Clock.Qpc));
            TellDeafness(awakeEnd - awakeBegin, AwakeTime() - awakeEnd);
            return MergeAndBlame(episode, number, hasRundown);
        }
        finally
        {
            Leftovers.DeleteFiles(TemporaryFiles);
        }
    }

    /// <summary>Whether a snapshot has events; one that somebody holds, such as a virus scanner, has none unless it is the last.</summary>
    private bool Arrive(bool isLast)
    {
        try
        {
            Recorder!.Snapshot(SnapshotPath);
            if (!HasEvents())
            {
                return false;
            }

            Arrivals = ArrivalsOf(SnapshotPath);
            return true;
        }
        catch (Exception held) when (!isLast
            && held is IOException or UnauthorizedAccessException or EtwException { Code: EtwError.SharingViolation })
        {
            return false;
        }
    }

    /// <summary>Keeps of the first rundown what later episodes need.</summary>
    private void KeepRundown()
    {
        try
        {
            using EtlReader rundown = EtlReader.Open(RundownPath);
            var survey = RundownSurvey.Of(rundown, new HeaderRecords());
            _images = survey.Images;
            _configuration = survey.Configuration.Count > 0 ? survey.Configuration : null;
        }
        catch (Exception fault) when (fault is not OutOfMemoryException)
        {
            TellDamagedRundown(fault);
        }

        TellNoConfiguration();
    }

    private static ArrivalSurvey ArrivalsOf(string path)
    {
        using EtlReader snapshot = EtlReader.Open(path);
        return ArrivalSurvey.Of(snapshot);
    }

    private bool HasEvents()
    {
        if (!File.Exists(SnapshotPath))
        {
            return false;
        }

        try
        {
            using EtlReader snapshot = EtlReader.Open(SnapshotPath);
            long bytes = new FileInfo(SnapshotPath).Length;
            var survey = SnapshotSurvey.Of(snapshot, bytes, Watch!.RingBytes, default);
            Watch.Note(survey, bytes);
            return survey.Events > 0;
        }
        catch (EtlFormatException)
        {
            return false; // An empty file, or no trace at all.
        }
    }

    /// <summary>Has images, processes and threads listed: the records come when the session stops.</summary>
    private bool Rundown()
    {
        try
        {
            // Which CPUs are parked is told when that changes, which may be before the ring begins, or when a session asks.
            // Describing the machine takes seconds on some: a Windows that was asked once, and told nothing, is not asked again.
            SessionPlan plan = SessionPlans.Rundown(_machine.Size, RundownPath, withConfiguration: !_hasAskedConfiguration) with
            {
                Providers = [.. RecordedEvents.Providers.Where(static one => one.Id == ParkedProcessors.Provider)],
            };
            RundownTaking.Take(_machine.Sessions, plan);
            _hasAskedConfiguration = true;
            if (!File.Exists(RundownPath))
            {
                return false;
            }

            using EtlReader rundown = EtlReader.Open(RundownPath); // Of a full disk, cut short; of a virus scanner, locked.
            return true;
        }
        catch (Exception fault) when (fault is EtwException or IOException or UnauthorizedAccessException)
        {
            _observer.OnNote(CaptureNoteLevel.Warning, $"no rundown, so drivers that were loaded before have no names: {fault.Message}");
            return false;
        }
    }

    private CapturedEpisode MergeAndBlame(PendingEpisode episode, int number, bool hasRundown)
    {
        long begin = _machine.Clock.Qpc;
        ThreadPriority priority = Thread.CurrentThread.Priority;
        try
        {
            Thread.CurrentThread.Priority = ThreadPriority.BelowNormal;
            Duration preCovered = Merge(episode, hasRundown);
            string path = PutInPlace(PathOf(number));
            BlameReport? report = Blame(path);
            return new CapturedEpisode
            {
                Number = number,
                File = path,
                Bytes = new FileInfo(path).Length,
                Trigger = episode.Kind,
                StartQpc = episode.StartQpc,
                StartUtc = DateOf(episode.StartQpc),
                Latency = new Duration(episode.LatencyNs),
                Cpu = episode.Cpu,
                PreCovered = preCovered,
                Blame = report?.Summary,
                Suspects = report is null ? [] : [.. report.Culprits.Select(static one => new EpisodeSuspect(one.Name, one.Blamed))],
            };
        }
        finally
        {
            Thread.CurrentThread.Priority = priority;
            _work.Add(new CaptureWorkSpan(CaptureWorkKind.Merge, begin, _machine.Clock.Qpc));
        }
    }

    /// <summary>Gives the trace its name, or another where somebody holds the file of that name.</summary>
    private string PutInPlace(string path)
    {
        try
        {
            File.Move(MergePath, path, overwrite: true);
            return path;
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            string other = RandomNumberGenerator.GetHexString(8, lowercase: true);
            string free = $"{Path.ChangeExtension(path, null)}-{other}{Path.GetExtension(path)}";
            File.Move(MergePath, free);
            _observer.OnNote(CaptureNoteLevel.Warning, $"the episode is in {free}: {path} can't be replaced ({fault.Message})");
            return free;
        }
    }

    private Duration Merge(PendingEpisode episode, bool hasRundown)
    {
        var window = new TraceWindow(
            episode.StartQpc - _machine.Clock.TicksOf(_options.Pre), episode.EndQpc + _machine.Clock.TicksOf(PostOf(episode)));
        TraceWindow kept = window with { Begin = window.Begin - _machine.Clock.TicksOf(Lead) };
        using EtlReader snapshot = EtlReader.Open(SnapshotPath);
        long bytes = new FileInfo(SnapshotPath).Length;
        var survey = SnapshotSurvey.Of(snapshot, bytes, Watch!.RingBytes, window);
        Watch.Note(survey, bytes);
        Duration preCovered = PreCovered(episode, survey.CoveredFrom);
        TellUnread(survey.Unread);
        var request = new MergeRequest
        {
            Snapshot = snapshot,
            Survey = survey,
            Rundown = null,
            Window = window,
            Kept = kept,
            KeptFromUtc = DateOf(kept.Begin),
            EventsLostBefore = Watch.EventsLostBefore(window.Begin),
            SampleInterval100ns = SampleInterval100ns,
            Images = _machine.Images,
            Identities = _identities,
            EarlierImages = _images,
            Configuration = _configuration,
            Events = new EpisodeEvents
            {
                Trigger = episode.Kind,
                Threshold = episode.Kind.IsOfProcess() ? _options.ProcessLatency ?? _options.Threshold : _options.Threshold,
                EpisodeStart = episode.StartQpc,
                Latency = new Duration(episode.LatencyNs),
                Cpu = episode.Cpu,
                PreCovered = preCovered,
                Wanted = Recorder!.Plan,
                Granted = Arrivals?.Measured(Recorder.Granted) ?? Recorder.Granted,
                GrantedStacks =
                    Arrivals?.MeasuredStacks(Recorder.Plan.Stacks, Recorder.GrantedStacks) ?? Recorder.GrantedStacks,
                Work = _work.Spans,
            },
        };
        try
        {
            using EtlReader? rundown = hasRundown ? EtlReader.Open(RundownPath) : null;
            Write(request with { Rundown = rundown });
        }
        catch (Exception fault) when (hasRundown && fault is not OutOfMemoryException)
        {
            // Damaged, or locked by now: a trace without it is worth more than none. A disk that is full refuses this as well.
            Write(request with { Survey = SnapshotSurvey.Of(snapshot, bytes, Watch.RingBytes, window) });
            TellDamagedRundown(fault);
        }

        return preCovered;
    }

    private void Write(MergeRequest request)
    {
        _identities.BeginTrace();
        File.Delete(MergePath);
        using FileStream output = new(MergePath, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.Read);
        MergeOutcome outcome = SnapshotMerge.Write(request, output);
        _images = outcome.KernelImages.Count > 0 ? outcome.KernelImages : _images;
        _configuration ??= outcome.Configuration;
        TellUnidentified(outcome.Unidentified);
        TellRundownLosses(RundownLosses.Of(request.Rundown));
        TellNoConfiguration();
    }

    /// <summary>The time that the machine was awake; where it does not tell, what passed.</summary>
    private Duration AwakeTime() => _machine.Clock.AwakeTime is { } awake
        ? new Duration(100 * awake)
        : _machine.Clock.LengthOf(_machine.Clock.Qpc);

    private Duration PostOf(PendingEpisode episode) => episode.Kind == TriggerKind.AskedFor ? Duration.Zero : _options.Post;

    private Duration PreCovered(PendingEpisode episode, long coveredFrom)
    {
        long coveredNs = TickRate.NanosecondsOf(
            Math.Max(0, episode.StartQpc - Math.Min(coveredFrom, episode.StartQpc)), _machine.Clock.QpcHz);
        var covered = new Duration(Math.Min(_options.Pre.Nanoseconds, coveredNs));
        if (covered < _options.Pre)
        {
            _observer.OnNote(
                CaptureNoteLevel.Warning,
                $"the ring held {ReadableDuration.Of(covered)} before the episode instead of {_options.Pre}: --buffer-mb makes it larger");
        }

        return covered;
    }

    private BlameReport? Blame(string path)
    {
        try
        {
            return _blame(path);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException or InvalidDataException)
        {
            _observer.OnNote(CaptureNoteLevel.Warning, $"{path} was not analysed: {fault.Message}");
            return null;
        }
    }

    /// <summary>What is late while an episode is written is our own doing, or taken for it: told where that is long.</summary>
    private void TellDeafness(Duration snapshot, Duration rundown)
    {
        if (snapshot + rundown >= LongDeafness && !_hasToldDeafness)
        {
            _hasToldDeafness = true;
            _observer.OnNote(
                CaptureNoteLevel.Warning,
                $"writing the ring took {ReadableDuration.Of(snapshot)} and listing processes, threads and images "
                + $"{ReadableDuration.Of(rundown)}: what was late meanwhile is not reported");
        }
    }

    private void TellUnidentified(UnidentifiedImages images)
    {
        if (!_hasToldUnidentified && images.Told() is { } told)
        {
            _hasToldUnidentified = true;
            _observer.OnNote(CaptureNoteLevel.Info, told);
        }
    }

    private void TellRundownLosses(RundownLosses losses)
    {
        if (!losses.IsNone && !_hasToldRundownLosses)
        {
            _hasToldRundownLosses = true;
            _observer.OnNote(
                CaptureNoteLevel.Warning,
                $"the list of processes, threads and images lost {Counted.Of(losses.Events, "event")} and "
                + $"{Counted.Of(losses.Buffers, "buffer")}: some code will have no name");
        }
    }

    /// <summary>A snapshot that was written and can't be read whole, as of a disk that was full: the trace is of what there is.</summary>
    private void TellUnread(long buffers)
    {
        if (buffers > 0)
        {
            _observer.OnNote(
                CaptureNoteLevel.Warning, $"{Counted.Of(buffers, "buffer")} of the snapshot can't be read: what they held is missing");
        }
    }

    private void TellDamagedRundown(Exception fault) => _observer.OnNote(
        CaptureNoteLevel.Warning,
        $"the list of processes, threads and images can't be read: what was there before has no names ({fault.Message})");

    private void TellNoConfiguration()
    {
        if (_hasAskedConfiguration && _configuration is null && !_hasToldNoConfiguration)
        {
            _hasToldNoConfiguration = true;
            _observer.OnNote(
                CaptureNoteLevel.Info,
                "Windows was asked once to describe the machine, and did not: reports name no processors, disks and devices");
        }
    }

    private string PathOf(int number)
    {
        string path = Path.GetFullPath(_options.OutputPath);
        return _options.EpisodeLimit == 1
            ? path
            : Path.ChangeExtension(path, null) + FormattableString.Invariant($"-{number}") + Path.GetExtension(path);
    }

    private DateTime DateOf(long qpc)
    {
        Duration since = _machine.Clock.LengthOf(_machine.Clock.Qpc - qpc);
        return _machine.Clock.UtcNow - new TimeSpan(since.Nanoseconds / TimeSpan.NanosecondsPerTick);
    }
}
