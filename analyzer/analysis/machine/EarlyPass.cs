using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>
/// What goes on across CPUs and can be told without the threads' past, one pass over what the lanes hand over, in order of time: which DPC
/// waited in which queue, and how long threads and processes ran. It is ahead of the thread pass (<see cref="Delays.ThreadPass"/>) by up
/// to a round, on another thread.
/// </summary>
internal sealed class EarlyPass(MachineState machine, MachineSettings settings)
{
    private readonly RunningThread[] _running = new RunningThread[machine.Cpus.Length];
    private readonly Queue<long> _holeEnds = [];
    private long _holeEndTicks = long.MinValue;

    /// <summary>Tells when a time ends in which no CPU logged anything, in ticks, in order of time; before the records behind it.</summary>
    public void AddHole(long endTicks) => _holeEnds.Enqueue(endTicks);

    /// <summary>Takes the next record.</summary>
    /// <returns>Whether a thread is made ready while the DPC that last left its queue on that CPU may be running.</returns>
    public bool Take(int cpu, in LaneRecord record)
    {
        switch (record.Kind)
        {
            case LaneRecordKind.Switch:
                AddSwitch(cpu, in record);
                return false;
            case LaneRecordKind.Ready:
                return IsInDpc(cpu, in record);
            case LaneRecordKind.DpcQueued:
                machine.Queues.Enqueued((ulong)record.A, new QueuedDpc
                {
                    Ticks = record.Ticks,
                    Cpu = cpu,
                    TargetCpu = (int)record.Other,
                    Depth = (int)record.B,
                    Importance = record.Detail,
                });
                return false;
            case LaneRecordKind.DpcTaken:
                AddTaken(cpu, in record);
                return false;
            default:
                return false;
        }
    }

    private void AddSwitch(int cpu, in LaneRecord change)
    {
        ref RunningThread last = ref _running[cpu];
        if (last.IsKnown && last.Thread == change.Other && last.Thread != 0)
        {
            machine.ThreadRuns.Add(last.Thread, new LongRun(last.SinceTicks, change.Ticks, change.Ticks - last.SinceTicks, cpu));
            if (settings.WithRunTimes)
            {
                AddRunTime(cpu, last.Thread, last.SinceTicks, change.Ticks);
            }
        }

        last = new RunningThread(change.Thread, change.Ticks, IsKnown: true);
    }

    private void AddRunTime(int cpu, uint thread, long sinceTicks, long ticks)
    {
        while (_holeEnds.TryPeek(out long end) && end <= ticks)
        {
            _holeEndTicks = _holeEnds.Dequeue();
        }

        if (sinceTicks < _holeEndTicks || !machine.Asked.Holds(cpu, sinceTicks))
        {
            return;
        }

        uint process = settings.ProcessOf(thread, ticks) ?? uint.MaxValue;
        ref (long Ticks, long Switches) known = ref CollectionsMarshal.GetValueRefOrAddDefault(machine.RunTimes, process, out _);
        known = (known.Ticks + (ticks - sinceTicks), known.Switches + 1);
    }

    /// <summary>
    /// Whether the DPC that last left its queue may still be running on a CPU that makes a thread ready: DPCs do not nest, and a processor
    /// does not switch threads during one.
    /// </summary>
    private bool IsInDpc(int cpu, in LaneRecord ready)
    {
        Ring<DpcStart> starts = machine.Queues.StartsOf(cpu);
        return starts.Count > 0 && starts.Newest.Ticks is var since && (ready.A <= since || ready.A >= ready.Ticks)
            && (!_running[cpu].IsKnown || _running[cpu].SinceTicks <= since);
    }

    private void AddTaken(int cpu, in LaneRecord taken)
    {
        if (machine.Queues.TryTake((ulong)taken.A, taken.Ticks, out QueuedDpc queued)
            && !(machine.IsOneCpuOnly && queued.Cpu != cpu))
        {
            ulong routine = (ulong)taken.B;
            machine.Routines.AddQueued(cpu, routine, queued.Ticks, taken.Ticks);
            machine.Queues.Started(cpu, new DpcStart { Ticks = taken.Ticks, Routine = routine, Queued = queued });
        }
    }
}
