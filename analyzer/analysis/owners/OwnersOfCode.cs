namespace Tracer.Analysis;

/// <summary>All that says whose code ran: by one run of it, by the samples inside, and by what the whole trace shows.</summary>
internal sealed class OwnersOfCode
{
    /// <summary>Starts with what the first reading knows.</summary>
    /// <param name="facts">What the first reading learnt.</param>
    /// <param name="modules">The images.</param>
    /// <param name="machine">The machine's state.</param>
    /// <param name="names">Names of functions; null for none.</param>
    public OwnersOfCode(TraceFacts facts, ModuleMap modules, MachineState machine, IFunctionNames? names)
    {
        Modules = modules;
        Search = new OwnerSearch(modules);
        Clients = new FrameworkClients(modules, Search, machine.TicksPerSecond);
        Behind = new FrameworkOwners(Clients, facts, modules);
        Shares = new SampleShares(modules);
        Threads = new ThreadOwners(facts.Threads, modules, Search);
        Kernel = new KernelRoutines(modules, names);
        Samples = new SettledSamples(machine.Cpus, Shares, Threads);
    }

    /// <summary>The images.</summary>
    public ModuleMap Modules { get; }

    /// <summary>Whose one run was.</summary>
    public OwnerSearch Search { get; }

    /// <summary>For whom the routines of frameworks run.</summary>
    public FrameworkClients Clients { get; }

    /// <summary>Who stands behind routines of frameworks.</summary>
    public FrameworkOwners Behind { get; }

    /// <summary>How often each module is on a CPU.</summary>
    public SampleShares Shares { get; }

    /// <summary>Whose the threads of the system are.</summary>
    public ThreadOwners Threads { get; }

    /// <summary>The kernel's routines.</summary>
    public KernelRoutines Kernel { get; }

    /// <summary>Looks at each sample once all that belongs to it has come.</summary>
    public SettledSamples Samples { get; }
}
