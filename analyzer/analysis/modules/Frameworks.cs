namespace Tracer.Analysis;

/// <summary>
/// What is known by name: the part that a module of Windows plays in front of a vendor's driver, and what routines of the kernel do. The
/// modules stand in <see cref="FrameworkTable"/>, the only place of the analysis that knows their names.
/// </summary>
internal static class Frameworks
{
    private static readonly Dictionary<string, KnownModule> ByName =
        FrameworkTable.Groups.SelectMany(group => group.Modules).ToDictionary(module => module.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// How the names of routines begin that wait for others. Names of exported and public functions, as they stand in public stacks.
    /// </summary>
    private static readonly (string Prefix, WaitKind Kind)[] WaitingFunctions =
    [
        ("KxWaitForSpinLock", WaitKind.Lock),
        ("KxWaitForLock", WaitKind.Lock),
        ("KxAcquireSpinLock", WaitKind.Lock),
        ("KxAcquireQueuedSpinLock", WaitKind.Lock),
        ("KeAcquireSpinLock", WaitKind.Lock),
        ("KfAcquireSpinLock", WaitKind.Lock),
        ("KiAcquireSpinLock", WaitKind.Lock),
        ("KiAcquireQueuedSpinLock", WaitKind.Lock),
        ("KeAcquireQueuedSpinLock", WaitKind.Lock),
        ("KeAcquireInStackQueuedSpinLock", WaitKind.Lock),
        ("KiAcquireKobjectLock", WaitKind.Lock),
        ("KiAcquireDispatcherLock", WaitKind.Lock),
        ("KeAcquireInterruptSpinLock", WaitKind.Lock),
        ("ExAcquireSpinLock", WaitKind.Lock),
        ("ExpWaitForSpinLock", WaitKind.Lock),
        ("KeFlush", WaitKind.Processors),
        ("KiFlush", WaitKind.Processors),
        ("KxFlush", WaitKind.Processors),
        ("KeInvalidate", WaitKind.Processors),
        ("KiInvalidate", WaitKind.Processors),
        ("KiIpiStall", WaitKind.Processors),
        ("KiIpiWait", WaitKind.Processors),
        ("KiIpiSend", WaitKind.Processors),
        ("KiIpiSignalPacket", WaitKind.Processors),
        ("KeIpiGenericCall", WaitKind.Processors),
        ("KeFreezeExecution", WaitKind.Processors),
        ("KiFreezeTargetExecution", WaitKind.Processors),
    ];

    /// <summary>
    /// How the names of routines begin that call interrupt routines, DPCs, and what runs in threads; the nearest on a stack tells the level
    /// of what it called. Names of public functions, as they stand in public stacks.
    /// </summary>
    private static readonly (string Prefix, CodeLevel Level)[] CallingFunctions =
    [
        ("KiInterruptDispatch", CodeLevel.Isr),
        ("KiInterruptSubDispatch", CodeLevel.Isr),
        ("KiInterruptMessageDispatch", CodeLevel.Isr),
        ("KiCallInterruptServiceRoutine", CodeLevel.Isr),
        ("KiScanInterruptObjectList", CodeLevel.Isr),
        ("KiChainedDispatch", CodeLevel.Isr),
        ("KiRetireDpcList", CodeLevel.Dpc),
        ("KxRetireDpcList", CodeLevel.Dpc),
        ("KiExecuteAllDpcs", CodeLevel.Dpc),
        ("KiExecuteDpcDelegate", CodeLevel.Dpc),
        ("KiProcessExpiredTimerList", CodeLevel.Dpc),
        ("KiTimerListExpire", CodeLevel.Dpc),
        ("KiTimerExpiration", CodeLevel.Dpc),
        ("KiStartSystemThread", CodeLevel.Thread),
        ("PspSystemThreadStartup", CodeLevel.Thread),
        ("KiSystemService", CodeLevel.Thread),
        ("KiSystemCall", CodeLevel.Thread),
        ("KiFastCallEntry", CodeLevel.Thread),
    ];

    /// <summary>The part a module plays.</summary>
    /// <param name="module">File name.</param>
    public static ModuleRole RoleOf(string module) => ByName.TryGetValue(module, out KnownModule? known) ? known.Role : ModuleRole.Driver;

    /// <summary>The image of the kernel itself, not of the HAL.</summary>
    /// <param name="module">File name.</param>
    public static bool IsKernelImage(string module) => RoleOf(module) == ModuleRole.Kernel
        && module.StartsWith("nt", StringComparison.OrdinalIgnoreCase) && module.EndsWith(".exe", StringComparison.OrdinalIgnoreCase);

    /// <summary>What a routine of the kernel waits for; a delay that its caller asked for is the caller's own time.</summary>
    /// <param name="function">Its name, without the module.</param>
    public static WaitKind WaitOf(string function)
    {
        foreach ((string prefix, WaitKind kind) in WaitingFunctions)
        {
            if (function.StartsWith(prefix, StringComparison.Ordinal))
            {
                return kind;
            }
        }

        return WaitKind.None;
    }

    /// <summary>The level of what a routine of the kernel calls.</summary>
    /// <param name="function">Its name, without the module.</param>
    public static CodeLevel LevelOf(string function)
    {
        foreach ((string prefix, CodeLevel level) in CallingFunctions)
        {
            if (function.StartsWith(prefix, StringComparison.Ordinal))
            {
                return level;
            }
        }

        return CodeLevel.Unknown;
    }

    /// <summary>Setup classes of the devices whose drivers stand behind a framework; empty where it serves any.</summary>
    /// <param name="module">File name.</param>
    public static IReadOnlyList<SetupClass> ClientClassesOf(string module) =>
        ByName.TryGetValue(module, out KnownModule? known) ? known.Clients : [];
}
