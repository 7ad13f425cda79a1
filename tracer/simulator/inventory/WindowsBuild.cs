namespace Tracer.Simulator.Inventory;

/// <summary>
/// A release of Windows as far as it shows in a trace: numbers in the header and the version of each record's layout.
/// </summary>
public sealed record WindowsBuild
{
    private const int FirstOfWindows10 = 10_240;
    private const int FirstAcrossGroups = 20_348;
    private const int FirstOfToday = 26_100;

    /// <summary>What people call it.</summary>
    public required string Name { get; init; }

    /// <summary>Version of the system, major.</summary>
    public required byte Major { get; init; }

    /// <summary>Version of the system, minor.</summary>
    public required byte Minor { get; init; }

    public required int Number { get; init; }

    /// <summary>Width of a pointer in bytes: 4 or 8.</summary>
    public required int PointerBytes { get; init; }

    public required byte ContextSwitchVersion { get; init; }

    public required byte ThreadVersion { get; init; }

    public required byte ProcessVersion { get; init; }

    public required byte ImageVersion { get; init; }

    public required byte DiskVersion { get; init; }

    /// <summary>Version of the kernel's event set, told with the group masks.</summary>
    public required uint KernelEventVersion { get; init; }

    /// <summary>
    /// Whether it has what came with Windows 10: records of the DPC queue, of the driver framework's callbacks and of ACPI methods, stack
    /// keys, names of threads, the newer configuration records.
    /// </summary>
    public bool IsModern => Number >= FirstOfWindows10;

    /// <summary>Whether it is Windows 11 24H2 or later, of which counts of a real machine are known.</summary>
    public bool IsOfToday => Number >= FirstOfToday;

    /// <summary>Whether the threads of a process use the CPUs of all processor groups by themselves.</summary>
    public bool SpreadsOverGroups => Number >= FirstAcrossGroups;

    /// <summary>Whether the interrupts of the clock and the profile leave ISR records: those of Windows 7 do.</summary>
    public bool RecordsPeriodicInterrupts => !IsModern;

    /// <summary>Windows 7 with 64 bits: the release of the public trace that the simulator is calibrated with.</summary>
    public static WindowsBuild Windows7 => All[2];

    /// <summary>Every release that the simulator knows, the oldest first.</summary>
    public static IReadOnlyList<WindowsBuild> All { get; } =
    [
        new()
        {
            Name = "Windows Vista SP2", Major = 6, Minor = 0, Number = 6002, PointerBytes = 4, ContextSwitchVersion = 2, ThreadVersion = 2,
            ProcessVersion = 2, ImageVersion = 2, DiskVersion = 2, KernelEventVersion = 18,
        },
        new()
        {
            Name = "Windows 7 SP1, 32-bit", Major = 6, Minor = 1, Number = 7601, PointerBytes = 4, ContextSwitchVersion = 2,
            ThreadVersion = 3, ProcessVersion = 3, ImageVersion = 2, DiskVersion = 2, KernelEventVersion = 25,
        },
        new()
        {
            Name = "Windows 7 SP1", Major = 6, Minor = 1, Number = 7601, PointerBytes = 8, ContextSwitchVersion = 2, ThreadVersion = 3,
            ProcessVersion = 3, ImageVersion = 2, DiskVersion = 2, KernelEventVersion = 25,
        },
        Modern("Windows 10 1607", 14393, contextSwitchVersion: 2, kernelEventVersion: 61),
        Modern("Windows 10 1703", 15063, contextSwitchVersion: 3, kernelEventVersion: 63),
        Modern("Windows 10 22H2", 19045, contextSwitchVersion: 4, kernelEventVersion: 72),
        Modern("Windows 11 22H2", 22621, contextSwitchVersion: 4, kernelEventVersion: 80),
        Modern("Windows 11 24H2", 26100, contextSwitchVersion: 4, kernelEventVersion: 85),
        Modern("Windows 11 25H2", 26200, contextSwitchVersion: 5, kernelEventVersion: 85),
    ];

    private static WindowsBuild Modern(string name, int number, byte contextSwitchVersion, uint kernelEventVersion) => new()
    {
        Name = name,
        Major = 10,
        Minor = 0,
        Number = number,
        PointerBytes = 8,
        ContextSwitchVersion = contextSwitchVersion,
        ThreadVersion = 3,
        ProcessVersion = 4,
        ImageVersion = 3,
        DiskVersion = 3,
        KernelEventVersion = kernelEventVersion,
    };
}
