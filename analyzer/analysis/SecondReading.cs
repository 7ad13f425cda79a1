using Tracer.Analysis.Causes;
using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis;

/// <summary>
/// The reading in order of time. The state of the machine follows the events, delays are measured on it, and each delay is examined a
/// little later, while the machine still remembers what happened.
/// </summary>
/// <param name="levels">Measures for how long CPUs are kept at ISR or DPC level.</param>
/// <param name="usage">Adds up the time of ISRs and DPCs by module; null where that is not requested.</param>
internal sealed class SecondReading(
    MachineState machine,
    ThreadProbes threads,
    LevelProbes levels,
    FrameworkClients clients,
    UsagePerModule? usage,
    EpisodeAnalysis episodes) : IMachineWatcher
{
    /// <summary>Histories that take less, in bytes, are left to the collector.</summary>
    private const long WorthCollecting = 8 << 20;

    /// <param name="settings">What must be known about the trace to follow its machine.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Read(EtlReader reader, MachineSettings settings)
    {
        var sink = new MachineReading.Sink(new MachineReading(settings, machine, this));
        reader.ReadAhead(ref sink, KernelHook.SampledProfile);
        levels.Complete();
        episodes.Complete();

        // What follows takes memory for each episode: it begins when that of the reading was given back, where that is worth a collection.
        if (machine.ForgetHistories() >= WorthCollecting)
        {
            GC.Collect();
        }
    }

    public long Reach(long ticks) => episodes.Reach(ticks);

    public void Ready(CpuHistory cpu, in ReadyThreadRecord ready, long ticks) => threads.Ready(cpu, in ready, ticks);

    public void Switched(CpuHistory cpu, in ContextSwitchRecord change, long ticks)
    {
        levels.EndBefore(cpu.Cpu, ticks);
        threads.Switched(cpu, in change, ticks);
    }

    public void Faulted(in HardFaultRecord fault, long ticks) => threads.Faulted(in fault, ticks);

    public RunClient Ran(CpuHistory cpu, in LevelSpan span)
    {
        AddUsage(cpu.Cpu, span.Routine, span.IsIsr, span.StartTicks, span.EndTicks);
        RunClient client = clients.Took(cpu, in span, out ModuleRole role);
        if (role == ModuleRole.Kernel && span is { IsIsr: true, IsProfile: false })
        {
            machine.ClockInterrupts.Ran(cpu.Cpu, in span);
        }

        levels.Ran(cpu.Cpu, span.StartTicks, span.EndTicks);
        return client;
    }

    public void RanInThread(CpuHistory cpu, in ThreadRoutine routine) =>
        AddUsage(cpu.Cpu, routine.Routine, routine.IsIsr, routine.StartTicks, routine.EndTicks);

    private void AddUsage(int cpu, ulong routine, bool isIsr, long startTicks, long endTicks)
    {
        if (usage is not null && machine.Asked.Holds(cpu, startTicks))
        {
            usage.Add(cpu, routine, isIsr, startTicks, endTicks);
        }
    }
}
