namespace Tracer.Analysis.Modules;

/// <summary>
/// What is known by name: the role of a Windows module in front of a vendor's driver, and what routines of the kernel do. The modules are
/// listed in <see cref="FrameworkTable"/>, the only place in the analysis that knows their names.
/// </summary>
internal static class Frameworks
{
    private static readonly Dictionary<string, KnownModule> ByName =
        FrameworkTable.Groups.SelectMany(group => group.Modules).ToDictionary(module => module.Name, StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Name prefixes of kernel routines that wait for others: exported and public functions, as they appear in public stacks.
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
    /// Name prefixes of kernel routines that call ISRs, DPCs, and code in threads. The innermost one on a stack tells the level of the code
    /// it called. Names of public functions, as they appear in public stacks.
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

    public static ModuleRole RoleOf(string module) => ByName.TryGetValue(module, out KnownModule? known) ? known.Role : ModuleRole.Driver;

    /// <summary>Whether a module is the image of the kernel itself, not the HAL.</summary>
    public static bool IsKernelImage(string module) => RoleOf(module) == ModuleRole.Kernel
        && module.StartsWith("nt", StringComparison.OrdinalIgnoreCase) && module.EndsWith(".exe", StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Whether the DPCs of a module complete requests of storage: then modules of Windows above it only pass on what the device did.
    /// </summary>
    public static bool CompletesRequests(string module) => ClientClassesOf(module).Any(
        served => served == SetupClass.ScsiAdapter || served == SetupClass.DiskController || served == SetupClass.SecureDigitalHost);

    /// <summary>What a kernel routine waits for; a delay that the caller requested counts as the caller's own time.</summary>
    /// <param name="function">The routine's name without the module.</param>
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

    /// <summary>The level of the code that a kernel routine calls.</summary>
    /// <param name="function">The routine's name without the module.</param>
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

    /// <summary>Setup classes of the devices whose drivers a framework serves; empty where it serves any driver.</summary>
    public static IReadOnlyList<SetupClass> ClientClassesOf(string module) =>
        ByName.TryGetValue(module, out KnownModule? known) ? known.Clients : [];
}
