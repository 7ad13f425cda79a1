using Tracer.Capture.Ground;
using Tracer.Capture.Sessions;

namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>Shows a monitor while it runs. Every call comes on the monitor's thread.</summary>
public interface IMonitorObserver
{
    /// <summary>How often <see cref="OnCounts"/> is wanted.</summary>
    TimeSpan Interval { get; }

    void OnCounts(MonitorCounts counts);

    /// <summary>Something to be told once.</summary>
    /// <param name="text">A sentence without a full stop.</param>
    void OnNote(CaptureNoteLevel level, string text);
}

/// <summary>
/// Watches a machine without keeping anything: a real-time session of its own, read on a thread of its own, and the probe process. What it
/// started is ended however it ends.
/// </summary>
/// <param name="processes">Whose jobs are counted: names of images, or process ids.</param>
public sealed class MonitorRun(MonitorMachine machine, IMonitorObserver observer, IReadOnlyList<string> processes)
{
    private static readonly TimeSpan Quantum = TimeSpan.FromMilliseconds(100);

    private ITriggerSource? _probe;
    private SessionCounters _counters;

    /// <summary>Watches. Blocks.</summary>
    /// <param name="duration">How long; null until it is ended.</param>
    /// <exception cref="CaptureException">It could not begin, or not go on.</exception>
    public MonitorCounts Run(Duration? duration, CancellationToken finish)
    {
        using FileStream held = Hold();
        try
        {
            StopLeftover();
            var table = new MonitorTable(machine.Clock.QpcHz, machine.Modules.List(), processes);
            SessionPlan plan = SessionPlans.Monitor(machine.Size, withJobs: processes.Count > 0);
            using SessionReading reading = new(machine.Sessions, plan, machine.Clock);
            Start(reading, table);
            StartProbe();
            return Watch(reading, table, duration, finish);
        }
        finally
        {
            _probe?.Dispose();
        }
    }

    private FileStream Hold()
    {
        try
        {
            return new FileStream(
                machine.LockFile, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None, 1, FileOptions.DeleteOnClose);
        }
        catch (UnauthorizedAccessException fault)
        {
            throw new CaptureException("the monitor needs an administrator: run it from a console opened as administrator", fault);
        }
        catch (IOException fault)
        {
            throw new CaptureException("another 'tracer monitor' is running on this machine: end that one first", fault);
        }
    }

    private void StopLeftover()
    {
        try
        {
            if (machine.Sessions.Running().Any(static one => one.Name.Equals(SessionPlans.MonitorName, StringComparison.OrdinalIgnoreCase))
                && machine.Sessions.Stop(SessionPlans.MonitorName))
            {
                observer.OnNote(CaptureNoteLevel.Info, "stopped the session that an earlier monitor had left running");
            }
        }
        catch (EtwException fault)
        {
            // Where one of ours still has the name, starting it says so.
            observer.OnNote(CaptureNoteLevel.Warning, $"whether an earlier monitor left a session running is not known: {fault.Message}");
        }
    }

    private void Start(SessionReading reading, MonitorTable table)
    {
        IReadOnlyList<string> missing;
        try
        {
            missing = reading.Open();
        }
        catch (EtwException fault)
        {
            throw new CaptureException($"the monitor could not be started: {fault.Message}", fault);
        }

        if (missing.Count > 0)
        {
            observer.OnNote(CaptureNoteLevel.Warning, $"this Windows does not record {string.Join(", ", missing)}; the rest is shown");
        }

        reading.Begin(name => machine.Sessions.ReadEvents(name, table));
    }

    private void StartProbe()
    {
        _probe = machine.Probe?.Invoke();
        try
        {
            _probe?.Start();
        }
        catch (Exception fault) when (fault is CaptureException or IOException or InvalidOperationException)
        {
            observer.OnNote(CaptureNoteLevel.Warning, $"no wake-ups are measured: {fault.Message}");
            _probe!.Dispose();
            _probe = null;
        }
    }

    private MonitorCounts Watch(SessionReading reading, MonitorTable table, Duration? duration, CancellationToken finish)
    {
        long begin = machine.Clock.Qpc;
        long end = duration is { } limit ? begin + machine.Clock.TicksOf(limit) : long.MaxValue;
        TimeSpan cpuBegin = machine.CpuTime();
        long next = begin;
        while (true)
        {
            DrainProbe(table);
            long now = machine.Clock.Qpc;
            if (reading.End is { } fault)
            {
                throw new CaptureException($"the monitor's session is no longer running, somebody stopped it: {fault.Message}", fault);
            }

            bool isOver = now >= end || finish.IsCancellationRequested;
            if (isOver || now >= next)
            {
                next = now + TickRate.TicksOf100Nanoseconds(observer.Interval.Ticks, machine.Clock.QpcHz);
                MonitorCounts counts = CountsOf(reading, table, now - begin, machine.CpuTime() - cpuBegin, isOver);
                observer.OnCounts(counts);
                if (isOver)
                {
                    return counts;
                }
            }

            machine.Clock.Wait(Quantum, finish);
        }
    }

    /// <summary>Counts; at the end all that came, which a session gives away when it stops.</summary>
    private MonitorCounts CountsOf(SessionReading reading, MonitorTable table, long ticks, TimeSpan cpu, bool isLast)
    {
        try
        {
            _counters = reading.Query();
        }
        catch (EtwException fault) when (!fault.IsOfGoneSession)
        {
            reading.NoteRefusal(fault); // What it lost until the last answer is all that is known.
        }
        catch (EtwException fault)
        {
            throw new CaptureException($"the monitor's session is no longer running, somebody stopped it: {fault.Message}", fault);
        }

        foreach ((CaptureNoteLevel level, string text) in reading.TakeRemarks())
        {
            observer.OnNote(level, text);
        }

        if (isLast)
        {
            reading.Dispose();
        }

        Duration elapsed = machine.Clock.LengthOf(ticks);
        return table.Counts(elapsed, (long)_counters.EventsLost + _counters.RealTimeBuffersLost) with
        {
            Cost = new MonitorCost(new Duration(cpu.Ticks * 100), _probe is null ? null : machine.ProbeShare(_probe)),
        };
    }

    private void DrainProbe(MonitorTable table)
    {
        try
        {
            _probe?.Drain(table);
        }
        catch (Exception fault) when (fault is CaptureException or InvalidOperationException)
        {
            observer.OnNote(CaptureNoteLevel.Warning, $"wake-ups are no longer measured: {fault.Message}");
            _probe!.Dispose();
            _probe = null;
        }
    }
}
