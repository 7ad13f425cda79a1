using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis;

/// <summary>The reading of one CPU: builds its lane, and learns from each routine that returned.</summary>
/// <param name="clients">Learns which drivers the routines of frameworks run for; of this CPU alone.</param>
/// <param name="levels">Measures for how long the CPU is kept at ISR or DPC level.</param>
/// <param name="found">Takes what <paramref name="levels"/> finds.</param>
/// <param name="usage">Adds up the time of ISRs and DPCs by module; of this CPU alone. Null where that is not requested.</param>
/// <param name="hasDpcQueue">Whether the trace records which DPCs were queued.</param>
internal sealed class LaneReading(
    Lane lane,
    FrameworkClients clients,
    LevelProbes levels,
    HeldDelays found,
    UsagePerModule? usage,
    MachineState machine,
    bool hasDpcQueue)
{
    /// <summary>The DPCs of frameworks, and whether their enqueue was recorded.</summary>
    private readonly Told<(long Number, bool IsRecorded)> _queued = new();

    public Lane Lane => lane;

    /// <summary>The delays that its events show, in the round at hand.</summary>
    public HeldDelays Found => found;

    /// <summary>Whether the round at hand has events of the CPU.</summary>
    public bool IsActive { get; private set; }

    /// <param name="hookId">Its hook id, also where it has a classic header.</param>
    public void Add(in EtlEvent traceEvent, ushort hookId, long ticks)
    {
        if (!IsActive)
        {
            IsActive = true;
            BeginRound();
        }

        switch (lane.Add(in traceEvent, hookId, ticks))
        {
            case LaneChange.Routine:
                AddUsage(in lane.Ran);
                AddRoutine(in lane.Ran);
                break;
            case LaneChange.ThreadRoutine:
                AddUsage(in lane.Ran);
                break;
            case LaneChange.Switch:
                levels.EndBefore(ticks);
                break;
            default:
                break;
        }
    }

    /// <summary>Hands the round over; nobody uses the lane or what it shows meanwhile.</summary>
    public void HandOver()
    {
        IsActive = false;
        lane.HandOver();
    }

    /// <summary>
    /// Learns who queued a DPC of a framework: the early pass, which goes on beside the next round, has come to its end.
    /// </summary>
    public void TakeQueuer(in LaneRecord record)
    {
        CpuHistory cpu = lane.Shown;
        if (record.A < cpu.Spans.First)
        {
            return;
        }

        QueuedDpc? queued = machine.Queues.QueuedOf(cpu.Cpu, in cpu.Spans[record.A]);
        if (queued is { } by)
        {
            cpu.TellLine(record.A, FrameworkClients.QueuerOf(cpu, record.A, in by, machine.Cpu(by.Cpu)));
        }

        _queued.Add((record.A, queued is not null));
    }

    /// <summary>Both passes are done with the round that was handed over; nobody uses the lane meanwhile.</summary>
    public void EndPass()
    {
        lane.Waits.EndPass();
        _queued.EndPass();
    }

    /// <summary>Nothing more comes: adds what was learnt to that of the other CPUs.</summary>
    public void Complete(FrameworkClients allClients, UsagePerModule? allUsage)
    {
        BeginRound();
        levels.Complete();
        allClients.Add(clients);
        if (usage is not null)
        {
            allUsage?.Add(usage);
        }
    }

    /// <summary>Takes what the passes found.</summary>
    private void BeginRound()
    {
        lane.BeginRound();
        CpuHistory cpu = lane.Past;
        foreach ((long number, bool isRecorded) in _queued.ToTake)
        {
            if (number >= cpu.Spans.First)
            {
                clients.Queued(cpu, number, isRecorded);
            }
        }

        _queued.Clear();
    }

    private void AddRoutine(in LevelSpan ran)
    {
        CpuHistory cpu = lane.Past;
        RunClient client = clients.Took(cpu, in ran, out ModuleRole role);
        if (role == ModuleRole.Kernel && ran is { IsIsr: true, IsProfile: false })
        {
            machine.ClockInterrupts.Ran(cpu.Cpu, in ran);
        }

        levels.Ran(ran.StartTicks, ran.EndTicks);
        lane.Count(client);
        if (!FrameworkClients.IsShared(role))
        {
            return;
        }

        if (ran.IsIsr)
        {
            clients.Vote(cpu, in cpu.Spans[cpu.Spans.Next - 1]);
        }
        else if (hasDpcQueue)
        {
            lane.Records.Add(LaneRecordKind.FrameworkDpc, ran.EndTicks).A = cpu.Spans.Next - 1;
        }
        else
        {
            clients.Queued(cpu, cpu.Spans.Next - 1, isRecorded: false);
        }
    }

    private void AddUsage(in LevelSpan ran)
    {
        if (usage is not null && machine.Asked.Holds(lane.Past.Cpu, ran.StartTicks))
        {
            usage.Add(lane.Past.Cpu, ran.Routine, ran.IsIsr, ran.StartTicks, ran.EndTicks);
        }
    }
}
