using System.Runtime.CompilerServices;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Latencies;

/// <summary>
/// Measures every wake-up of a thread, from ReadyThread to the context switch that lets it run, and every DPC, from its queue to its run.
/// </summary>
internal sealed class SwitchLatencies
{
    private readonly LatencyRecorder _recorder;
    private readonly LossFront _losses;
    private readonly CallbackTimes _callbacks;
    private readonly JobLatencies _jobs;
    private readonly WakeupWatch _wakeups;
    private readonly DpcQueues _queues = new();
    private readonly CpuSwitches[] _cpus;
    private readonly long _holeTicks;
    private readonly bool _isOneCpuOnly;
    private readonly InterferenceReading? _interference;
    private long _latestTicks;

    /// <param name="losses">Until when records were missing; what the switches show of that is added.</param>
    /// <param name="isOneCpuOnly">Whether only waits between records of one CPU are measured, because the clocks of CPUs disagree.</param>
    /// <param name="interference">Learns of each wait what nothing explains; null where nobody asked.</param>
    public SwitchLatencies(
        LatencyRecorder recorder, LossFront losses, CallbackTimes callbacks, JobLatencies jobs, int cpus, long ticksPerSecond,
        bool isOneCpuOnly = false, InterferenceReading? interference = null)
    {
        (_jobs, _interference) = (jobs, interference);
        _isOneCpuOnly = isOneCpuOnly;
        _wakeups = new WakeupWatch(ticksPerSecond, isOneCpuOnly);
        (_recorder, _losses, _callbacks) = (recorder, losses, callbacks);
        _cpus = new CpuSwitches[cpus];
        _holeTicks = TickRate.TicksOfSeconds(TraceHoles.HoleSeconds, ticksPerSecond);
    }

    /// <summary>When no CPU switched threads for so long that records are missing, or the machine slept.</summary>
    public List<TickSpan> Holes { get; } = [];

    /// <summary>Switches from another thread than the one that was switched to before: records between them are missing.</summary>
    public long BrokenSwitches { get; private set; }

    /// <summary>A thread was made ready.</summary>
    public void Ready(int cpu, in EtlEvent traceEvent, long ticks)
    {
        if (ReadyThreadRecord.TryRead(in traceEvent, out ReadyThreadRecord ready))
        {
            var wake = new Wake { ReadyTicks = ticks, Cpu = cpu };
            _wakeups.Ready(ready.ThreadId, in wake);
        }
    }

    public void Switched(int cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!ContextSwitchRecord.TryRead(in traceEvent, out ContextSwitchRecord change))
        {
            return;
        }

        FindMissing(cpu, change.OldThreadId, ticks);
        _cpus[cpu] = new CpuSwitches(change.NewThreadId, ticks);
        _jobs.SwitchedOut(change.OldThreadId, cpu, change.OldThreadState, change.OldThreadWaitReason, ticks);
        Leaving why = change.OldThreadState == KernelThreadState.Waiting ? Leaving.ToWait : Leaving.NotWaiting;
        _wakeups.SwitchedOut(change.OldThreadId, ticks, cpu, -1, why);
        ref WakeupWatch.Place place = ref _wakeups.Find(change.NewThreadId);
        if (change.NewThreadId == 0 || Unsafe.IsNullRef(ref place))
        {
            return;
        }

        _wakeups.LeaveOutOthers(ref place, cpu);
        _jobs.SwitchedIn(
            change.NewThreadId, change.NewThreadPriority, cpu, place.Latest.Cpu, place.IsReady ? place.Latest.ReadyTicks : null, ticks);
        if (place.IsReady)
        {
            _interference?.Waited(cpu, place.Latest.Cpu, change.NewThreadPriority, place.Latest.ReadyTicks, ticks);
            _recorder.AddPair(
                new WaitedLatency
                {
                    Kind = LatencyKind.Thread,
                    Source = LatencySource.ReadyThread,
                    FromTicks = place.Latest.ReadyTicks,
                    ToTicks = ticks,
                    Cpu = cpu,
                    ThreadId = change.NewThreadId,
                    Priority = change.NewThreadPriority,
                },
                place.Latest.Cpu);
            _callbacks.Woke(change.NewThreadId, change.NewThreadPriority, ticks, LatencySource.ReadyThread);
        }
        else if (place.Left == Leaving.ToWait)
        {
            _callbacks.Woke(change.NewThreadId, change.NewThreadPriority, ticks, LatencySource.Switch);
        }

        WakeupWatch.SwitchedIn(ref place, ticks, cpu, change.NewThreadPriority);
    }

    public void Queued(int cpu, in EtlEvent traceEvent, long ticks)
    {
        if (DpcEnqueueRecord.TryRead(in traceEvent, out DpcEnqueueRecord record))
        {
            _queues.Enqueued(record.Key, new QueuedDpc { Ticks = ticks, Cpu = cpu, Importance = record.Importance });
        }
    }

    /// <summary>A DPC was taken from its queue.</summary>
    public void Executes(int cpu, in EtlEvent traceEvent, long ticks)
    {
        if (!DpcExecutionRecord.TryRead(in traceEvent, out DpcExecutionRecord record)
            || !_queues.TryTake(record.Key, ticks, out QueuedDpc queued)
            || (_isOneCpuOnly && queued.Cpu != cpu))
        {
            return;
        }

        _recorder.AddPair(
            new WaitedLatency
            {
                Kind = LatencyKind.Dpc,
                Source = queued.MayWaitOn(cpu) ? LatencySource.DpcQueueDeferred : LatencySource.DpcQueue,
                FromTicks = queued.Ticks,
                ToTicks = ticks,
                Cpu = cpu,
            },
            queued.Cpu);
    }

    /// <summary>Notes where the switches themselves show that records are missing.</summary>
    private void FindMissing(int cpu, uint oldThread, long ticks)
    {
        if (_latestTicks != 0 && ticks - _latestTicks > _holeTicks)
        {
            _losses.Add(-1, ticks);
            Holes.Add(new TickSpan(_latestTicks, ticks));
        }

        _latestTicks = ticks;
        CpuSwitches known = _cpus[cpu];
        if (known.Ticks != 0 && known.ThreadId != oldThread)
        {
            _losses.Add(cpu, ticks);
            BrokenSwitches++;
        }
    }

    private readonly record struct CpuSwitches(uint ThreadId, long Ticks);
}
