using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Measures every job of a thread: from when it was made ready until it waited for its next turn, and what of that was not its own work.
/// A wait for a page or a lock of the kernel is inside a job; what else a thread waits for ends it. Memory is bounded.
/// </summary>
/// <param name="callbacks">Learns when real-time threads are done.</param>
/// <param name="hasLevels">Whether ISRs and DPCs were recorded: else what they took is not known, and no lost time is told.</param>
/// <param name="deadlineOf">
/// The deadline that a thread had set itself for a job, by its id and when the job should run, ran and was done; null for none.
/// </param>
/// <param name="isOneCpuOnly">Whether jobs that go on on another CPU are left out, because the clocks of CPUs disagree.</param>
internal sealed class JobLatencies(
    LatencyRecorder recorder, CallbackTimes callbacks, int cpus, bool hasLevels, Func<uint, long, long, long, long?> deadlineOf,
    bool isOneCpuOnly = false)
{
    /// <summary>Most threads that are followed.</summary>
    private const int MostThreads = 1 << 16;

    private readonly bool _isAsked =
        recorder.Wants(LatencyKind.Response, LatencySource.ReadyThread) || recorder.Wants(LatencyKind.Lost, LatencySource.ReadyThread);

    private readonly Dictionary<uint, Open> _open = [];
    private readonly LevelClock[] _levels = [.. Enumerable.Range(0, cpus).Select(_ => new LevelClock())];

    /// <summary>An ISR or DPC returned, outside of threads.</summary>
    public void Returned(int cpu, long fromTicks, long toTicks) => _levels[cpu].Add(fromTicks, toTicks);

    /// <param name="readyTicks">When it was made ready; null where it goes on, or that is not known.</param>
    public void SwitchedIn(uint thread, int priority, int cpu, int readyCpu, long? readyTicks, long ticks)
    {
        ref Open job = ref CollectionsMarshal.GetValueRefOrNullRef(_open, thread);
        if (Unsafe.IsNullRef(ref job))
        {
            if (!(_isAsked || priority >= CallbackTimes.LeastPriority) || readyTicks is not { } ready || _open.Count >= MostThreads)
            {
                return; // When it should have run is not known.
            }

            _open.Add(thread, new Open { FromTicks = ready, RunTicks = ticks, ReadyCpu = readyCpu, Priority = priority });
            job = ref CollectionsMarshal.GetValueRefOrNullRef(_open, thread);
        }
        else if (isOneCpuOnly && job.Cpu != cpu)
        {
            _open.Remove(thread);
            return;
        }

        (job.InTicks, job.Cpu, job.LevelTicks) = (ticks, cpu, _levels[cpu].Ticks);
    }

    public void SwitchedOut(uint thread, int cpu, KernelThreadState state, WaitReason reason, long ticks)
    {
        ref Open job = ref CollectionsMarshal.GetValueRefOrNullRef(_open, thread);
        if (Unsafe.IsNullRef(ref job))
        {
            return;
        }

        bool goesOn = JobWaits.GoesOn(state, reason);
        if (job.Cpu != cpu || job.InTicks > ticks || (!goesOn && state != KernelThreadState.Waiting))
        {
            _open.Remove(thread); // Records are missing, or it has ended.
            return;
        }

        job.WorkTicks += ticks - job.InTicks - (_levels[cpu].Ticks - job.LevelTicks);
        if (goesOn)
        {
            return;
        }

        if (job.Priority >= CallbackTimes.LeastPriority && recorder.IsWhole(job.FromTicks, ticks, job.Cpu, job.ReadyCpu))
        {
            callbacks.Done(thread, job.FromTicks, ticks, deadlineOf(thread, job.FromTicks, job.RunTicks, ticks));
        }

        Tell(LatencyKind.Response, thread, in job, ticks);
        if (hasLevels)
        {
            Tell(LatencyKind.Lost, thread, in job, ticks - Math.Max(0, job.WorkTicks));
        }

        _open.Remove(thread);
    }

    private void Tell(LatencyKind kind, uint thread, in Open job, long toTicks)
    {
        if (recorder.Wants(kind, LatencySource.ReadyThread))
        {
            recorder.AddPair(
                new WaitedLatency
                {
                    Kind = kind,
                    Source = LatencySource.ReadyThread,
                    FromTicks = job.FromTicks,
                    ToTicks = toTicks,
                    Cpu = job.Cpu,
                    ThreadId = thread,
                    Priority = job.Priority,
                },
                job.ReadyCpu);
        }
    }

    /// <summary>A job that goes on. Times in ticks.</summary>
    private struct Open
    {
        public long FromTicks;
        public long RunTicks;
        public long InTicks;
        public long WorkTicks;
        public long LevelTicks;
        public int ReadyCpu;
        public int Cpu;
        public int Priority;
    }

    /// <summary>How long a CPU was at the level of ISRs and DPCs, each tick once: records of nested ones come first.</summary>
    private sealed class LevelClock
    {
        /// <summary>So many last ones are kept: no more lie within another.</summary>
        private const int MostNested = 64;

        private readonly List<(long FromTicks, long Ticks)> _last = [];

        public long Ticks { get; private set; }

        public void Add(long fromTicks, long toTicks)
        {
            long inside = 0;
            while (_last.Count > 0 && _last[^1].FromTicks >= fromTicks)
            {
                inside += _last[^1].Ticks;
                _last.RemoveAt(_last.Count - 1);
            }

            if (_last.Count == MostNested)
            {
                _last.RemoveRange(0, MostNested / 2);
            }

            _last.Add((fromTicks, Math.Max(0, toTicks - fromTicks)));
            Ticks += Math.Max(0, toTicks - fromTicks - inside);
        }
    }
}
