using Tracer.Analysis.Machine;
using Tracer.Etl.Kernel;

namespace Tracer.Capture.Triggers;

/// <summary>A job that is done. Times in ticks.</summary>
/// <param name="FromTicks">When it should have run.</param>
/// <param name="LatencyTicks">Its response where it missed its deadline; else the longest stretch that it lost.</param>
public readonly record struct WatchedJob(long FromTicks, long LatencyTicks, bool IsMissed);

/// <summary>
/// Follows the jobs of the threads of some processes: from when one should run until it waits for its next turn, as ReadyThread and context
/// switches show it, and what it lost in one stretch: ready and not running, preempted, waiting inside for a page or a lock, or interrupted
/// by one ISR or DPC. Many short ones are seen where they make it miss its deadline. Bounded, and allocates nothing for an event but a
/// thread's first.
/// </summary>
/// <param name="processes">Names of images, in any case, or process ids.</param>
/// <param name="deadlineTicks">When a job should be done, after it should have run; null for the next beat of its thread.</param>
public sealed class JobWatch(IReadOnlyList<string> processes, long? deadlineTicks)
{
    /// <summary>More threads are not followed.</summary>
    public const int MostThreads = 1 << 12;

    private const ushort ThreadEnd = 0x0502;

    private readonly WatchedThreads _watched = new(processes);
    private readonly Dictionary<uint, Followed> _threads = [];

    /// <summary>The followed thread that runs on each CPU, as far as known; grows to the highest CPU that told of one.</summary>
    private Followed?[] _running = [];

    /// <returns>Whether a job of the processes is done.</returns>
    public bool OnEvent(in EtlEvent traceEvent, out WatchedJob job)
    {
        job = default;
        switch (traceEvent.HookId)
        {
            case KernelHook.ReadyThread:
                if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready) && Find(ready.ThreadId) is { } woken)
                {
                    woken.Ready(traceEvent.TimestampTicks, deadlineTicks);
                }

                return false;
            case KernelHook.ContextSwitch:
                return ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change)
                    && Switched(in change, traceEvent.Cpu, traceEvent.TimestampTicks, out job);
            case KernelHook.Dpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                if (DpcRecord.TryRead(in traceEvent, out DpcRecord dpc))
                {
                    RunningOn(traceEvent.Cpu)?.Interrupted(dpc.InitialTime, traceEvent.TimestampTicks);
                }

                return false;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled:
                if (IsrRecord.TryRead(in traceEvent, out IsrRecord isr))
                {
                    RunningOn(traceEvent.Cpu)?.Interrupted(isr.InitialTime, traceEvent.TimestampTicks);
                }

                return false;
            case ThreadEnd:
                if (ThreadRecord.TryRead(in traceEvent, out ThreadRecord gone))
                {
                    _threads.Remove(gone.ThreadId);
                }

                break;
            default:
                break;
        }

        _watched.Learn(in traceEvent);
        return false;
    }

    /// <summary>Events are missing: jobs that had begun may have ended meanwhile.</summary>
    public void Forget()
    {
        foreach (Followed thread in _threads.Values)
        {
            thread.Forget();
        }

        Array.Clear(_running);
    }

    private Followed? RunningOn(int cpu) => cpu < _running.Length ? _running[cpu] : null;

    private bool Switched(in ContextSwitchRecord change, int cpu, long ticks, out WatchedJob job)
    {
        if (_threads.TryGetValue(change.NewThreadId, out Followed? next))
        {
            next.Runs(ticks);
            if (cpu >= _running.Length)
            {
                Array.Resize(ref _running, cpu + 1);
            }
        }

        if (cpu < _running.Length)
        {
            _running[cpu] = next;
        }

        job = default;
        return _threads.TryGetValue(change.OldThreadId, out Followed? left)
            && left.Leaves(change.OldThreadState, change.OldThreadWaitReason, ticks, out job);
    }

    private Followed? Find(uint thread)
    {
        if (!_threads.TryGetValue(thread, out Followed? known) && _threads.Count < MostThreads && _watched.Has(thread))
        {
            _threads.Add(thread, known = new Followed());
        }

        return known;
    }

    /// <summary>A thread, its beat, and its job at hand. Times in ticks.</summary>
    private sealed class Followed
    {
        /// <summary>Latest intervals between its wake-ups from which its beat is learnt.</summary>
        private const int Learnt = 16;

        /// <summary>So many of them must be the period, for a thread to have a beat.</summary>
        private const int FewestAlike = 12;

        /// <summary>So many, for a wake-up that comes late by it to be told from one that the thread chose.</summary>
        private const int FewestOfStrict = 15;

        /// <summary>An interval is the period if it differs by less than this part of it.</summary>
        private const int PeriodAlike = 5;

        private readonly long[] _intervals = new long[Learnt];
        private int _next;
        private long _lastReady;
        private long _lastEnd;
        private long _due;
        private long _deadline;
        private long _notRunningSince;
        private long _runsSince;
        private long _longest;
        private State _state;

        private enum State
        {
            /// <summary>It waits for its next turn, or nothing is known of it.</summary>
            Waits,

            /// <summary>It was made ready for its next turn.</summary>
            IsReady,

            Runs,

            /// <summary>Its job goes on, and it does not run.</summary>
            IsKept,
        }

        public void Ready(long ticks, long? told)
        {
            if (_state != State.Waits)
            {
                return; // It is ready already, or its job goes on.
            }

            (long period, bool isStrict) = Beat();
            long next = _lastReady + period;
            bool isLate = isStrict && _lastReady != 0 && _lastEnd <= next && ticks > next && ticks < next + period;
            _due = isLate ? next : ticks;
            _deadline = (told ?? period) is > 0 and var after ? _due + after : long.MaxValue;
            (_state, _notRunningSince, _longest) = (State.IsReady, _due, 0);
            if (_lastReady != 0 && ticks > _lastReady)
            {
                _intervals[_next++ % Learnt] = ticks - _lastReady;
            }

            _lastReady = ticks;
        }

        public void Runs(long ticks)
        {
            if (_state is State.IsReady or State.IsKept)
            {
                _longest = Math.Max(_longest, ticks - _notRunningSince);
                (_state, _runsSince) = (State.Runs, ticks);
            }
        }

        /// <summary>An ISR or DPC is over on the CPU where it runs.</summary>
        public void Interrupted(long fromTicks, long toTicks) =>
            _longest = Math.Max(_longest, toTicks - Math.Max(fromTicks, _runsSince));

        /// <returns>Whether its job is done.</returns>
        public bool Leaves(KernelThreadState state, WaitReason reason, long ticks, out WatchedJob job)
        {
            job = default;
            if (_state != State.Runs)
            {
                _state = State.Waits; // It ran without our knowing since when.
                return false;
            }

            if (JobWaits.GoesOn(state, reason))
            {
                (_state, _notRunningSince) = (State.IsKept, ticks);
                return false;
            }

            (_state, _lastEnd) = (State.Waits, ticks);
            bool isMissed = ticks > _deadline;
            job = new WatchedJob(_due, isMissed ? ticks - _due : _longest, isMissed);
            return state == KernelThreadState.Waiting;
        }

        public void Forget() => (_state, _lastReady) = (State.Waits, 0);

        /// <summary>The period of its wake-ups, 0 for none; and whether nearly all of the latest keep it.</summary>
        private (long Period, bool IsStrict) Beat()
        {
            if (_next < Learnt)
            {
                return default;
            }

            Span<long> sorted = stackalloc long[Learnt];
            _intervals.CopyTo(sorted);
            sorted.Sort();
            long median = sorted[Learnt / 2];
            int alike = 0;
            foreach (long interval in sorted)
            {
                alike += Math.Abs(interval - median) * PeriodAlike < median ? 1 : 0;
            }

            return alike >= FewestAlike ? (median, alike >= FewestOfStrict) : default;
        }
    }
}
