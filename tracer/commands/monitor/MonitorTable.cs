using Tracer.Analysis.Contents;
using Tracer.Capture.Driver.Modules;
using Tracer.Capture.Engine;
using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;
using Tracer.Capture.Triggers;
using Tracer.Etl.Kernel;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>
/// What <c>tracer monitor</c> counts: for each driver its ISRs and DPCs, for each process its hard faults, for each CPU the time that both
/// took, and how late the probe's threads woke up; what Windows recorded as glitches; and the jobs of processes that somebody asks about.
/// Takes the events of a session or of a file alike, and the probe's measurements; from any thread. Bounded, and allocates nothing
/// for an event of what it knows but a glitch.
/// </summary>
/// <remarks>
/// A routine's time is net of what interrupted it, as in the table of <c>analyzer blame</c>. A driver is the image that holds the routine;
/// who is behind a framework is known only to stacks, which the monitor does not record. Threaded DPCs and passive-level ISRs are not
/// counted: they run as threads do. Records of a negative or absurd length (over 60 s) are left out and counted.
/// </remarks>
public sealed class MonitorTable : IRealTimeSink, ITriggerSink
{
    /// <summary>More drivers than this share the row <see cref="Others"/>.</summary>
    public const int MostDrivers = 1024;

    /// <summary>More processes than this share the row <see cref="Others"/>.</summary>
    public const int MostProcesses = 1024;

    /// <summary>The row of all that there are too many of.</summary>
    public const string Others = "(others)";

    /// <summary>The row of routines outside any image that is known.</summary>
    public const string NoImage = "(no image)";

    /// <summary>The row of threads whose process is not known.</summary>
    public const string NoProcess = "(not known)";

    private const long AbsurdSeconds = 60;

    private readonly Lock _lock = new();
    private readonly long _hz;
    private readonly long _absurdTicks;
    private readonly KernelImages _images = new();
    private readonly ThreadOwners _owners = new();
    private readonly Dictionary<string, DriverRow> _drivers = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<string, FaultRow> _processes = new(StringComparer.OrdinalIgnoreCase);
    private readonly List<CpuRow> _cpus = [];
    private readonly LatencyCounts _wakeups = new();
    private readonly GlitchCounter _glitches;
    private readonly JobWatch? _jobs;
    private long _jobsDone;
    private long _deadlinesMissed;
    private long? _worstResponse;
    private long? _worstLost;
    private int _worstWakeupCpu = -1;
    private long _events;
    private long _damaged;
    private long _eventsLost;
    private long _wakeupsLost;

    /// <summary>Makes an empty table.</summary>
    /// <param name="processes">Whose jobs are counted: names of images, or process ids; null for none.</param>
    public MonitorTable(long ticksPerSecond, IEnumerable<KernelModule> modules, IReadOnlyList<string>? processes = null)
    {
        ArgumentNullException.ThrowIfNull(modules);
        _hz = ticksPerSecond;
        _absurdTicks = TickRate.TicksOfSeconds(AbsurdSeconds, ticksPerSecond);
        _glitches = new GlitchCounter(new TraceClock(TraceClockKind.Qpc, ticksPerSecond, 0, 0));
        _jobs = processes is { Count: > 0 } ? new JobWatch(processes, null) : null;
        foreach (KernelModule module in modules)
        {
            _images.Add(module.Base, module.ImageBytes, module.Path);
        }
    }

    public void OnEvent(in EtlEvent traceEvent)
    {
        lock (_lock)
        {
            _events++;
            if (_jobs?.OnEvent(in traceEvent, out WatchedJob job) == true)
            {
                OnJob(in job);
            }

            switch (traceEvent.HookId)
            {
                case KernelHook.Isr or KernelHook.IsrMessageSignalled:
                    if (IsrRecord.TryRead(in traceEvent, out IsrRecord isr))
                    {
                        OnRoutine(isIsr: true, isr.Routine, isr.InitialTime, in traceEvent);
                    }

                    break;
                case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                    if (DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
                    {
                        OnRoutine(isIsr: false, dpc.Routine, dpc.InitialTime, in traceEvent);
                    }

                    break;
                case KernelHook.HardFault:
                    if (HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault))
                    {
                        OnHardFault(in fault, traceEvent.TimestampTicks);
                    }

                    break;
                case var _ when !traceEvent.IsKernelHook:
                    _glitches.Add(in traceEvent);
                    break;
                default:
                    _images.Learn(in traceEvent);
                    _owners.Learn(in traceEvent);
                    break;
            }
        }
    }

    public void OnLost(int count)
    {
        lock (_lock)
        {
            _eventsLost += count;
            _jobs?.Forget();
        }
    }

    public void OnMeasurement(in TriggerMeasurement measurement)
    {
        lock (_lock)
        {
            if (_wakeups.Count == 0 || measurement.LatencyNs > _wakeups.WorstNs)
            {
                _worstWakeupCpu = measurement.Cpu;
            }

            _wakeups.Add(measurement.LatencyNs);
            CpuRow cpu = CpuAt(measurement.Cpu);
            cpu.WorstWakeupNs = Math.Max(cpu.WorstWakeupNs ?? 0, measurement.LatencyNs);
        }
    }

    public void OnLost(TriggerKind kind, long count)
    {
        lock (_lock)
        {
            _wakeupsLost += count;
        }
    }

    /// <summary>A copy of all counts, for a screen or a file.</summary>
    /// <param name="eventsLost">Events that the session says it lost; the larger of this and what its records tell counts.</param>
    /// <returns>It, the longest total time first.</returns>
    public MonitorCounts Counts(Duration elapsed, long eventsLost = 0)
    {
        lock (_lock)
        {
            return new MonitorCounts
            {
                Elapsed = elapsed,
                Events = _events,
                EventsLost = Math.Max(_eventsLost, eventsLost),
                Damaged = _damaged,
                Drivers =
                [
                    .. _drivers.Values.Select(static row => new MonitorDriver(row.Name, row.Isr.Counts(), row.Dpc.Counts()))
                        .OrderByDescending(static row => row.Total).ThenBy(static row => row.Name, StringComparer.Ordinal),
                ],
                Processes =
                [
                    .. _processes.Values.Select(static row => new MonitorProcess(row.Name, row.Faults.Counts(), row.Bytes))
                        .OrderByDescending(static row => row.Faults.Total).ThenBy(static row => row.Name, StringComparer.Ordinal),
                ],
                Cpus = [.. _cpus.Select(static (row, cpu) => row.Counts(cpu))],
                Glitches = new MonitorGlitches(_glitches.Audio, _glitches.Frames, _glitches.DeadlinesMissed),
                Jobs = _jobs is null ? null : new MonitorJobs(_jobsDone, _deadlinesMissed, LengthOf(_worstResponse), LengthOf(_worstLost)),
                Wakeups = _wakeups.Count == 0 && _wakeupsLost == 0 ? null : new MonitorWakeups(
                    _wakeups.Count,
                    _wakeups.Percentile(0.5) ?? Duration.Zero,
                    _wakeups.Percentile(0.99) ?? Duration.Zero,
                    new Duration(_wakeups.WorstNs),
                    _worstWakeupCpu,
                    _wakeupsLost),
            };
        }
    }

    private void OnRoutine(bool isIsr, ulong routine, long begin, in EtlEvent traceEvent)
    {
        long end = traceEvent.TimestampTicks;
        if (begin > end || end - begin > _absurdTicks)
        {
            _damaged++;
            return;
        }

        CpuRow cpu = CpuAt(traceEvent.Cpu);
        long ownNs = NanosecondsOf(cpu.Nesting.OwnOf(begin, end));
        DriverRow driver = DriverOf(_images.NameAt(routine) ?? NoImage);
        (isIsr ? driver.Isr : driver.Dpc).Add(ownNs);
        (isIsr ? cpu.Isr : cpu.Dpc).Add(ownNs);
    }

    private void OnJob(in WatchedJob job)
    {
        _jobsDone++;
        _deadlinesMissed += job.IsMissed ? 1 : 0;
        ref long? worst = ref (job.IsMissed ? ref _worstResponse : ref _worstLost);
        worst = Math.Max(worst ?? 0, job.LatencyTicks);
    }

    private void OnHardFault(in HardFaultRecord fault, long end)
    {
        long begin = fault.InitialTime;
        if (begin > end || end - begin > _absurdTicks)
        {
            _damaged++;
            return;
        }

        string name = _owners.ProcessOf(fault.ThreadId) is { } process ? _owners.NameOf(process) ?? NoProcess : NoProcess;
        if (!_processes.TryGetValue(name, out FaultRow? row))
        {
            name = _processes.Count < MostProcesses ? name : Others;
            if (!_processes.TryGetValue(name, out row))
            {
                _processes.Add(name, row = new FaultRow(name));
            }
        }

        row.Faults.Add(NanosecondsOf(end - begin));
        row.Bytes += fault.ByteCount;
    }

    private DriverRow DriverOf(string name)
    {
        if (!_drivers.TryGetValue(name, out DriverRow? row))
        {
            name = _drivers.Count < MostDrivers ? name : Others;
            if (!_drivers.TryGetValue(name, out row))
            {
                _drivers.Add(name, row = new DriverRow(name));
            }
        }

        return row;
    }

    private CpuRow CpuAt(int cpu)
    {
        int number = Math.Clamp(cpu, 0, EtlBufferHeader.MaximumProcessors - 1);
        while (_cpus.Count <= number)
        {
            _cpus.Add(new CpuRow());
        }

        return _cpus[number];
    }

    private Duration? LengthOf(long? ticks) => ticks is { } known ? new Duration(NanosecondsOf(known)) : null;

    private long NanosecondsOf(long ticks) => TickRate.NanosecondsOf(ticks, _hz);

    /// <summary>How often something happened and how long it took.</summary>
    private sealed class Times
    {
        private readonly LatencyCounts _counts = new();
        private long _totalNs;

        public void Add(long nanoseconds)
        {
            _counts.Add(nanoseconds);
            _totalNs += nanoseconds;
        }

        public MonitorTimes Counts() => new(
            _counts.Count, new Duration(_totalNs), new Duration(_counts.WorstNs), _counts.Percentile(0.99) ?? Duration.Zero);
    }

    private sealed class DriverRow(string name)
    {
        public string Name { get; } = name;

        public Times Isr { get; } = new();

        public Times Dpc { get; } = new();
    }

    private sealed class FaultRow(string name)
    {
        public string Name { get; } = name;

        public Times Faults { get; } = new();

        public long Bytes { get; set; }
    }

    private sealed class CpuRow
    {
        public NestedTime Nesting { get; } = new();

        public Times Isr { get; } = new();

        public Times Dpc { get; } = new();

        public long? WorstWakeupNs { get; set; }

        public MonitorCpu Counts(int cpu) =>
            new(cpu, Isr.Counts(), Dpc.Counts(), WorstWakeupNs is { } worst ? new Duration(worst) : null);
    }
}
