using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Owners;

/// <summary>Everything that tells whose code ran: the run itself, the samples in it, and what the whole trace shows.</summary>
internal sealed class OwnersOfCode
{
    private readonly long _ticksPerSecond;

    /// <summary>Prepares the evidence from the first reading.</summary>
    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="names">Names functions; null where there are no names.</param>
    public OwnersOfCode(TraceFacts facts, ModuleMap modules, MachineState machine, IFunctionNames? names)
    {
        _ticksPerSecond = machine.TicksPerSecond;
        Modules = modules;
        Search = new OwnerSearch(modules);
        Clients = new FrameworkClients(modules, Search, machine.TicksPerSecond);
        Behind = new FrameworkOwners(Clients, facts, modules);
        Shares = new SampleShares(modules, facts.Threads);
        Threads = new ThreadOwners(facts.Threads, modules, Search);
        Kernel = new KernelRoutines(modules, names);
        Samples = new SettledSamples(machine.Cpus.Length, Shares, Threads);
    }

    public ModuleMap Modules { get; }

    public OwnerSearch Search { get; }

    /// <summary>Learns which drivers the routines of frameworks run for.</summary>
    public FrameworkClients Clients { get; }

    /// <summary>Finds the driver behind a framework where a run does not show it.</summary>
    public FrameworkOwners Behind { get; }

    /// <summary>Counts how often each module is on a CPU.</summary>
    public SampleShares Shares { get; }

    public ThreadOwners Threads { get; }

    public KernelRoutines Kernel { get; }

    /// <summary>Learns the same from the routines of one CPU; shares nothing that changes with those of others.</summary>
    public FrameworkClients ClientsOfLane()
    {
        ModuleMap modules = Modules.OfLane();
        return new FrameworkClients(modules, new OwnerSearch(modules), _ticksPerSecond);
    }

    /// <summary>Examines each sample once all records that belong to it have come.</summary>
    public SettledSamples Samples { get; }
}
