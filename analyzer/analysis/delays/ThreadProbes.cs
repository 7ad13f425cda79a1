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
    private readonly Lane?[] _lanes;
    private readonly PowerHistory _power;
    private readonly TracePart _asked;
    private readonly IDelaySink _delays;
    private readonly WakeupWatch _wakeups;
    private readonly VictimWaits _waits = new();
    private readonly HeldWakeups _held;
    private readonly ThreadVisits _visits;
    private readonly ThreadJobs _jobs;
    private readonly WakeBeats _beats;
    private readonly TickChanges _changes;
    private readonly bool _isOneCpuOnly;
    private readonly IReadOnlyList<int> _silentCpus;
    private long? _worstTicks;
    private long _acrossLoss;
    private long _longestAcrossTicks;
    private long _lastTicks;

    /// <param name="delays">Receives the delays at or above the threshold.</param>
    public ThreadProbes(DelaySettings settings, MachineState machine, IDelaySink delays)
    {
        _settings = settings;
        _isOneCpuOnly = machine.IsOneCpuOnly;
        _silentCpus = machine.SilentCpus;
        _wakeups = new WakeupWatch(settings.TicksPerSecond, _isOneCpuOnly);
        _losses = machine.Losses;
        _lanes = machine.Lanes;
        _power = machine.Power;
        _asked = machine.Asked;
        _delays = delays;
        _held = new HeldWakeups(settings);
        _visits = machine.Visits;
        _jobs = new ThreadJobs(settings, machine, delays);
        _changes = new TickChanges(settings.TicksPerSecond);
        _beats = new WakeBeats(machine.Losses, settings.ThresholdTicks, settings.PeriodTicks, _changes);
    }

    /// <summary>The measurements so far.</summary>
    public ThreadDelays Measured() =>
        new(_waits, _worstTicks, _acrossLoss + _jobs.AcrossLoss, _beats.Back, [.. _beats.Punctual], Unserved(),
            _changes.Found)
        {
            LongestAcrossTicks = Math.Max(_longestAcrossTicks, _jobs.LongestAcrossTicks),
            UnfollowedJobs = _jobs.Unfollowed,
            UnfollowedDeadlines = _jobs.UnfollowedWithDeadline,
            Works = _jobs.Works,
        };

    /// <param name="dpc">The DPC that was running on that CPU, as far as could be told; a null reference for none.</param>
    /// <param name="by">The thread that did so; 0 for none, and where that is not known.</param>
    public void Ready(int cpu, in LaneRecord ready, ref readonly DpcStart dpc, uint by)
    {
        bool isInDpc = !Unsafe.IsNullRef(in dpc);
        long ticks = ready.Ticks;
        _settings.Glitches?.Readied(by, ready.Thread);
        var wake = new Wake { ReadyTicks = ticks, Cpu = cpu, IsFromDpc = ready.IsSo };
        if (isInDpc)
        {
            wake.Dpc = dpc;
            wake.HasDpc = !_losses.Overlaps(cpu, wake.Dpc.Queued.Ticks, ticks)
                && !_losses.Overlaps(wake.Dpc.Queued.Cpu, wake.Dpc.Queued.Ticks, ticks);
        }

        ref WakeupWatch.Place known = ref _wakeups.Find(ready.Thread);
        if (!Unsafe.IsNullRef(ref known) && _settings.WantsThreads && _settings.IsVictim(ready.Thread, known.Priority, ticks))
        {
            HoldIfPaused(ref known, ready.Thread, ticks);
            bool isByDpc = isInDpc || ready.IsSo;
            if (known is { Left: Leaving.ToWait, IsReady: false } && !isByDpc && by != 0 && _beats.IsInside(ready.Thread, ticks))
            {
                known.Left = Leaving.ForLock;
                GoOn(ready.Thread);
            }

            (wake.DueTicks, wake.PeriodTicks) = known.IsReady ? (known.Latest.DueTicks, known.Latest.PeriodTicks)
                : known.Left is Leaving.ToWait or Leaving.ForOther
                    ? _beats.Ready(ready.Thread, ticks, known.LeftTicks, known.Left == Leaving.ForOther, isByDpc)
                    : default;
        }

        _lastTicks = ticks;
        _settings.MeasuredReadies.Add(ready.Thread, cpu, ticks);
        _wakeups.Ready(ready.Thread, in wake);
    }

    /// <summary>A CPU went from one thread to another.</summary>
    /// <returns>
    /// When the new thread was made ready, in ticks; <see cref="long.MinValue"/> where it was ready before, or where that is unknown.
    /// </returns>
    public long Switched(int cpu, in LaneRecord change)
    {
        long ticks = change.Ticks;
        _lastTicks = ticks;
        _wakeups.SwitchedOut(change.Other, ticks, cpu, change.Detail, Why(in change));
        if (_visits.End(cpu, in change) is >= 0 and var left && change.State == KernelThreadState.Waiting
            && IsTurn(change.Other, change.Reason))
        {
            _visits.Done(left);
            _jobs.End(change.Other, left);
        }

        if (change.Thread == 0)
        {
            return long.MinValue;
        }

        long before = _visits.LastOf(change.Thread);
        var visit = new ThreadVisit
        {
            Thread = change.Thread,
            Cpu = (short)cpu,
            InTicks = ticks,
            ReadyTicks = long.MinValue,
            ReadyCpu = -1,
            Priority = change.Priority,
        };
        ref WakeupWatch.Place place = ref _wakeups.Find(change.Thread);
        if (Unsafe.IsNullRef(ref place))
        {
            BeginVisit(in visit, before: -1, late: null, periodTicks: 0);
            return long.MinValue;
        }

        _wakeups.LeaveOutOthers(ref place, cpu);
        Delay? late = null;
        long period = place.IsReady ? place.Latest.PeriodTicks : 0;
        if (place.IsReady)
        {
            visit.ReadyTicks = place.Latest.ReadyTicks;
            (visit.ReadyCpu, visit.IsFromDpc) = ((short)place.Latest.Cpu, place.Latest.IsFromDpc);
            CountExit(cpu, in change, in place.Latest);
            late = AddWakeup(cpu, change.Thread, change.Priority, ticks, in place);
        }
        else if (place.Left is Leaving.ToWait or Leaving.ForOther && _settings.WantsThreads
            && _settings.IsVictim(change.Thread, change.Priority, ticks) && _asked.Holds(cpu, ticks))
        {
            if (!(_isOneCpuOnly && _settings.HasReadies))
            {
                _waits.AddUnmeasured(change.Thread, cpu, ticks); // Else it is recorded, by a CPU with another clock.
            }

            HoldIfPaused(ref place, change.Thread, ticks);
            if (!_settings.HasReadies && place.Left != Leaving.ForPause)
            {
                late = AddLateByRuns(cpu, in change, in place, out period);
            }
        }

        if (BeginVisit(in visit, before, late, period) && !place.IsReady)
        {
            AddPreempted(in _visits[before], in visit, in place);
        }

        if (place.Left is Leaving.ForPage or Leaving.ForPause)
        {
            AddHeld(cpu, change.Thread, change.Priority, ticks, in place, ticks);
        }

        WakeupWatch.SwitchedIn(ref place, ticks, cpu, change.Priority);
        return visit.ReadyTicks;
    }

    /// <summary>A thread is ready again: where its runtime had suspended it since it left its CPU, its job goes on.</summary>
    private void HoldIfPaused(ref WakeupWatch.Place known, uint thread, long ticks)
    {
        if (known.Left is Leaving.ToWait or Leaving.ForOther && !known.IsReady && _held.IsPaused(thread, in known, ticks))
        {
            known.Left = Leaving.ForPause;
            if (GoOn(thread) is >= 0 and var left)
            {
                _visits.Paused(left);
            }
        }
    }

    /// <summary>What seemed the end of a thread's turn was a wait in the midst of it.</summary>
    /// <returns>Number of its stay on a CPU before that; -1 where that is not known.</returns>
    private long GoOn(uint thread)
    {
        long left = _visits.LastOf(thread);
        if (left >= 0)
        {
            _visits.GoesOn(left);
            _jobs.GoOn(thread);
        }

        return left;
    }

    /// <summary>
    /// Whether a thread waits for its next turn. One that keeps a beat otherwise waits in the midst of its work where it may.
    /// </summary>
    private bool IsTurn(uint thread, WaitReason reason) =>
        !JobWaits.IsInside(reason) && !(ThreadVisit.MayBeInside(reason) && _beats.HasBeat(thread));

    /// <summary>A thread runs; where it waited for its turn, a job begins.</summary>
    /// <param name="before">Number of its stay before; -1 for none.</param>
    /// <returns>Whether it counts, and goes on with a job.</returns>
    private bool BeginVisit(in ThreadVisit visit, long before, Delay? late, long periodTicks)
    {
        long number = _visits.Begin(visit);
        if (!_settings.WantsJobs || !_settings.IsVictim(visit.Thread, visit.Priority, visit.InTicks))
        {
            return false;
        }

        if (before >= 0 && _visits[before].GoesOn)
        {
            return true;
        }

        _jobs.Begin(visit.Thread, number, late, periodTicks);
        return false;
    }

    /// <summary>
    /// Adds a hard fault. The delay of a thread that the fault held up is reported when the thread runs again, which may have happened
    /// already.
    /// </summary>
    public void Faulted(in HardFault fault)
    {
        ref WakeupWatch.Place known = ref _wakeups.Find(fault.ThreadId);
        if (Unsafe.IsNullRef(ref known) || known.Left == Leaving.ForPage || known.LeftTicks < fault.StartTicks
            || known.LeftTicks > fault.EndTicks)
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
            AddHeld(cpu, fault.ThreadId, place.Priority, place.InTicks, in place, fault.EndTicks);
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
    private void CountExit(int cpu, in LaneRecord change, in Wake wake)
    {
        if (wake.Cpu != cpu && wake.ReadyTicks <= change.Ticks && change.A <= wake.ReadyTicks)
        {
            _power.LeftIdle(change.IdleState, change.Ticks - wake.ReadyTicks);
        }
    }

    private static Leaving Why(in LaneRecord change) =>
        change.State == KernelThreadState.GateWait ? Leaving.ForLock
        : change.State != KernelThreadState.Waiting ? Leaving.NotWaiting
        : change.Reason is WaitReason.PageIn or WaitReason.WrPageIn ? Leaving.ForPage
        : JobWaits.IsInside(change.Reason) ? Leaving.ForLock
        : ThreadVisit.MayBeInside(change.Reason) ? Leaving.ForOther
        : Leaving.ToWait;

    /// <returns>The delay by the thread's beat; null where it was not late by that.</returns>
    private Delay? AddWakeup(int cpu, uint thread, int priority, long ticks, in WakeupWatch.Place place)
    {
        ref readonly Wake wake = ref place.Latest;
        long latency = ticks - wake.FromTicks;
        bool isWanted = _settings.IsVictim(thread, priority, ticks);
        bool isLate = latency >= _settings.ThresholdTicks;
        bool isAsked = _asked.Holds(cpu, wake.FromTicks);
        if (isWanted && latency <= _settings.LongestWaitTicks)
        {
            _lanes[cpu]?.Waits.Add((wake.FromTicks, ticks));
        }

        if (latency < 0 || latency > _settings.LongestWaitTicks || (!isWanted && !isLate) || !_settings.WantsThreads)
        {
            return null;
        }

        Delay? late = isWanted && wake.DueTicks != 0 && ticks - wake.DueTicks <= _settings.LongestWaitTicks
            && !MayHaveRunUnseen(thread, ticks)
            ? AddLateByBeat(cpu, thread, priority, ticks, in wake)
            : null;

        // A short wait is short whatever records are missing. During a long one the thread may have run unseen and been made ready again,
        // on a CPU that lost records of that time, or has none at all. The cause of such a delay must therefore be shown; where the
        // thread's own CPUs lost records, the delay does not count.
        bool mustBeExplained = isLate && (_losses.OverlapsAny(wake.FromTicks, ticks) || MayHaveRunUnseen(thread, ticks));
        if (mustBeExplained && (_losses.Overlaps(cpu, wake.FromTicks, ticks)
            || _losses.Overlaps(wake.Cpu, wake.FromTicks, ticks)))
        {
            if (isWanted && isAsked)
            {
                _acrossLoss++;
                _longestAcrossTicks = Math.Max(_longestAcrossTicks, latency);
            }

            return null;
        }

        if (isWanted && isAsked)
        {
            _waits.Add(thread, wake.Cpu, cpu, wake.FromTicks, ticks);
            _worstTicks = isLate ? _worstTicks : Math.Max(_worstTicks ?? 0, latency);
        }

        if (isLate && (isWanted || _settings.WantsHogs))
        {
            _delays.Add(new Delay
            {
                Probe = ProbeKind.Thread,
                FromTicks = wake.FromTicks,
                ToTicks = ticks,
                Cpu = cpu,
                ThreadId = thread,
                Priority = priority,
                Wake = wake,
                ReadyCpu = wake.Cpu,
                LastCpu = place.LastCpu,
                IdealCpu = place.IdealCpu,
                IsOfHog = !isWanted,
                MustBeExplained = mustBeExplained,
            }, ticks);
        }

        return late;
    }

    /// <summary>
    /// No record tells when threads are made ready: one that runs later than its beat was late for whatever reason. Of that only what kept
    /// the CPU from all threads is told, as for one that a timer makes ready; another thread in its place may have had nothing to do with
    /// it.
    /// </summary>
    /// <returns>The delay; null where it was not late.</returns>
    private Delay? AddLateByRuns(int cpu, in LaneRecord change, in WakeupWatch.Place place, out long periodTicks)
    {
        (long due, periodTicks) = _beats.Ready(change.Thread, change.Ticks, place.LeftTicks, place.Left == Leaving.ForOther);
        if (due == 0 || MayHaveRunUnseen(change.Thread, change.Ticks) || change.Ticks - due > _settings.LongestWaitTicks)
        {
            return null;
        }

        var wake = new Wake { ReadyTicks = change.Ticks, Cpu = cpu, IsFromDpc = true, DueTicks = due, PeriodTicks = periodTicks };
        return AddLateByBeat(cpu, change.Thread, change.Priority, change.Ticks, in wake);
    }

    private Delay AddLateByBeat(int cpu, uint thread, int priority, long ticks, in Wake wake)
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
            IsByRuns = !_settings.HasReadies,
            PeriodTicks = wake.PeriodTicks,
        };
        _beats.Found(thread, late);
        _delays.Add(late, ticks);
        return late;
    }

    /// <summary>A thread runs again that had to leave its CPU in the midst of its work: no record says again that it is ready.</summary>
    private void AddPreempted(in ThreadVisit before, in ThreadVisit visit, in WakeupWatch.Place place)
    {
        long from = before.OutTicks;
        long waited = visit.InTicks - from;
        if (!before.WasPreempted || waited < _settings.ThresholdTicks || waited > _settings.LongestWaitTicks
            || _losses.OverlapsAny(from, visit.InTicks) || MayHaveRunUnseen(visit.Thread, visit.InTicks)
            || (_isOneCpuOnly && visit.Cpu != before.Cpu))
        {
            return;
        }

        _delays.Add(new Delay
        {
            Probe = ProbeKind.Thread,
            FromTicks = from,
            ToTicks = visit.InTicks,
            Cpu = visit.Cpu,
            ThreadId = visit.Thread,
            Priority = visit.Priority,
            LastCpu = before.Cpu,
            IdealCpu = place.IdealCpu,
        }, visit.InTicks);
    }

    private bool MayHaveRunUnseen(uint thread, long ticks) => _settings.MayRunOnAny(_silentCpus, thread, ticks);

    private void AddHeld(int cpu, uint thread, sbyte priority, long ticks, in WakeupWatch.Place place, long nowTicks)
    {
        if (!_settings.WantsThreads || !_settings.IsVictim(thread, priority, ticks)
            || _held.Returned(thread, priority, cpu, ticks, in place) is not { } held
            || held.LatencyTicks < _settings.ThresholdTicks || held.LatencyTicks > _settings.LongestWaitTicks
            || _losses.OverlapsAny(held.FromTicks, ticks) || MayHaveRunUnseen(thread, ticks))
        {
            return;
        }

        _delays.Add(held, nowTicks);
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
/// <param name="Changes">The threads that changed from their beat to the clock's usual ticks.</param>
internal sealed record ThreadDelays(
    VictimWaits Waits, long? WorstTicks, long AcrossLoss, IReadOnlySet<Delay> Back, IReadOnlyList<uint> Punctual,
    long? UnservedTicks, IReadOnlyList<TickChange> Changes)
{
    /// <summary>How long the longest of those left out for missing records seemed to be, in ticks.</summary>
    public long LongestAcrossTicks { get; init; }

    /// <summary>Jobs that may have lost too much time and could not be followed to their beginning.</summary>
    public long UnfollowedJobs { get; init; }

    /// <summary>Those of them that ended after their deadline.</summary>
    public long UnfollowedDeadlines { get; init; }

    /// <summary>What the threads that count worked.</summary>
    public IReadOnlyList<OwnWork> Works { get; init; } = [];
}
