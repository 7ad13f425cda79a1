using System.Diagnostics;
using Tracer.Capture.Ground;
using Tracer.Capture.Probe;
using Tracer.Windows;

namespace Tracer.Capture.Triggers;

/// <summary>
/// The wake-ups that a probe process measures: starts it, empties its rings, ends it. Its own end, however it comes, ends the probe, too.
/// </summary>
public sealed class WakeupTrigger : ITriggerSource, IOwnProcess, IOwnPriority, ITriggerRemarks
{
    private const int LookMilliseconds = 10;
    private const double NanosecondsPerSecond = 1e9;

    /// <summary>The calibration takes half a second, and seven where the timer has no more than the 64 Hz clock.</summary>
    private static readonly TimeSpan LongestCalibration = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan LongestEnd = TimeSpan.FromSeconds(3);

    private readonly ProbeSettings _settings;
    private readonly IProbeLauncher _launcher;
    private readonly List<(CaptureNoteLevel Level, string Text)> _remarks = [];
    private readonly long[] _lost;

    private ProbeMemory? _memory;
    private ILaunchedProbe? _probe;
    private double _nsPerTick;
    private bool _isEndTold;
    private long _resumes;
    private bool _isRunning;

    /// <summary>Makes it; nothing runs yet.</summary>
    /// <param name="settings">How to measure; at least one CPU is named.</param>
    internal WakeupTrigger(ProbeSettings settings, IProbeLauncher launcher)
    {
        ArgumentOutOfRangeException.ThrowIfZero(settings.Cpus.Count);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(settings.Cpus.Count, ProbeSettings.MostCpus);
        _settings = settings with { ParentId = Environment.ProcessId };
        _launcher = launcher;
        _lost = new long[settings.Cpus.Count];
    }

    public TriggerKind Kind => TriggerKind.Wakeup;

    public TimeSpan Delay => TimeSpan.FromMilliseconds(50);

    public long FloorNs { get; private set; }

    /// <summary>From one clock tick that serves the probe's timer to the next; zero where it is served when it is due.</summary>
    public Duration Granularity { get; private set; }

    public LeftProcess? Process => _isRunning ? _probe?.Process : null;

    public int? Priority => _isRunning && _memory is { State: ProbeState.Running } memory ? memory.Status.Priority : null;

    /// <summary>CPU time that the probe uses in a second, in seconds of one CPU; null where it is not known yet.</summary>
    public double? CostPerSecond => _memory is { } memory && memory.Status is { RunningNs: > 0 } status
        ? status.CostNs / (double)status.RunningNs
        : null;

    /// <summary>Makes it for the CPUs of this machine; nothing runs yet.</summary>
    /// <param name="settings">How to measure; without CPUs for all that this process may use.</param>
    public static WakeupTrigger ForThisMachine(ProbeSettings settings)
    {
        ArgumentNullException.ThrowIfNull(settings);
        IReadOnlyList<int> cpus = settings.Cpus.Count > 0 ? settings.Cpus
            : OperatingSystem.IsWindows() ? CpusOf(WindowsProcessorGroups.Here)
            : [0];
        return new WakeupTrigger(settings with { Cpus = cpus }, new ProbeLauncher());
    }

    /// <summary>The CPUs that are measured where nobody names some.</summary>
    internal static IReadOnlyList<int> CpusOf(IProcessorGroups groups) => [.. ProcessCpus.Allowed(groups).Take(ProbeSettings.MostCpus)];

    /// <exception cref="CaptureException">The probe did not start, or not in time.</exception>
    public void Start()
    {
        _memory = ProbeMemory.Create(_settings.Cpus.Count);
        _probe = _launcher.Start(_settings, _memory.Name);
        _isRunning = true;
        var waited = Stopwatch.StartNew();
        while (_memory.State < ProbeState.Running)
        {
            if (_probe.WaitForExit(TimeSpan.FromMilliseconds(LookMilliseconds)) && _memory.State < ProbeState.Running)
            {
                throw new CaptureException("the probe process ended before it measured anything");
            }

            if (waited.Elapsed > LongestCalibration)
            {
                throw new CaptureException($"the probe process was not ready within {LongestCalibration.TotalSeconds:0} s");
            }
        }

        ref ProbeStatus status = ref _memory.Status;
        if (_memory.State == ProbeState.Failed)
        {
            throw new CaptureException($"the probe process could not measure: {status.GetMessage()}");
        }

        if (status.QpcHz <= 0)
        {
            throw new CaptureException("the probe process names no clock");
        }

        _nsPerTick = NanosecondsPerSecond / status.QpcHz;
        FloorNs = status.FloorNs;
        Granularity = new Duration(status.GranularityNs);
        TellStart(in status);
    }

    public void Drain(ITriggerSink sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        if (_memory is not { } memory)
        {
            return;
        }

        for (int i = 0; i < _lost.Length; i++)
        {
            ProbeRing ring = memory.Ring(i);
            for (int count = 0; count < ProbeRing.Capacity && ring.TryRead(out ProbeRecord record); count++)
            {
                long late = Math.Max(0, record.Served - record.Tick);
                sink.OnMeasurement(
                    new TriggerMeasurement(TriggerKind.Wakeup, record.Tick, (long)(late * _nsPerTick), _settings.Cpus[i], Routine: 0));
            }

            TellResumes(ring.Resumes);
            long lost = ring.Lost;
            if (lost > _lost[i])
            {
                sink.OnLost(TriggerKind.Wakeup, lost - _lost[i]);
                _lost[i] = lost;
            }
        }

        if (!_isEndTold && memory.State > ProbeState.Running)
        {
            _isEndTold = true;
            _remarks.Add((CaptureNoteLevel.Warning, memory.State == ProbeState.Failed
                ? $"the probe process failed: {memory.Status.GetMessage()}"
                : "the probe process has ended"));
        }
    }

    public IReadOnlyList<(CaptureNoteLevel Level, string Text)> TakeRemarks()
    {
        (CaptureNoteLevel, string)[] taken = [.. _remarks];
        _remarks.Clear();
        return taken;
    }

    public void Dispose()
    {
        if (_memory is { } memory)
        {
            Volatile.Write(ref memory.Status.IsStopWanted, 1);
        }

        if (_probe is { } probe)
        {
            if (!probe.WaitForExit(LongestEnd))
            {
                probe.Kill();
            }

            if (CostPerSecond is { } cost)
            {
                _remarks.Add((CaptureNoteLevel.Info, string.Create(
                    CultureInfo.InvariantCulture,
                    $"the probe used {cost:0.00%} of one CPU for {_memory?.Status.Wakeups:#,0} wake-ups on {CpuWords}")));
            }

            probe.Dispose();
        }

        _isRunning = false;
        _probe = null;
        _memory?.Dispose();
        _memory = null;
    }

    private void TellResumes(long resumes)
    {
        if (resumes > _resumes)
        {
            _resumes = resumes;
            _remarks.Add((CaptureNoteLevel.Info, "the machine slept: what its timers waited meanwhile is not a latency"));
        }
    }

    /// <summary>Tells of the CPUs that are not measured although others are.</summary>
    private void TellCpus()
    {
        for (int i = 0; i < _settings.Cpus.Count; i++)
        {
            var floor = new Duration(_memory!.Ring(i).FloorNs);
            if (ProbeFloor.CanMeasure(_settings.Threshold, FloorNs) && !ProbeFloor.CanMeasure(_settings.Threshold, floor.Nanoseconds))
            {
                _remarks.Add((CaptureNoteLevel.Warning,
                    $"CPU {_settings.Cpus[i]} is not measured: its floor is {ReadableDuration.Of(floor)}, too high for "
                    + $"{_settings.Threshold}"));
            }
        }
    }

    private string CpuWords => _lost.Length == 1 ? "1 CPU" : $"{_lost.Length} CPUs";

    private void TellStart(in ProbeStatus status)
    {
        string grid = Granularity > Duration.Zero
            ? $"clock ticks every {ReadableDuration.Of(Granularity)}"
            : "a timer that is served when it is due";
        _remarks.Add((CaptureNoteLevel.Info,
            $"the probe wakes up on {CpuWords} at priority {status.Priority}, by {grid}; floor "
            + ReadableDuration.Of(new Duration(FloorNs))));
        TellCpus();
        if (status.GetMessage() is { Length: > 0 } missing)
        {
            _remarks.Add((CaptureNoteLevel.Warning, $"the probe was not granted: {missing}"));
        }
    }
}
