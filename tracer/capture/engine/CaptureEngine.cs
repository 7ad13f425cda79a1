using Tracer.Capture.Ground;
using Tracer.Capture.Merge;
using Tracer.Capture.Probe;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;
using Tracer.Capture.Triggers.Events;

namespace Tracer.Capture.Engine;

/// <summary>
/// The flight recorder: records into a ring, and writes it out when something was late. One thread does it all: it drains the triggers,
/// writes episodes, tells the screen, and sleeps in between. What it changes on the machine is undone however it ends.
/// </summary>
public sealed class CaptureEngine
{
    /// <summary>The triggers are asked this often.</summary>
    public static readonly TimeSpan Quantum = TimeSpan.FromMilliseconds(20);

    /// <summary>What an episode may be told late, where the triggers do not say more.</summary>
    private static readonly TimeSpan LeastDelay = TimeSpan.FromMilliseconds(10);

    /// <summary>So many seconds events may take to arrive after the start.</summary>
    private const int StartSeconds = 3;

    /// <summary>After so many snapshots in a row that Windows refused, the capture ends.</summary>
    private const int MostFailures = 3;

    /// <summary>Seconds from one look at the disk to the next.</summary>
    private const int DiskSeconds = 10;

    private readonly CaptureOptions _options;
    private readonly CaptureMachine _machine;
    private readonly ICaptureClock _clock;
    private readonly List<ITriggerSource> _sources;
    private readonly ICaptureObserver _observer;
    private readonly CaptureWorkLog _work = new();
    private readonly EpisodeAdmission _selection;
    private readonly TriggerIntake _intake;
    private readonly KeptEpisodes _kept;
    private readonly EpisodeWriting _writing;
    private readonly List<ITriggerSource> _running = [];
    private readonly EpisodeCommands? _commands;
    private readonly CostMeter _cost;
    private readonly ClockWatch _clocks;
    private readonly RefusalNotes _refusals;
    private IDisposable? _awake;
    private ITraceSession? _recorder;
    private RecorderWatch? _watch;
    private DiskGuard? _guard;
    private StateFile? _state;
    private SampleInterval? _interval;
    private CaptureException? _failure;
    private CapturePhase _phase;
    private long _watchingSince;
    private long _nextStatus = long.MinValue;
    private long _nextDisk = long.MinValue;
    private long _freeBytes;
    private string[] _notArrived = [];
    private int _captured;
    private int _failures;

    /// <summary>Makes one; nothing happens yet.</summary>
    /// <param name="sources">The triggers; disposed at the end, started or not.</param>
    /// <param name="blame">Analyses a trace; null from it where that could not be done.</param>
    public CaptureEngine(
        CaptureOptions options,
        CaptureMachine machine,
        IReadOnlyList<ITriggerSource> sources,
        Func<string, BlameReport?> blame,
        ICaptureObserver observer)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(machine);
        (_options, _machine, _sources, _observer, _clock) = (options, machine, [.. sources], observer, machine.Clock);
        _cost = new CostMeter(machine);
        _clocks = new ClockWatch(_clock, _work, observer);
        _refusals = new RefusalNotes(observer);
        _selection = new EpisodeAdmission(options.Threshold, options.Post, _clock.QpcHz, _work, options.ProcessLatency);
        _intake = new TriggerIntake(_selection, _clock, _work);
        _kept = new KeptEpisodes(options.EpisodesKept);
        _writing = new EpisodeWriting(options, machine, observer, _work, blame);
        _commands = options.OnEpisode is null ? null : new EpisodeCommands(options.OnEpisode, observer);
    }

    /// <summary>What the user asks for while it runs; null where nobody can ask.</summary>
    public SaveRequests? Requests { get; init; }

    /// <summary>Captures until it is enough. Blocks.</summary>
    /// <param name="finish">Ends it; an episode that was heard of is still written.</param>
    /// <param name="abandon">Ends it at once: the system gives no time.</param>
    /// <exception cref="CaptureException">It could not begin, or not go on.</exception>
    public CaptureResult Run(CancellationToken finish, CancellationToken abandon = default)
    {
        try
        {
            Begin(finish);
            CaptureEnd end = Loop(finish, abandon);
            _refusals.Tell(_recorder!, _watch!);
            Tell(CapturePhase.Stopping);
            return new CaptureResult { End = end, Status = Status() };
        }
        finally
        {
            Undo();
        }
    }

    private void Begin(CancellationToken cancellation)
    {
        Tell(CapturePhase.Starting);
        if (_sources.Count == 0)
        {
            throw new CaptureException("there is nothing that could trigger");
        }

        _cost.Begin();
        _state = StateFile.Open(_machine.StateFile, out CaptureState? left);
        CaptureState kept = new Leftovers(_machine, _observer).Undo(left);
        _state.Write(kept with { TemporaryFiles = [.. _writing.TemporaryFiles.Union(kept.TemporaryFiles)] });
        KeepAwake();
        _interval = new SampleInterval(_machine.Sessions, _state, _observer);
        _interval.Set((uint)Math.Max(1, _options.ProfileInterval.Nanoseconds / 100));
        _writing.SampleInterval100ns = _interval.Current100ns;
        StartRecorder();
        StartTriggers();
        if (!_writing.EventsArrive(StartSeconds, cancellation) && !cancellation.IsCancellationRequested)
        {
            throw new CaptureException(
                $"no events arrive: Windows says that the recording runs, but {StartSeconds} s after its start there is nothing in it "
                + "(Wine is not like Windows in this); nothing was changed");
        }

        _refusals.Tell(_recorder!, _watch!);
        TellSilent();
        _watchingSince = _clock.Qpc;
        Tell(CapturePhase.Watching);
    }

    private void KeepAwake()
    {
        try
        {
            _awake = _machine.KeepAwake();
        }
        catch (Exception refusal) when (refusal is System.ComponentModel.Win32Exception or EntryPointNotFoundException)
        {
            _observer.OnNote(CaptureNoteLevel.Warning, $"the machine may fall asleep, it is not kept awake: {refusal.Message}");
        }
    }

    /// <summary>Granted is what arrives: tells of what Windows says is on, and of which nothing came.</summary>
    private void TellSilent()
    {
        if (_writing.Arrivals is not { } arrivals)
        {
            return;
        }

        string[] silent =
        [
            .. arrivals.Silent(_recorder!.Granted).Select(static one => one.Name),
            .. arrivals.WithoutStack(_recorder.Plan.Stacks).Select(static one => $"stacks of {one.Group} {one.Opcode}"),
        ];
        _notArrived = silent;
        if (silent.Length > 0)
        {
            _observer.OnNote(
                CaptureNoteLevel.Warning,
                $"switched on, and not one record in the first second: {string.Join(", ", silent)}; "
                + "'analyzer info' tells which questions that leaves open");
        }
    }

    private void StartRecorder()
    {
        TimeSpan delay = _sources.Max(static source => source.Delay);
        delay = delay > LeastDelay ? delay : LeastDelay;
        Duration covered = _options.Pre + _options.Post + new Duration(delay.Ticks * 100);
        int ringMb = _options.BufferMb ?? CaptureRingDefault.Mb(_machine.Size, TimeSpan.FromTicks(covered.Nanoseconds / 100));
        string folder = Path.GetDirectoryName(Path.GetFullPath(_options.OutputPath))!;
        CheckDisk(new DiskGuard(_machine.Disk, folder, (long)ringMb << 20));
        SessionPlan plan = SessionPlans.Recorder(
            _machine.Size, TimeSpan.FromTicks(covered.Nanoseconds / 100), ringMb, _options.WithStacks, _options.WithSpinLocks);
        IEnumerable<ProviderRequest> asked = _sources.OfType<IRecordedProviders>().SelectMany(static source => source.Providers);
        plan = plan with { Providers = ProviderRequests.Joined([.. plan.Providers, .. asked]) };
        _recorder = RingStart.Start(_machine.Sessions, plan, _observer);
        _watch = new RecorderWatch(_recorder, _clock, covered);
        _guard = new DiskGuard(_machine.Disk, folder, _watch.RingBytes);
        _writing.Recorder = _recorder;
        _writing.Watch = _watch;
        if (!_recorder.IsGrantedTold)
        {
            _observer.OnNote(
                CaptureNoteLevel.Info, "Windows does not say which kernel events are on: what arrives in the first second counts");
        }

        if (_recorder.Missing.Count > 0)
        {
            _observer.OnNote(
                CaptureNoteLevel.Warning, $"this Windows does not record {string.Join(", ", _recorder.Missing)}; the rest is recorded");
        }
    }

    private static void CheckDisk(DiskGuard guard)
    {
        if (guard.HasRoom)
        {
            return;
        }

        string free = Mebibytes(guard.FreeBytes);
        throw new CaptureException(
            $"{free} are free where the trace goes, and {Mebibytes(guard.NeededBytes)} are needed: twice the ring, and 1 GiB in reserve");
    }

    private static string Mebibytes(long bytes) => (bytes >> 20).ToString("N0", CultureInfo.InvariantCulture) + " MiB";

    private void StartTriggers()
    {
        List<string> problems = [];
        foreach (ITriggerSource source in _sources)
        {
            try
            {
                if (source.Kind == TriggerKind.Driver)
                {
                    _state!.Write(_state.State with { HasDriverRun = true });
                }

                source.Start();
                _running.Add(source);
                _intake.Announce(source.Kind, source.FloorNs);
                NoteProcess(source);
                TellRemarks(source);
            }
            catch (Exception fault) when (fault is not (OutOfMemoryException or CaptureException))
            {
                problems.Add($"the trigger '{NameOf(source)}' could not be started: {fault.Message}");
            }
        }

        if (_running.Count == 0)
        {
            throw new CaptureException(string.Join("; ", problems));
        }

        foreach (string problem in problems)
        {
            _observer.OnNote(CaptureNoteLevel.Warning, problem);
        }

        LeaveToRoutines();
    }

    /// <summary>
    /// What the threshold is too low for does not measure. Where nothing else does, DPCs and ISRs are watched instead: they have no floor.
    /// </summary>
    private void LeaveToRoutines()
    {
        string refusal = "";
        foreach (ITriggerSource source in _running.ToArray())
        {
            if (ProbeFloor.Refusal(_options.Threshold, new Duration(source.FloorNs)) is { } why)
            {
                refusal = why;
                _running.Remove(source);
                source.Dispose();
                _observer.OnNote(CaptureNoteLevel.Warning, _running.Count > 0 ? why : $"{why}; DPCs and ISRs are watched instead");
            }
        }

        if (_running.Count > 0)
        {
            return;
        }

        TriggerKind[] kinds = [TriggerKind.Dpc, TriggerKind.Isr];
        var instead = new DpcIsrTrigger(_machine.Sessions, SessionPlans.Trigger(_machine.Size, kinds), _machine.Clock, kinds);
        _sources.Add(instead);
        try
        {
            instead.Start();
        }
        catch (Exception fault) when (fault is not (OutOfMemoryException or CaptureException))
        {
            throw new CaptureException($"{refusal}; and DPCs and ISRs can't be watched instead: {fault.Message}", fault);
        }

        _running.Add(instead);
        // They are heard of later, which the ring has to cover.
        _recorder!.Dispose();
        StartRecorder();
    }

    private static string NameOf(ITriggerSource source) => KebabCase.Of(source.Kind);

    private void TellRemarks(ITriggerSource source)
    {
        if (source is ITriggerRemarks remarks)
        {
            foreach ((CaptureNoteLevel level, string text) in remarks.TakeRemarks())
            {
                _observer.OnNote(level, text);
            }
        }
    }

    private void NoteProcess(ITriggerSource source)
    {
        if (source is IOwnProcess { Process: { } process })
        {
            _cost.Watch(process);
            _state!.Write(_state.State with { Processes = [.. _state.State.Processes, process] });
        }
    }

    private CaptureEnd Loop(CancellationToken finish, CancellationToken abandon)
    {
        long deadline = _options.Duration is { } limit ? _watchingSince + _clock.TicksOf(limit) : long.MaxValue;
        while (true)
        {
            bool isLast = finish.IsCancellationRequested || abandon.IsCancellationRequested;
            _clocks.Look();
            Drain();
            long now = _clock.Qpc;
            if (_failure is not null && !isLast && _selection.Pending is null)
            {
                throw _failure;
            }

            if (abandon.IsCancellationRequested || (isLast && _selection.Pending is null))
            {
                return abandon.IsCancellationRequested ? CaptureEnd.Cancelled : SavedAtTheEnd(CaptureEnd.Cancelled);
            }

            if (_selection.Pending is { } pending)
            {
                Phase(CapturePhase.Recording);
                if (now >= _selection.DueQpc || isLast)
                {
                    if (Capture(pending) is { } end)
                    {
                        return end;
                    }

                    continue;
                }
            }
            else if (Requests?.TryTake(out long askedQpc) == true)
            {
                if (Capture(AskedAt(askedQpc)) is { } end)
                {
                    return end;
                }

                continue;
            }
            else if (now >= deadline)
            {
                return SavedAtTheEnd(CaptureEnd.Duration);
            }

            if (IsDiskFull(now))
            {
                return CaptureEnd.DiskFull;
            }

            Poll();
            _commands?.Poll();
            if (now >= _nextStatus)
            {
                _running.ForEach(TellRemarks);
                _refusals.Tell(_recorder!, _watch!);
                Tell(_phase);
            }

            _clock.Wait(Quantum, finish);
        }
    }

    /// <summary>What the user asked for ends when it was asked for.</summary>
    private static PendingEpisode AskedAt(long qpc) => new(TriggerKind.AskedFor, qpc, qpc, 0, 0, qpc);

    /// <summary>The capture ends: what was asked for, now or beforehand, is saved first.</summary>
    private CaptureEnd SavedAtTheEnd(CaptureEnd end)
    {
        long asked = 0;
        return Requests?.TryTake(out asked) != true && !_options.SaveOnExit
            ? end
            : Capture(AskedAt(asked == 0 ? _clock.Qpc : asked)) is CaptureEnd.DiskFull ? CaptureEnd.DiskFull : end;
    }

    private void Poll()
    {
        try
        {
            _watch!.Poll();
        }
        catch (EtwException fault)
        {
            throw new CaptureException($"the recording is no longer running, somebody stopped it: {fault.Message}", fault);
        }
    }

    private void Drain()
    {
        for (int i = _running.Count - 1; i >= 0; i--)
        {
            ITriggerSource source = _running[i];
            try
            {
                source.Drain(_intake);
            }
            catch (Exception fault) when (fault is not (OutOfMemoryException or CaptureException))
            {
                _running.RemoveAt(i);
                string text = $"the trigger '{NameOf(source)}' no longer measures: {fault.Message}";
                _failure = _running.Count == 0 ? new CaptureException(text, fault) : null;
                if (_failure is null || _selection.Pending is not null) // An episode that was heard of is written first.
                {
                    _observer.OnNote(CaptureNoteLevel.Warning, text);
                }
            }
        }
    }

    private bool IsDiskFull(long now)
    {
        if (now < _nextDisk)
        {
            return false;
        }

        _nextDisk = now + TickRate.TicksOfSeconds(DiskSeconds, _clock.QpcHz);
        _freeBytes = _guard!.FreeBytes;
        if (_freeBytes >= _guard.NeededBytes)
        {
            return false;
        }

        _observer.OnNote(
            CaptureNoteLevel.Warning,
            $"ends: {Mebibytes(_freeBytes)} are free, and {Mebibytes(_guard.NeededBytes)} are needed for another episode");
        return true;
    }

    /// <returns>Why the capture ends with it; null where it goes on.</returns>
    private CaptureEnd? Capture(PendingEpisode pending)
    {
        Tell(CapturePhase.Writing);
        try
        {
            if (!_guard!.HasRoom)
            {
                _observer.OnNote(CaptureNoteLevel.Warning, "the disk has no room for the episode");
                return CaptureEnd.DiskFull;
            }

            CapturedEpisode episode = _writing.Write(pending, _captured + 1);
            _failures = 0;
            _captured++;
            CapturedEpisode? dropped = _kept.Add(episode);
            _selection.KeptLeastNs = _kept.LeastNs;
            _selection.KeptTimesAreFull = _kept.EventsAreFull;
            _observer.OnEpisode(episode);
            if (dropped is not null)
            {
                Drop(dropped);
            }

            _commands?.Start(episode);
        }
        catch (Exception fault) when (fault is not (OutOfMemoryException or CaptureException))
        {
            // A refusal, a disk, or a snapshot so damaged that no trace can be made of it.
            _observer.OnNote(CaptureNoteLevel.Warning, $"an episode could not be written: {fault.Message}");
            if (!_guard!.HasRoom)
            {
                return CaptureEnd.DiskFull;
            }

            if (++_failures == MostFailures)
            {
                throw new CaptureException($"{MostFailures} episodes in a row could not be written: {fault.Message}", fault);
            }
        }
        finally
        {
            _selection.Done(_clock.Qpc);
            Drain();
        }

        Tell(CapturePhase.Watching);
        return _captured >= _options.EpisodeLimit ? CaptureEnd.Episodes : null;
    }

    private void Drop(CapturedEpisode episode)
    {
        try
        {
            File.Delete(episode.File);
        }
        catch (Exception fault) when (fault is IOException or UnauthorizedAccessException)
        {
            _observer.OnNote(CaptureNoteLevel.Warning, $"{episode.File} gave way to a worse one and could not be deleted: {fault.Message}");
        }

        _observer.OnDropped(episode);
    }

    private void Phase(CapturePhase phase)
    {
        if (phase != _phase)
        {
            Tell(phase);
        }
    }

    private void Tell(CapturePhase phase)
    {
        _phase = phase;
        _nextStatus = _clock.Qpc + TickRate.TicksOf100Nanoseconds(_observer.StatusInterval.Ticks, _clock.QpcHz);
        _cost.Look();
        _observer.OnStatus(Status());
    }

    private CaptureStatus Status() => new()
    {
        Phase = _phase,
        Elapsed = _watchingSince == 0 ? Duration.Zero : _clock.LengthOf(_clock.Qpc - _watchingSince),
        Limit = _options.Duration,
        Threshold = _options.Threshold,
        Bar = new Duration(_selection.BarNs(_clock.Qpc)),
        Triggers = _intake.Status(),
        Worst = _intake.Worst,
        Episodes = [.. _kept.Episodes],
        EpisodesSeen = _selection.Seen,
        EpisodesCaptured = _captured,
        Suspects = _kept.Suspects(),
        Ring = _watch?.Ring ?? new RingStatus { Bytes = 0, Wanted = Duration.Zero, Measured = null, Estimated = null },
        Cost = _cost.Cost(_writing.Arrivals, _writing.SampleInterval100ns),
        EventsLost = _watch?.EventsLost ?? 0,
        MeasurementsLost = _intake.Lost,
        DiskUsedBytes = _kept.Bytes,
        DiskFreeBytes = _freeBytes,
        NotGranted = [.. _recorder?.Missing ?? [], .. _notArrived],
    };

    /// <summary>Undoes all that was done; each step whatever became of the one before.</summary>
    private void Undo()
    {
        bool isUndone = true;
        foreach (ITriggerSource source in _sources)
        {
            isUndone &= Try(source.Dispose);
            Try(() => TellRemarks(source));
        }

        Try(() => _awake?.Dispose());
        isUndone &= Try(() => _recorder?.Dispose());
        isUndone &= Try(() => _interval?.Restore());
        isUndone &= Try(() => DeleteFiles(_state?.State.TemporaryFiles ?? []));
        Try(() => _commands?.Dispose());
        // An interval that an earlier capture left changed stays known where this one did not come to set one.
        if (isUndone && _state?.State.ProfileInterval100ns is null)
        {
            _state?.MarkUndone();
        }

        _state?.Dispose();
    }

    private static void DeleteFiles(IReadOnlyList<string> paths)
    {
        if (Leftovers.DeleteFiles(paths) is { Count: > 0 } kept)
        {
            throw new IOException($"{string.Join(", ", kept)} can't be deleted now");
        }
    }

    private bool Try(Action step)
    {
        try
        {
            step();
            return true;
        }
#pragma warning disable CA1031 // Whatever one step throws, the others must still be done, and the next start knows the rest.
        catch (Exception fault)
#pragma warning restore CA1031
        {
            _observer.OnNote(CaptureNoteLevel.Warning, $"something could not be undone, the next capture will undo it: {fault.Message}");
            return false;
        }
    }
}
