namespace Tracer.Simulator.Inventory;

public sealed class InventoryProcess
{
    private readonly List<InventoryThread> _threads = [];

    internal InventoryProcess(uint id, string name, string commandLine, IReadOnlyList<SimulatedImage> images)
    {
        Id = id;
        Name = name;
        CommandLine = commandLine;
        Images = images;
    }

    /// <summary>Its id, a multiple of 4; 0 is the idle process.</summary>
    public uint Id { get; }

    /// <summary>File name of its image.</summary>
    public string Name { get; }

    public string CommandLine { get; }

    /// <summary>What is mapped into it, its own program first; empty for processes of the kernel.</summary>
    public IReadOnlyList<SimulatedImage> Images { get; }

    public required uint ParentId { get; init; }

    public required uint SessionId { get; init; }

    /// <summary>Address of its kernel structure.</summary>
    public required ulong Key { get; init; }

    /// <summary>Physical address of its page tables.</summary>
    public required ulong DirectoryTable { get; init; }

    /// <summary>Its threads, in the order they were made.</summary>
    public IReadOnlyList<InventoryThread> Threads => _threads;

    internal void Add(InventoryThread thread) => _threads.Add(thread);
}

public sealed class InventoryThread
{
    internal InventoryThread(uint id, InventoryProcess process)
    {
        Id = id;
        Process = process;
    }

    /// <summary>Its id, a multiple of 4; 0 for the idle thread of each CPU.</summary>
    public uint Id { get; }

    public InventoryProcess Process { get; }

    /// <summary>Its base priority, 0 to 31.</summary>
    public required int BasePriority { get; init; }

    /// <summary>The CPUs it may use, as a mask within its processor group, of which no record of threads tells the number.</summary>
    public required ulong Affinity { get; init; }

    /// <summary>Its name; empty for most.</summary>
    public required string Name { get; init; }

    public required ulong StartAddress { get; init; }

    public required ulong KernelStack { get; init; }

    /// <summary>Highest address of its user stack; 0 for threads of the kernel.</summary>
    public required ulong UserStack { get; init; }

    /// <summary>Address of its environment block; 0 for threads of the kernel.</summary>
    public required ulong EnvironmentBlock { get; init; }
}
