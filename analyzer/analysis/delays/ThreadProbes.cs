using System.Runtime.CompilerServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>
/// Measures the wake-ups of threads: from when a thread became runnable until it runs. It becomes runnable when its DPC is queued, where
/// that is known, otherwise when it is made ready. Delays at or above the threshold are passed on.
/// </summary>
internal sealed class ThreadProbes
{
    private readonly DelaySettings _settings;
    private readonly LossMap _losses;
    private readonly RoutineCounts _routines;
    private readonly PowerHistory _power;
    private readonly TracePart _asked;
    private readonly IDelaySink _delays;
    private readonly WakeupWatch _wakeups;
    private readonly VictimWaits _waits = new();
    private readonly HeldWakeups _held;
    private readonly WakeBeats _beats;
    private long? _worstTicks;
    private long _acrossLoss;
    private long _lastTicks;

    /// <param name="delays">Receives the delays at or above the threshold.</param>
    public ThreadProbes(DelaySettings settings, MachineState machine, IDelaySink delays)
    {
        _settings = settings;
        _wakeups = new WakeupWatch(settings.TicksPerSecond, machine.IsOneCpuOnly);
        _losses = machine.Losses;
        _routines = machine.Routines;
        _power = machine.Power;
        _asked = machine.Asked;
        _delays = delays;
        _held = new HeldWakeups(settings);
        _beats = new WakeBeats(machine.Losses, settings.ThresholdTicks);
    }

    /// <summary>The measurements so far.</summary>
    public ThreadDelays Measured() => new(_waits, _worstTicks, _acrossLoss, _beats.Back, [.. _beats.Punctual], Unserved());

    public void Ready(CpuHistory cpu, in ReadyThreadRecord ready, long ticks)
    {
        var wake = new Wake { ReadyTicks = ticks, Cpu = cpu.Cpu, IsFromDpc = ready.IsFromDpc };
        if (cpu.IsInDpcStart(ticks))
        {
            wake.Dpc = cpu.DpcStarts[cpu.DpcStarts.Next - 1];
            wake.HasDpc = !_losses.Overlaps(cpu.Cpu, wake.Dpc.Queued.Ticks, ticks)
                && !_losses.Overlaps(wake.Dpc.Queued.Cpu, wake.Dpc.Queued.Ticks, ticks);
        }

        ref WakeupWatch.Place known = ref _wakeups.Find(ready.ThreadId);
        if (!Unsafe.IsNullRef(ref known) && _settings.WantsThreads && _settings.IsVictim(ready.ThreadId, known.Priority, ticks))
        {
            (wake.DueTicks, wake.PeriodTicks) = known.IsReady ? (known.Latest.DueTicks, known.Latest.PeriodTicks)
                : known.Left == Leaving.ToWait ? _beats.Ready(ready.ThreadId, ticks, known.LeftTicks) ?? default : default;
        }

        _lastTicks = ticks;
        _settings.MeasuredReadies.Add(ready.ThreadId, cpu.Cpu, ticks);
        _wakeups.Ready(ready.ThreadId, in wake);
    }

    public void Switched(CpuHistory cpu, in ContextSwitchRecord change, long ticks)
    {
        _lastTicks = ticks;
        _wakeups.SwitchedOut(change.OldThreadId, ticks, cpu.Cpu, change.OldThreadIdealProcessor, Why(in change));
        sbyte priority = change.NewThreadPriority;
        if (change.NewThreadId == 0)
        {
            return;
        }

        ref WakeupWatch.Place place = ref _wakeups.Find(change.NewThreadId);
        if (Unsafe.IsNullRef(ref place))
        {
            return;
        }

        _wakeups.LeaveOutOthers(ref place, cpu.Cpu);
        if (place.IsReady)
        {
            cpu.Runs.Newest.ReadyTicks = place.Latest.ReadyTicks;
            CountExit(cpu, in change, in place.Latest, ticks);
            AddWakeup(cpu, change.NewThreadId, priority, ticks, in place);
        }

        if (place.Left == Leaving.ForPage || (place.Left == Leaving.ToWait && _settings.PauseOf is not null))
        {
            AddHeld(cpu.Cpu, change.NewThreadId, priority, ticks, in place);
        }

        WakeupWatch.SwitchedIn(ref place, ticks, cpu.Cpu, priority);
    }

    /// <summary>
    /// Adds a hard fault. The delay of a thread that the fault held up is reported when the thread runs again, which may have happened
    /// already.
    /// </summary>
    public void Faulted(in HardFaultRecord record, long ticks)
    {
        ref WakeupWatch.Place known = ref _wakeups.Find(record.ThreadId);
        if (Unsafe.IsNullRef(ref known) || known.Left == Leaving.ForPage || known.LeftTicks < record.InitialTime || known.LeftTicks > ticks)
        {
            return;
        }

        if (known.InTicks <= known.LeftTicks)
        {
            known.Left = Leaving.ForPage; // Already switched out, waiting for the page: the fault record came early.
            return;
        }

        WakeupWatch.Place place = known;
        bool wasReady = place.Ran.Ticks == place.InTicks;
        place.IsReady = wasReady;
        place.Left = Leaving.ForPage;
        place.Latest = place.Ran.Wake;
        int cpu = place.Ran.Cpu;
        if (wasReady)
        {
            place.Ran = place.Before;
            AddHeld(cpu, record.ThreadId, place.Priority, place.InTicks, in place);
        }
    }

    /// <summary>For how long a victim had waited for a CPU when the records end, in ticks; null where none had for the threshold.</summary>
    private long? Unserved()
    {
        long longest = _wakeups.Unserved()
            .Where(one => _settings.WantsThreads && _settings.IsVictim(one.Thread, one.Priority, one.Wake.FromTicks)
                && _asked.Holds(one.Wake.Cpu, one.Wake.FromTicks) && !_losses.OverlapsAny(one.Wake.FromTicks, _lastTicks))
            .Select(one => _lastTicks - one.Wake.FromTicks).Where(ticks => ticks <= _settings.LongestWaitTicks)
            .DefaultIfEmpty().Max();
        return longest >= _settings.ThresholdTicks ? longest : null;
    }

    /// <summary>
    /// Measures how long leaving an idle state took. A CPU that served an interrupt first had left it already, and is ignored.
    /// </summary>
    private void CountExit(CpuHistory cpu, in ContextSwitchRecord change, in Wake wake, long ticks)
    {
        if (change.OldThreadId == 0 && wake.Cpu != cpu.Cpu && wake.ReadyTicks <= ticks && cpu.Runs.Count > 1
            && cpu.Runs[cpu.Runs.Next - 2] is { IsIdle: true } idle && idle.StartTicks <= wake.ReadyTicks
            && (cpu.Spans.Count == 0 || cpu.Spans[cpu.Spans.Next - 1].EndTicks <= wake.ReadyTicks))
        {
            _power.LeftIdle(change.PreviousCState ?? 0, ticks - wake.ReadyTicks);
        }
    }

    private static Leaving Why(in ContextSwitchRecord change) =>
        change.OldThreadState != KernelThreadState.Waiting ? Leaving.NotWaiting
        : change.OldThreadWaitReason is WaitReason.PageIn or WaitReason.WrPageIn ? Leaving.ForPage
        : Leaving.ToWait;

    private void AddWakeup(CpuHistory cpu, uint thread, int priority, long ticks, in WakeupWatch.Place place)
    {
        ref readonly Wake wake = ref place.Latest;
        long latency = ticks - wake.FromTicks;
        bool isWanted = _settings.IsVictim(thread, priority, ticks);
        bool isLate = latency >= _settings.ThresholdTicks;
        bool isAsked = _asked.Holds(cpu.Cpu, wake.FromTicks);
        if (isWanted && latency <= _settings.LongestWaitTicks)
        {
            _routines.Waited(cpu.Cpu, wake.FromTicks, ticks);
        }

        if (latency < 0 || latency > _settings.LongestWaitTicks || (!isWanted && !isLate) || !_settings.WantsThreads)
        {
            return;
        }

        if (isWanted && wake.DueTicks != 0 && ticks - wake.DueTicks <= _settings.LongestWaitTicks)
        {
            AddLateByBeat(cpu.Cpu, thread, priority, ticks, in wake);
        }

        // A short wait is short whatever records are missing. During a long one the thread may have run unseen and been made ready again,
        // on a CPU that lost records of that time. The cause of such a delay must therefore be shown; where the thread's own CPUs lost
        // records, the delay does not count.
        bool mustBeExplained = isLate && _losses.OverlapsAny(wake.FromTicks, ticks);
        if (mustBeExplained && (_losses.Overlaps(cpu.Cpu, wake.FromTicks, ticks)
            || _losses.Overlaps(wake.Cpu, wake.FromTicks, ticks)))
        {
            _acrossLoss += isWanted && isAsked ? 1 : 0;
            return;
        }

        if (isWanted && isAsked)
        {
            _waits.Add(thread, wake.Cpu, cpu.Cpu, wake.FromTicks, ticks);
            _worstTicks = isLate ? _worstTicks : Math.Max(_worstTicks ?? 0, latency);
        }

        if (isLate && (isWanted || _settings.WantsHogs))
        {
            _delays.Add(new Delay
            {
                Probe = ProbeKind.Thread,
                FromTicks = wake.FromTicks,
                ToTicks = ticks,
                Cpu = cpu.Cpu,
                ThreadId = thread,
                Priority = priority,
                Wake = wake,
                ReadyCpu = wake.Cpu,
                LastCpu = place.LastCpu,
                IdealCpu = place.IdealCpu,
                IsOfHog = !isWanted,
                MustBeExplained = mustBeExplained,
            });
        }
    }

    private void AddLateByBeat(int cpu, uint thread, int priority, long ticks, in Wake wake)
    {
        var late = new Delay
        {
            Probe = ProbeKind.Thread,
            FromTicks = wake.DueTicks,
            ToTicks = ticks,
            Cpu = cpu,
            ThreadId = thread,
            Priority = priority,
            Wake = wake,
            ReadyCpu = wake.Cpu,
            IsLateByBeat = true,
            PeriodTicks = wake.PeriodTicks,
        };
        _beats.Found(thread, late);
        _delays.Add(late);
    }

    private void AddHeld(int cpu, uint thread, sbyte priority, long ticks, in WakeupWatch.Place place)
    {
        if (!_settings.WantsThreads || !_settings.IsVictim(thread, priority, ticks)
            || _held.Returned(thread, priority, cpu, ticks, in place) is not { } held
            || held.LatencyTicks < _settings.ThresholdTicks || held.LatencyTicks > _settings.LongestWaitTicks
            || _losses.OverlapsAny(held.FromTicks, ticks))
        {
            return;
        }

        _delays.Add(held);
    }
}

/// <summary>The results of measuring wake-ups of threads.</summary>
/// <param name="Waits">The waits of the victims, whatever their length.</param>
/// <param name="WorstTicks">
/// The longest latency below the threshold, in ticks; null where there is none. Longer ones are episodes, or were left out.
/// </param>
/// <param name="AcrossLoss">Wake-ups that were left out because records are missing during them.</param>
/// <param name="Back">
/// The delays that are late by the thread's own beat and whose next wake-up was back on it: these threads had not chosen to sleep longer.
/// </param>
/// <param name="Punctual">The threads that were ready for work on each of their beats, but for a few.</param>
/// <param name="UnservedTicks">For how long a victim had waited, and still waited when the records end; null below the threshold.</param>
internal sealed record ThreadDelays(
    VictimWaits Waits, long? WorstTicks, long AcrossLoss, IReadOnlySet<Delay> Back, IReadOnlyList<uint> Punctual,
    long? UnservedTicks);
