namespace Tracer.Analysis;

/// <summary>What part a module plays when it stands in front of somebody else's code.</summary>
internal enum ModuleRole : byte
{
    /// <summary>A driver by itself: what runs in it is its own.</summary>
    Driver,

    /// <summary>The kernel or HAL: whoever called it is asked first.</summary>
    Kernel,

    /// <summary>Calls the drivers of others and has little code of its own: time in it says nothing about its owner.</summary>
    Framework,

    /// <summary>Calls the drivers of others but has enough code of its own to be the owner where nobody else is seen.</summary>
    Layer,

    /// <summary>Runs the methods of the firmware.</summary>
    Firmware,
}

/// <summary>
/// The modules of Windows that stand in front of a vendor's driver, and where the drivers behind them are to be looked for. The only
/// place of the analysis that knows names of modules. Sources: Windows driver documentation, public stacks; field notes "Framework
/// routine -> where the true owner is".
/// </summary>
internal static class Frameworks
{
    private static readonly Guid Net = new("4d36e972-e325-11ce-bfc1-08002be10318");
    private static readonly Guid Display = new("4d36e968-e325-11ce-bfc1-08002be10318");
    private static readonly Guid ScsiAdapter = new("4d36e97b-e325-11ce-bfc1-08002be10318");
    private static readonly Guid DiskController = new("4d36e96a-e325-11ce-bfc1-08002be10318");
    private static readonly Guid Media = new("4d36e96c-e325-11ce-bfc1-08002be10318");
    private static readonly Guid Usb = new("36fc9e60-c465-11cf-8056-444553540000");

    private static readonly Dictionary<string, Entry> Table = new(StringComparer.OrdinalIgnoreCase)
    {
        ["ntoskrnl.exe"] = new(ModuleRole.Kernel),
        ["ntkrnlpa.exe"] = new(ModuleRole.Kernel),
        ["ntkrnlmp.exe"] = new(ModuleRole.Kernel),
        ["ntkrpamp.exe"] = new(ModuleRole.Kernel),
        ["ntkrla57.exe"] = new(ModuleRole.Kernel),
        ["hal.dll"] = new(ModuleRole.Kernel),
        ["halmacpi.dll"] = new(ModuleRole.Kernel),
        ["halacpi.dll"] = new(ModuleRole.Kernel),
        ["halaacpi.dll"] = new(ModuleRole.Kernel),
        ["halapic.dll"] = new(ModuleRole.Kernel),
        ["halmps.dll"] = new(ModuleRole.Kernel),

        ["Wdf01000.sys"] = new(ModuleRole.Framework),
        ["WdfLdr.sys"] = new(ModuleRole.Framework),
        ["ndis.sys"] = new(ModuleRole.Framework, Net),
        ["NetAdapterCx.sys"] = new(ModuleRole.Framework, Net),
        ["storport.sys"] = new(ModuleRole.Framework, ScsiAdapter, DiskController),
        ["scsiport.sys"] = new(ModuleRole.Framework, ScsiAdapter),
        ["ataport.sys"] = new(ModuleRole.Framework, DiskController),
        ["dxgkrnl.sys"] = new(ModuleRole.Framework, Display),
        ["dxgmms1.sys"] = new(ModuleRole.Framework, Display),
        ["dxgmms2.sys"] = new(ModuleRole.Framework, Display),
        ["videoprt.sys"] = new(ModuleRole.Framework, Display),
        ["watchdog.sys"] = new(ModuleRole.Framework, Display),
        ["usbport.sys"] = new(ModuleRole.Framework, Usb),
        ["ucx01000.sys"] = new(ModuleRole.Framework, Usb),
        ["portcls.sys"] = new(ModuleRole.Framework, Media),
        ["ks.sys"] = new(ModuleRole.Framework, Media),
        ["hidclass.sys"] = new(ModuleRole.Framework),
        ["fltmgr.sys"] = new(ModuleRole.Framework),
        ["verifier.sys"] = new(ModuleRole.Framework),

        ["usbxhci.sys"] = new(ModuleRole.Layer),
        ["usbehci.sys"] = new(ModuleRole.Layer),
        ["usbuhci.sys"] = new(ModuleRole.Layer),
        ["usbohci.sys"] = new(ModuleRole.Layer),
        ["usbhub.sys"] = new(ModuleRole.Layer),
        ["usbhub3.sys"] = new(ModuleRole.Layer),
        ["usbccgp.sys"] = new(ModuleRole.Layer),
        ["hdaudbus.sys"] = new(ModuleRole.Layer),
        ["i8042prt.sys"] = new(ModuleRole.Layer),
        ["kbdclass.sys"] = new(ModuleRole.Layer),
        ["mouclass.sys"] = new(ModuleRole.Layer),
        ["hidusb.sys"] = new(ModuleRole.Layer),
        ["tcpip.sys"] = new(ModuleRole.Layer),
        ["netio.sys"] = new(ModuleRole.Layer),
        ["fwpkclnt.sys"] = new(ModuleRole.Layer),
        ["wfplwfs.sys"] = new(ModuleRole.Layer),
        ["afd.sys"] = new(ModuleRole.Layer),
        ["classpnp.sys"] = new(ModuleRole.Layer),
        ["disk.sys"] = new(ModuleRole.Layer),
        ["partmgr.sys"] = new(ModuleRole.Layer),
        ["volmgr.sys"] = new(ModuleRole.Layer),
        ["volsnap.sys"] = new(ModuleRole.Layer),
        ["ntfs.sys"] = new(ModuleRole.Layer),
        ["pci.sys"] = new(ModuleRole.Layer),

        ["ACPI.sys"] = new(ModuleRole.Firmware),
    };

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
    public static ModuleRole RoleOf(string module) => Table.TryGetValue(module, out Entry? entry) ? entry.Role : ModuleRole.Driver;

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
    public static IReadOnlyList<Guid> ClientClassesOf(string module) => Table.TryGetValue(module, out Entry? entry) ? entry.Clients : [];

    private sealed record Entry(ModuleRole Role, params Guid[] Clients);
}
