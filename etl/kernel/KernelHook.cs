namespace Tracer.Etl.Kernel;

/// <summary>
/// Hook ids of the kernel events that latency analysis looks at: group in the high byte, opcode in the low (ntwmi.h). All that are
/// known by name: <see cref="KernelRecordCatalog"/>.
/// </summary>
public static class KernelHook
{
    /// <summary>Disk read done.</summary>
    public const ushort DiskRead = 0x010A;

    /// <summary>Disk write done.</summary>
    public const ushort DiskWrite = 0x010B;

    /// <summary>Disk flush done.</summary>
    public const ushort DiskFlush = 0x010E;

    /// <summary>Hard page fault: a page was read from disk.</summary>
    public const ushort HardFault = 0x0220;

    /// <summary>Image loaded.</summary>
    public const ushort ImageLoad = 0x030A;

    /// <summary>Context switch.</summary>
    public const ushort ContextSwitch = 0x0524;

    /// <summary>Batch of context switches in compact form.</summary>
    public const ushort CompactContextSwitch = 0x0525;

    /// <summary>A spin lock was held, or waited for.</summary>
    public const ushort SpinLock = 0x0529;

    /// <summary>Thread made ready.</summary>
    public const ushort ReadyThread = 0x0532;

    /// <summary>The processors, the memory, the machine's name.</summary>
    public const ushort SystemConfigCpu = 0x0B0A;

    /// <summary>A physical disk.</summary>
    public const ushort SystemConfigPhysicalDisk = 0x0B0B;

    /// <summary>A network adapter.</summary>
    public const ushort SystemConfigNetworkAdapter = 0x0B0D;

    /// <summary>A display adapter.</summary>
    public const ushort SystemConfigVideoAdapter = 0x0B0E;

    /// <summary>Who made the machine and its firmware.</summary>
    public const ushort SystemConfigPlatform = 0x0B19;

    /// <summary>A processor.</summary>
    public const ushort SystemConfigProcessor = 0x0B23;

    /// <summary>Profile sample.</summary>
    public const ushort SampledProfile = 0x0F2E;

    /// <summary>Sample of a performance counter.</summary>
    public const ushort PmcSample = 0x0F2F;

    /// <summary>Message-signalled interrupt service routine.</summary>
    public const ushort IsrMessageSignalled = 0x0F32;

    /// <summary>Several profile samples in one record.</summary>
    public const ushort SampleCache = 0x0F37;

    /// <summary>Threaded DPC.</summary>
    public const ushort ThreadedDpc = 0x0F42;

    /// <summary>Interrupt service routine.</summary>
    public const ushort Isr = 0x0F43;

    /// <summary>Deferred procedure call.</summary>
    public const ushort Dpc = 0x0F44;

    /// <summary>DPC of a timer.</summary>
    public const ushort TimerDpc = 0x0F45;

    /// <summary>DPC of an I/O timer.</summary>
    public const ushort IoTimerDpc = 0x0F46;

    /// <summary>Profile sample taken by a non-maskable interrupt.</summary>
    public const ushort NmiSample = 0x0F47;

    /// <summary>Interval of a profile source set.</summary>
    public const ushort SetInterval = 0x0F48;

    /// <summary>Interval of a profile source at the start of the collection.</summary>
    public const ushort CollectionStart = 0x0F49;

    /// <summary>Clock interrupt.</summary>
    public const ushort ClockInterrupt = 0x0F4F;

    /// <summary>Interrupt service routine at passive level.</summary>
    public const ushort PassiveIsr = 0x0F5F;

    /// <summary>Interrupt callback of a WDF driver.</summary>
    public const ushort WdfIsr = 0x0F60;

    /// <summary>Interrupt callback of a WDF driver at passive level.</summary>
    public const ushort WdfPassiveIsr = 0x0F61;

    /// <summary>DPC callback of a WDF driver.</summary>
    public const ushort WdfDpc = 0x0F62;

    /// <summary>DPC put into a queue.</summary>
    public const ushort DpcEnqueue = 0x0F64;

    /// <summary>DPC taken from a queue.</summary>
    public const ushort DpcExecution = 0x0F65;

    /// <summary>Work item callback of a WDF driver.</summary>
    public const ushort WdfWorkItem = 0x0F67;

    /// <summary>First of the power events about processors: change of performance state.</summary>
    public const ushort PerformanceStateChange = 0x1233;

    /// <summary>A processor goes idle.</summary>
    public const ushort IdleEnter = 0x1239;

    /// <summary>A processor leaves idle.</summary>
    public const ushort IdleExit = 0x123A;

    /// <summary>Last of the power events about processors: latency of leaving an idle state.</summary>
    public const ushort IdleExitLatency = 0x123C;

    /// <summary>Image unloaded.</summary>
    public const ushort ImageUnload = 0x1402;

    /// <summary>Image that was loaded when the trace started.</summary>
    public const ushort ImageDCStart = 0x1403;

    /// <summary>Image that was loaded when the trace stopped.</summary>
    public const ushort ImageDCEnd = 0x1404;

    /// <summary>Image loaded, with the group that consumers show it under.</summary>
    public const ushort ImageLoadOfImageGroup = 0x140A;

    /// <summary>The page through which a guest calls its hypervisor.</summary>
    public const ushort HypercallPage = 0x1422;

    /// <summary>Stack of another event.</summary>
    public const ushort Stack = 0x1820;

    /// <summary>Frames that a stack key stands for, when the key is made.</summary>
    public const ushort StackKeyCreate = 0x1822;

    /// <summary>Frames that a stack key stood for, when the key is given up.</summary>
    public const ushort StackKeyDelete = 0x1823;

    /// <summary>Frames that a stack key stands for, when the trace stops.</summary>
    public const ushort StackKeyRundown = 0x1824;

    /// <summary>Kernel part of a stack, by key.</summary>
    public const ushort StackKernelKey = 0x1825;

    /// <summary>User part of a stack, by key.</summary>
    public const ushort StackUserKey = 0x1826;

    /// <summary>The hook id of a kernel event whatever its header: classic headers name the group's class and the opcode.</summary>
    /// <returns>Null for what is no kernel event.</returns>
    public static ushort? Of(in EtlEvent traceEvent)
    {
        if (traceEvent.IsKernelHook)
        {
            return traceEvent.HookId;
        }

        KernelGroup group = traceEvent.IsEventHeader || traceEvent.Kind == EtlHeaderKind.Message
            ? KernelGroup.None
            : KernelGroupClass.GroupOf(traceEvent.ProviderId);
        return group == KernelGroup.None ? null : (ushort)(((int)group << 8) | traceEvent.Opcode);
    }
}
