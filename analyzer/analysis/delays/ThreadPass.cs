using System.Runtime.CompilerServices;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>
/// What went on across CPUs, one pass over what the lanes hand over, in order of time: switches and wake-ups of threads, page faults, spin
/// locks, speeds. Together with the pasts of the CPUs and the DPCs in queues it is all that the search for causes reads.
/// </summary>
/// <param name="threads">Measures the waits of threads.</param>
internal sealed class ThreadPass(MachineState machine, MachineSettings settings, ThreadProbes threads)
{
    private readonly RunningThread[] _running = new RunningThread[machine.Cpus.Length];

    /// <summary>Takes the next record.</summary>
    /// <param name="dpc">The DPC during which it came, as <see cref="EarlyPass"/> found; a null reference for none.</param>
    public void Take(int cpu, in LaneRecord record, LaneRecords details, ref readonly DpcStart dpc)
    {
        switch (record.Kind)
        {
            case LaneRecordKind.Switch:
                AddSwitch(cpu, in record);
                machine.ReadyTimes.Add(cpu, threads.Switched(cpu, in record));
                break;
            case LaneRecordKind.Ready:
                bool isInDpc = !Unsafe.IsNullRef(in dpc);
                threads.Ready(cpu, in record, in dpc, isInDpc || record.IsSo || !_running[cpu].IsKnown ? 0 : _running[cpu].Thread);
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
        ref RunningThread last = ref _running[cpu];
        if (last.IsKnown && last.Thread != change.Other)
        {
            machine.Losses.AddBroken(cpu, last.SinceTicks, ticks);
        }

        last = new RunningThread(change.Thread, ticks, IsKnown: true);
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
}
