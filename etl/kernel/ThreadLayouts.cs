using static Tracer.Etl.Kernel.KernelField;

namespace Tracer.Etl.Kernel;

/// <summary>Records of processes, threads, queues and locks that are only shown or written.</summary>
/// <remarks>
/// Sources: the structures of ntwmi.h (phnt) that the rows name, Geoff Chappell's pages about the events of the kernel's thread group, and
/// the MOF of the kernel trace. Sizes are in bytes.
/// </remarks>
public static class ThreadLayouts
{
    /// <summary>A dynamic, base, page or I/O priority of a thread was set (ETW_PRIORITY_EVENT).</summary>
    public static KernelLayout Priority { get; } = new(U32("ThreadId"), U8("Old"), U8("New"), U8("DynamicPriority"), Reserved(1));

    /// <summary>A thread that had waited too long in the queue of a processor was boosted (ETW_ANTI_STARVATION_BOOST_EVENT).</summary>
    public static KernelLayout AntiStarvationBoost { get; } = new(
        U32("ThreadId"), U16("ProcessorIndex"), I8("OldPriority"), Reserved(1));

    /// <summary>A process begins to end (MOF Process_Terminate_TypeGroup1).</summary>
    internal static KernelLayout ProcessTerminate { get; } = new(U32("ProcessId"));

    /// <summary>
    /// Memory counters of a process when it ended, or at the end of the trace (PERFINFO_PROCESS_PERFCTR, MOF Process_V2_TypeGroup2).
    /// </summary>
    internal static KernelLayout ProcessCounters { get; } = new(
        U32("ProcessId"), U32("PageFaultCount"), U32("HandleCount"), Reserved(4), Size("PeakVirtual"), Size("PeakWorkingSet"),
        Size("PeakPagefile"), Size("PeakPagedPool"), Size("PeakNonPagedPool"), Size("Virtual"), Size("WorkingSet"), Size("Pagefile"),
        Size("PagedPool"), Size("NonPagedPool"), Size("Private"));

    /// <summary>A process that was swapped out comes back (PERFINFO_PROCESS_INSWAP).</summary>
    internal static KernelLayout ProcessInSwap { get; } = new(Pointer("DirectoryTableBase"), U32("ProcessId"));

    /// <summary>The system start reached a phase (PERFINFO_BOOT_PHASE_START).</summary>
    internal static KernelLayout BootPhase { get; } = new(U32("BootPhase"));

    /// <summary>The processors of one group that a thread may use were set (ETW_THREAD_AFFINITY_EVENT).</summary>
    internal static KernelLayout Affinity { get; } = new(HexSize("Mask"), U32("ThreadId"), U16("Group"), Reserved(2));

    /// <summary>A system worker thread has run an item (ETW_WORKER_THREAD_ITEM); the unit of StartTime is not public.</summary>
    internal static KernelLayout WorkerItem { get; } = new(U32("ThreadId"), U64("StartTime"), Code("Routine"));

    /// <summary>A work item begins or ends (ETW_WORKER_THREAD_ITEM).</summary>
    internal static KernelLayout WorkItem { get; } = new(Code("Routine"));

    /// <summary>
    /// A ready thread was moved from one processor to another, and whether its ideal processor was changed too (hook
    /// PERFINFO_LOG_TYPE_THREAD_MIGRATION).
    /// </summary>
    internal static KernelLayout Migration { get; } = new(
        U32("ThreadId"), U16("Source"), U16("Target"), U8("Priority"), U8("IdealAdjust"), U16("OldIdeal"));

    /// <summary>An entry was put into a kernel queue for a thread (ETW_KQUEUE_ENQUEUE_EVENT).</summary>
    internal static KernelLayout QueueEnqueue { get; } = new(Pointer("Entry"), U32("ThreadId"));

    /// <summary>A thread took entries from a kernel queue (ETW_KQUEUE_DEQUEUE_EVENT).</summary>
    internal static KernelLayout QueueDequeue { get; } = new(U32("ThreadId"), List("Entries", Pointer("")));

    /// <summary>The running thread began to work for another service of its process (ETW_THREAD_EVENT_SUBPROCESSTAG).</summary>
    internal static KernelLayout SubProcessTag { get; } = new(U32("Old"), U32("New"));

    /// <summary>
    /// Use of an executive resource (ERESOURCE), a reader-writer lock (WMI_RESOURCE). Times are as the kernel gives them; their units are
    /// not public.
    /// </summary>
    internal static KernelLayout ExecutiveResource { get; } = new(
        U64("AcquireTime"), U64("HoldTime"), U64("WaitTime"), U32("MaxRecursion"), U32("ThreadId"), Pointer("Resource"), U32("Action"),
        U32("ContentionDelta"));

    /// <summary>
    /// A thread that holds a lock was lifted because another waits for it (ETW_AUTOBOOST_SET_PRIORITY_FLOOR_EVENT). Flags: 1 in a DPC, 2 by
    /// a wake-up, 4 has requests under way.
    /// </summary>
    internal static KernelLayout AutoBoostFloor { get; } = new(
        Pointer("Lock"), U32("ThreadId"), U8("NewFloor"), U8("OldPriority"), Hex8("IoPriorities"), Hex8("Flags"));

    /// <summary>
    /// The lift of a thread that held a lock ended; the bitmap has the priorities at which it had been lifted
    /// (ETW_AUTOBOOST_CLEAR_PRIORITY_FLOOR_EVENT).
    /// </summary>
    internal static KernelLayout AutoBoostClear { get; } = new(Pointer("Lock"), U32("ThreadId"), Hex16("Bitmap"), Reserved(2));

    /// <summary>A thread could not be lifted: it has no free lock entry (ETW_AUTOBOOST_NO_ENTRIES_EVENT).</summary>
    internal static KernelLayout AutoBoostNoEntries { get; } = new(Pointer("Lock"), U32("ThreadId"));
}
