namespace Tracer.Etl;

/// <summary>Groups of kernel events: the high byte of a hook id (EVENT_TRACE_GROUP_* of ntwmi.h).</summary>
public enum KernelGroup : byte
{
    /// <summary>Log-file header, extensions, rundown marks.</summary>
    Header = 0x00,

    /// <summary>Disk I/O and driver hooks.</summary>
    Io = 0x01,

    /// <summary>Page faults and virtual memory.</summary>
    Memory = 0x02,

    /// <summary>Processes; image loads carry this group in files.</summary>
    Process = 0x03,

    /// <summary>File I/O and file names.</summary>
    File = 0x04,

    /// <summary>Threads, context switches, ReadyThread, priorities.</summary>
    Thread = 0x05,

    /// <summary>TCP/IP.</summary>
    TcpIp = 0x06,

    /// <summary>Jobs.</summary>
    Job = 0x07,

    /// <summary>UDP/IP.</summary>
    UdpIp = 0x08,

    /// <summary>Registry.</summary>
    Registry = 0x09,

    /// <summary>Debug prints.</summary>
    DebugPrint = 0x0A,

    /// <summary>The machine: CPUs, disks, NICs, devices, interrupts, services.</summary>
    SystemConfig = 0x0B,

    /// <summary>Spare; last-branch records.</summary>
    LastBranch = 0x0C,

    /// <summary>Notification facility.</summary>
    Wnf = 0x0D,

    /// <summary>Kernel pool.</summary>
    Pool = 0x0E,

    /// <summary>Samples, ISRs, DPCs, system calls, timers.</summary>
    PerfInfo = 0x0F,

    /// <summary>User-mode heaps.</summary>
    Heap = 0x10,

    /// <summary>Kernel objects and handles.</summary>
    Object = 0x11,

    /// <summary>Idle states, frequencies, sleep.</summary>
    Power = 0x12,

    /// <summary>Bound modules.</summary>
    ModuleBound = 0x13,

    /// <summary>Image unloads and rundowns.</summary>
    Image = 0x14,

    /// <summary>Reserved for DPCs; the records themselves are in PerfInfo.</summary>
    Dpc = 0x15,

    /// <summary>Cache manager.</summary>
    CacheManager = 0x16,

    /// <summary>Critical sections.</summary>
    CriticalSection = 0x17,

    /// <summary>Stacks of other events.</summary>
    StackWalk = 0x18,

    /// <summary>User-mode scheduling.</summary>
    Ums = 0x19,

    /// <summary>Local procedure calls.</summary>
    Alpc = 0x1A,

    /// <summary>Split I/O.</summary>
    SplitIo = 0x1B,

    /// <summary>Thread pools.</summary>
    ThreadPool = 0x1C,

    /// <summary>Hypervisor.</summary>
    Hypervisor = 0x1D,

    /// <summary>Hypervisor, second class.</summary>
    HypervisorExtended = 0x1E,

    /// <summary>No group: the event is named by a GUID.</summary>
    None = 0xFF,
}

/// <summary>
/// The class GUID under which the Windows API shows each kernel group, and under which writers of classic (FULL) headers log the same
/// events ("NT Kernel Logger Constants" of Microsoft Learn, and ntwmi.h).
/// </summary>
public static class KernelGroupClass
{
    private static readonly Guid[] ClassIds =
    [
        new("68fdd900-4a3e-11d1-84f4-0000f80464e3"), // 0x00 Header
        new("3d6fa8d4-fe05-11d0-9dda-00c04fd7ba7c"), // 0x01 Io
        new("3d6fa8d3-fe05-11d0-9dda-00c04fd7ba7c"), // 0x02 Memory
        new("3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c"), // 0x03 Process
        new("90cbdc39-4a3e-11d1-84f4-0000f80464e3"), // 0x04 File
        new("3d6fa8d1-fe05-11d0-9dda-00c04fd7ba7c"), // 0x05 Thread
        new("9a280ac0-c8e0-11d1-84e2-00c04fb998a2"), // 0x06 TcpIp
        new("3282fc76-feed-498e-8aa7-e70f459d430e"), // 0x07 Job
        new("bf3a50c5-a9c9-4988-a005-2df0b7c80f80"), // 0x08 UdpIp
        new("ae53722e-c863-11d2-8659-00c04fa321a1"), // 0x09 Registry
        new("13976d09-a327-438c-950b-7f03192815c7"), // 0x0A DebugPrint
        new("01853a65-418f-4f36-aefc-dc0f1d2fd235"), // 0x0B SystemConfig
        new("99134383-5248-43fc-834b-529454e75df3"), // 0x0C LastBranch
        new("42695762-ea50-497a-9068-5cbbb35e0b95"), // 0x0D Wnf
        new("0268a8b6-74fd-4302-9dd0-6e8f1795c0cf"), // 0x0E Pool
        new("ce1dbfb4-137e-4da6-87b0-3f59aa102cbc"), // 0x0F PerfInfo
        new("222962ab-6180-4b88-a825-346b75f2a24a"), // 0x10 Heap
        new("89497f50-effe-4440-8cf2-ce6b1cdcaca7"), // 0x11 Object
        new("e43445e0-0903-48c3-b878-ff0fccebdd04"), // 0x12 Power
        new("a9152f00-3f58-4bee-92a1-70c7d079d5dd"), // 0x13 ModuleBound
        new("2cb15d1d-5fc1-11d2-abe1-00a0c911f518"), // 0x14 Image
        new("b2d14872-7c5b-463d-8419-ee9bf7d23e04"), // 0x15 Dpc
        new("7687a439-f752-45b8-b741-321aec0f8df9"), // 0x16 CacheManager
        new("3ac66736-cc59-4cff-8115-8df50e39816b"), // 0x17 CriticalSection
        new("def2fe46-7bd6-4b80-bd94-f57fe20d0ce3"), // 0x18 StackWalk
        new("9aec974b-5b8e-4118-9b92-3186d8002ce5"), // 0x19 Ums
        new("45d8cccd-539f-4b72-a8b7-5c683142609a"), // 0x1A Alpc
        new("d837ca92-12b9-44a5-ad6a-3a65b3578aa8"), // 0x1B SplitIo
        new("c861d0e2-a2c1-4d36-9f9c-970bab943a12"), // 0x1C ThreadPool
        new("7f2a405c-69b5-4bf9-a1f5-30e8f1afab5e"), // 0x1D Hypervisor
        new("2ce9a149-effe-42f0-a635-a1d39e26c8f2"), // 0x1E HypervisorExtended
    ];

    /// <summary>The class GUID of a group; empty for a group that is not known.</summary>
    public static Guid ClassId(this KernelGroup group) => (int)group < ClassIds.Length ? ClassIds[(int)group] : Guid.Empty;

    /// <summary>The group that a class GUID stands for; <see cref="KernelGroup.None"/> for any other GUID.</summary>
    public static KernelGroup GroupOf(in Guid classId)
    {
        int index = Array.IndexOf(ClassIds, classId);
        return index < 0 ? KernelGroup.None : (KernelGroup)index;
    }
}
