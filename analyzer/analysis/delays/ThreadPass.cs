using System.Runtime.InteropServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>
/// What went on across CPUs, one pass over what the lanes hand over, in order of time: switches and wake-ups of threads, DPCs in queues,
/// page faults, spin locks, speeds. Together with the pasts of the CPUs it is all that the search for causes reads.
/// </summary>
/// <param name="threads">Measures the waits of threads.</param>
internal sealed class ThreadPass(MachineState machine, MachineSettings settings, ThreadProbes threads)
{
    private readonly Running[] _running = new Running[machine.Cpus.Length];
    private readonly Queue<long> _holeEnds = [];
    private long _holeEndTicks = long.MinValue;

    /// <summary>Tells when a time ends in which no CPU logged anything, in ticks, in order of time; before the records behind it.</summary>
    public void AddHole(long endTicks) => _holeEnds.Enqueue(endTicks);

    /// <summary>Takes the next record.</summary>
    public void Take(int cpu, in LaneRecord record, LaneRecords details)
    {
        switch (record.Kind)
        {
            case LaneRecordKind.Switch:
                AddSwitch(cpu, in record);
                machine.ReadyTimes.Add(cpu, threads.Switched(cpu, in record));
                break;
            case LaneRecordKind.Ready:
                bool isInDpc = IsInDpc(cpu, in record);
                threads.Ready(cpu, in record, isInDpc, isInDpc || record.IsSo || !_running[cpu].IsKnown ? 0 : _running[cpu].Thread);
                break;
            case LaneRecordKind.DpcQueued:
                machine.Queues.Enqueued((ulong)record.A, new QueuedDpc
                {
                    Ticks = record.Ticks,
                    Cpu = cpu,
                    TargetCpu = (int)record.Other,
                    Depth = (int)record.B,
                    Importance = record.Detail,
                });
                break;
            case LaneRecordKind.DpcTaken:
                AddTaken(cpu, in record);
                break;
            case LaneRecordKind.Fault:
                AddFault(cpu, details.Faults[(int)record.Thread]);
                break;
            case LaneRecordKind.FileName:
                settings.FaultedFiles.AddName(details.Names[(int)record.Thread]);
                break;
            case LaneRecordKind.Lock:
                machine.Locks.Add(details.Holds[(int)record.Thread]);
                break;
            case LaneRecordKind.Speed:
                machine.Power.Add(details.Speeds[(int)record.Thread], record.Ticks);
                break;
            case LaneRecordKind.RanAtSpeed:
                machine.Power.Ran(cpu, (ulong)record.B, record.IsSo, record.A, record.C);
                break;
            case LaneRecordKind.LongRun:
                (record.IsSo ? machine.Routines.Asked : machine.Routines)
                    .AddLong((int)record.Thread, new LongRun(record.A, record.Ticks, record.B, cpu));
                break;
        }
    }

    private void AddSwitch(int cpu, in LaneRecord change)
    {
        long ticks = change.Ticks;
        ref Running last = ref _running[cpu];
        if (last.IsKnown && last.Thread != change.Other)
        {
            machine.Losses.AddBroken(cpu, last.SinceTicks, ticks);
        }
        else if (last.IsKnown && last.Thread != 0)
        {
            machine.ThreadRuns.Add(last.Thread, new LongRun(last.SinceTicks, ticks, ticks - last.SinceTicks, cpu));
            if (settings.WithRunTimes)
            {
                AddRunTime(cpu, last.Thread, last.SinceTicks, ticks);
            }
        }

        last = new Running(change.Thread, ticks, IsKnown: true);
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

    private void AddFault(int cpu, HardFault fault)
    {
        machine.Faults.Add(in fault);
        if (machine.Asked.Holds(cpu, fault.StartTicks))
        {
            machine.FaultCounts.Add(
                settings.ProcessOf(fault.ThreadId, fault.EndTicks), settings.FaultedFiles.Of(fault.FileObject), in fault);
        }

        threads.Faulted(in fault);
    }

    private readonly record struct Running(uint Thread, long SinceTicks, bool IsKnown);
}
