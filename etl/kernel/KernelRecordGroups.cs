namespace Tracer.Etl.Kernel;

/// <summary>The kernel events that are known, group by group, and which of their layouts were confirmed on real bytes.</summary>
internal static class KernelRecordGroups
{
    /// <summary>How many groups there are with those of class GUIDs.</summary>
    public const int Count = FirstOther + 5;

    /// <summary>Groups from here on stand for class GUIDs, not for groups of hook ids.</summary>
    public const int FirstOther = 0x100;

    /// <summary>Class of identities of images.</summary>
    public const int ImageId = FirstOther + 0;

    /// <summary>Class of more about the system.</summary>
    public const int SystemConfigEx = FirstOther + 1;

    /// <summary>Class of descriptions of manifest events.</summary>
    public const int EventMetadata = FirstOther + 2;

    /// <summary>Class of results of the assessment tool.</summary>
    public const int WinSat = FirstOther + 3;

    /// <summary>Class of losses.</summary>
    public const int Lost = FirstOther + 4;

    public static KernelRecordTable MakeTable()
    {
        var table = new KernelRecordTable();
        AddHeader(table);
        AddIo(table);
        AddMemory(table);
        AddProcess(table);
        AddImage(table);
        AddFile(table);
        AddThread(table);
        AddTcpIp(table);
        AddUdpIp(table);
        AddRegistry(table);
        AddSystemConfig(table);
        AddPerfInfo(table);
        AddPower(table);
        AddStackWalk(table);
        AddImageId(table);
        AddSystemConfigEx(table);
        AddEventMetadata(table);
        AddWinSat(table);
        AddLost(table);
        return table;
    }

    // Header group.
    private static void AddHeader(KernelRecordTable table)
    {
        const string Group = "Header";
        table.Add(Group, 0x0000, "LogFileHeader", HeaderLayouts.LogFileHeader, ConfirmedLayouts.Of(2) with { InBothWidths = true });
        table.Add<GroupMasksRecord>(Group, 0x0005, "Extension", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, 0x0008, "RundownComplete", ConfirmedLayouts.AnyVersion);
        table.Add<GroupMasksRecord>(Group, 0x0020, "EndExtension", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, 0x0030, "RundownBegin");
        table.AddName(Group, 0x0031, "RundownEnd");
        table.Add(Group, 0x0040, "PdbId", HeaderLayouts.PdbId, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0042, "BuildInfo", HeaderLayouts.BuildInfo, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0043, "ProviderBinaryPath", HeaderLayouts.ProviderBinaryPath);
        table.Add<PartitionInfoRecord>(Group, 0x0050, "PartitionInfo", ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0052, "ProcessorCount", HeaderLayouts.ProcessorCount);
    }

    // Disk I/O and driver hooks.
    private static void AddIo(KernelRecordTable table)
    {
        const string Group = "Io";
        table.Add(Group, 0x010A, "Read", IoLayouts.DiskTransfer, ConfirmedLayouts.Of(2, 3));
        table.Add(Group, 0x010B, "Write", IoLayouts.DiskTransfer, ConfirmedLayouts.Of(2, 3));
        table.Add(Group, 0x010C, "ReadInit", IoLayouts.DiskInit, ConfirmedLayouts.Of(3));
        table.Add(Group, 0x010D, "WriteInit", IoLayouts.DiskInit, ConfirmedLayouts.Of(3));
        table.Add(Group, 0x010E, "Flush", IoLayouts.DiskFlush, ConfirmedLayouts.Of(2, 3));
        table.Add(Group, 0x010F, "FlushInit", IoLayouts.DiskInit, ConfirmedLayouts.Of(3));
        table.Add(Group, 0x0122, "DriverMajorFunctionCall", IoLayouts.DriverCall);
        table.Add(Group, 0x0123, "DriverMajorFunctionReturn", IoLayouts.DriverReturn);
        table.Add(Group, 0x0125, "DriverCompletionRoutine", IoLayouts.DriverCompletion);
        table.Add(Group, 0x0134, "DriverCompleteRequest", IoLayouts.DriverCompletion);
        table.Add(Group, 0x0135, "DriverCompleteRequestReturn", IoLayouts.DriverReturn);
    }

    // Page faults and virtual memory.
    private static void AddMemory(KernelRecordTable table)
    {
        const string Group = "Memory";
        table.Add(Group, 0x020A, "TransitionFault", IoLayouts.PageFault);
        table.Add(Group, 0x020B, "DemandZeroFault", IoLayouts.PageFault);
        table.Add(Group, 0x020C, "CopyOnWrite", IoLayouts.PageFault);
        table.Add(Group, 0x020D, "GuardPageFault", IoLayouts.PageFault);
        table.Add(Group, 0x020E, "HardPageFault", IoLayouts.PageFault);
        table.Add(Group, 0x020F, "AccessViolation", IoLayouts.PageFault);
        table.Add<HardFaultRecord>(Group, 0x0220, "HardFault", ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0262, "VirtualAlloc", IoLayouts.VirtualMemory);
        table.Add(Group, 0x0263, "VirtualFree", IoLayouts.VirtualMemory);
    }

    // Processes.
    private static void AddProcess(KernelRecordTable table)
    {
        const string Group = "Process";
        table.Add<ProcessRecord>(Group, 0x0301, "Start", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessRecord>(Group, 0x0302, "End", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessRecord>(Group, 0x0303, "DCStart", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessRecord>(Group, 0x0304, "DCEnd", ConfirmedLayouts.Of(3, 4, 5));
        table.Add(Group, 0x030B, "Terminate", ThreadLayouts.ProcessTerminate, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0320, "PerfCtr", ThreadLayouts.ProcessCounters, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0321, "PerfCtrRundown", ThreadLayouts.ProcessCounters, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0323, "InSwap", ThreadLayouts.ProcessInSwap);
        table.Add(Group, 0x0326, "BootPhase", ThreadLayouts.BootPhase);
        table.Add<ProcessRecord>(Group, 0x0327, "Defunct", ConfirmedLayouts.Of(3, 4, 5));
    }

    // Images: a load has the process group in files, the image class for consumers.
    private static void AddImage(KernelRecordTable table)
    {
        const string Group = "Image";
        table.Add<ImageRecord>(Group, 0x030A, "Load", ConfirmedLayouts.Of(2, 3));
        table.Alias(0x030A, 0x140A);
        table.Add<ImageRecord>(Group, 0x1402, "Unload", ConfirmedLayouts.Of(2, 3));
        table.Add<ImageRecord>(Group, 0x1403, "DCStart", ConfirmedLayouts.Of(2, 3));
        table.Add<ImageRecord>(Group, 0x1404, "DCEnd", ConfirmedLayouts.Of(2, 3));
        table.Add(Group, 0x1421, "KernelBase", HeaderLayouts.KernelBase, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x1422, "HypercallPage", HeaderLayouts.HypercallPage, ConfirmedLayouts.AnyVersion);
    }

    // Files.
    private static void AddFile(KernelRecordTable table)
    {
        const string Group = "File";
        table.Add(Group, 0x0400, "Name", IoLayouts.FileName);
        table.Add(Group, 0x0420, "NameCreate", IoLayouts.FileName, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0423, "NameDelete", IoLayouts.FileName, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0424, "NameRundown", IoLayouts.FileName, ConfirmedLayouts.AnyVersion);
        table.Add(Group, 0x0440, "Create", IoLayouts.FileCreate);
        table.Add(Group, 0x0443, "Read", IoLayouts.FileTransfer);
        table.Add(Group, 0x0444, "Write", IoLayouts.FileTransfer);
        table.Add(Group, 0x044C, "OperationEnd", IoLayouts.FileOperationEnd);
        table.Add(Group, 0x0460, "FilterPreOperation", IoLayouts.Minifilter);
        table.Add(Group, 0x0461, "FilterPostOperation", IoLayouts.Minifilter);
        table.Add(Group, 0x0464, "FilterPreOperationFailure", IoLayouts.MinifilterFailure);
        table.Add(Group, 0x0465, "FilterPostOperationFailure", IoLayouts.MinifilterFailure);
    }

    // Threads and scheduling.
    private static void AddThread(KernelRecordTable table)
    {
        const string Group = "Thread";
        table.Add<ThreadRecord>(Group, 0x0501, "Start", ConfirmedLayouts.Of(3, 4));
        table.Add<ThreadRecord>(Group, 0x0502, "End", ConfirmedLayouts.Of(3, 4));
        table.Add<ThreadRecord>(Group, 0x0503, "DCStart", ConfirmedLayouts.Of(3, 4));
        table.Add<ThreadRecord>(Group, 0x0504, "DCEnd", ConfirmedLayouts.Of(3, 4));
        table.Add<ContextSwitchRecord>(Group, 0x0524, "CSwitch", ConfirmedLayouts.Of(2, 4, 5));
        table.Add<CompactContextSwitchRecord>(Group, 0x0525, "CompactCSwitch");
        table.Add<SpinLockRecord>(Group, 0x0529, "SpinLock");
        table.Add(Group, 0x052B, "ExecutiveResource", ThreadLayouts.ExecutiveResource);
        table.Add(Group, 0x0530, "SetPriority", ThreadLayouts.Priority);
        table.Add(Group, 0x0531, "SetBasePriority", ThreadLayouts.Priority);
        table.Add<ReadyThreadRecord>(Group, 0x0532, "ReadyThread");
        table.Add(Group, 0x0533, "SetPagePriority", ThreadLayouts.Priority);
        table.Add(Group, 0x0534, "SetIoPriority", ThreadLayouts.Priority);
        table.Add(Group, 0x0535, "Affinity", ThreadLayouts.Affinity);
        table.Add(Group, 0x0539, "WorkerItem", ThreadLayouts.WorkerItem);
        table.Add(Group, 0x053C, "AntiStarvationBoost", ThreadLayouts.AntiStarvationBoost);
        table.Add(Group, 0x053D, "Migration", ThreadLayouts.Migration);
        table.Add(Group, 0x053E, "QueueEnqueue", ThreadLayouts.QueueEnqueue);
        table.Add(Group, 0x053F, "QueueDequeue", ThreadLayouts.QueueDequeue);
        table.Add(Group, 0x0540, "WorkItemStart", ThreadLayouts.WorkItem);
        table.Add(Group, 0x0541, "WorkItemEnd", ThreadLayouts.WorkItem);
        table.Add(Group, 0x0542, "AutoBoostSetFloor", ThreadLayouts.AutoBoostFloor);
        table.Add(Group, 0x0543, "AutoBoostClear", ThreadLayouts.AutoBoostClear);
        table.Add(Group, 0x0544, "AutoBoostNoEntries", ThreadLayouts.AutoBoostNoEntries);
        table.Add(Group, 0x0545, "SubProcessTagChanged", ThreadLayouts.SubProcessTag);
        table.Add<ThreadNameRecord>(Group, 0x0548, "SetName", ConfirmedLayouts.AnyVersion);
    }

    // TCP.
    private static void AddTcpIp(KernelRecordTable table)
    {
        const string Group = "TcpIp";
        table.Add(Group, 0x060A, "SendIPv4", NetworkLayouts.TcpSendV4, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x060B, "ReceiveIPv4", NetworkLayouts.TransferV4, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x060C, "ConnectIPv4", NetworkLayouts.TcpConnectV4);
        table.Add(Group, 0x060D, "DisconnectIPv4", NetworkLayouts.TransferV4, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x060E, "RetransmitIPv4", NetworkLayouts.TransferV4);
        table.Add(Group, 0x060F, "AcceptIPv4", NetworkLayouts.TcpConnectV4, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0610, "ReconnectIPv4", NetworkLayouts.TransferV4);
        table.Add(Group, 0x0611, "Fail", NetworkLayouts.TcpFail);
        table.Add(Group, 0x061A, "SendIPv6", NetworkLayouts.TcpSendV6, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x061B, "ReceiveIPv6", NetworkLayouts.TransferV6, ConfirmedLayouts.Of(2));
    }

    // UDP.
    private static void AddUdpIp(KernelRecordTable table)
    {
        const string Group = "UdpIp";
        table.Add(Group, 0x080A, "SendIPv4", NetworkLayouts.TransferV4, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x080B, "ReceiveIPv4", NetworkLayouts.TransferV4, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x081A, "SendIPv6", NetworkLayouts.TransferV6, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x081B, "ReceiveIPv6", NetworkLayouts.TransferV6, ConfirmedLayouts.Of(2));
    }

    // Registry: Microsoft's Registry_TypeGroup1 classes.
    private static void AddRegistry(KernelRecordTable table)
    {
        const string Group = "Registry";
        table.Add(Group, 0x090A, "Create", IoLayouts.Registry);
        table.Add(Group, 0x090B, "Open", IoLayouts.Registry);
        table.Add(Group, 0x090C, "Delete", IoLayouts.Registry);
        table.Add(Group, 0x090D, "Query", IoLayouts.Registry);
        table.Add(Group, 0x090E, "SetValue", IoLayouts.Registry);
        table.Add(Group, 0x090F, "DeleteValue", IoLayouts.Registry);
        table.Add(Group, 0x0910, "QueryValue", IoLayouts.Registry);
        table.Add(Group, 0x0911, "EnumerateKey", IoLayouts.Registry);
        table.Add(Group, 0x0912, "EnumerateValueKey", IoLayouts.Registry);
        table.Add(Group, 0x0913, "QueryMultipleValue", IoLayouts.Registry);
        table.Add(Group, 0x0914, "SetInformation", IoLayouts.Registry);
        table.Add(Group, 0x0915, "Flush", IoLayouts.Registry);
        table.Add(Group, 0x0916, "KcbCreate", IoLayouts.Registry);
        table.Add(Group, 0x0917, "KcbDelete", IoLayouts.Registry);
        table.Add(Group, 0x0918, "KcbRundownBegin", IoLayouts.Registry);
        table.Add(Group, 0x0919, "KcbRundownEnd", IoLayouts.Registry);
        table.Add(Group, 0x091A, "Virtualize", IoLayouts.Registry);
        table.Add(Group, 0x091B, "Close", IoLayouts.Registry);
    }

    // The machine.
    private static void AddSystemConfig(KernelRecordTable table)
    {
        const string Group = "SystemConfig";
        table.Add<SystemConfigCpuRecord>(Group, 0x0B0A, "Cpu", ConfirmedLayouts.Of(2, 3));
        table.Add<PhysicalDiskRecord>(Group, 0x0B0B, "PhysicalDisk", ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B0C, "LogicalDisk", MachineLayouts.LogicalDisk, ConfirmedLayouts.Of(2));
        table.Add<NetworkAdapterRecord>(Group, 0x0B0D, "Nic", ConfirmedLayouts.Of(2));
        table.Add<VideoAdapterRecord>(Group, 0x0B0E, "Video", ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B0F, "Services", MachineLayouts.Service, ConfirmedLayouts.Of(3));
        table.Add(Group, 0x0B10, "Power", MachineLayouts.PowerCapability, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B11, "Network", MachineLayouts.NetworkParameters, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B12, "OpticalDisk", MachineLayouts.OpticalDisk, ConfirmedLayouts.Of(2));
        table.AddName(Group, 0x0B13, "Unnamed19");
        table.Add(Group, 0x0B15, "Irq", MachineLayouts.InterruptLine, ConfirmedLayouts.Of(3));
        table.Add<PnpDeviceRecord>(Group, 0x0B16, "PnP", ConfirmedLayouts.Of(3, 4, 5));
        table.Add(Group, 0x0B17, "IdeChannel", MachineLayouts.IdeChannel, ConfirmedLayouts.Of(2) with { InBothWidths = true });
        table.Add(Group, 0x0B18, "NumaNode", MachineLayouts.NumaNode, ConfirmedLayouts.Of(2));
        table.Add(Group, KernelHook.SystemConfigPlatform, "Platform", MachineLayouts.Platform, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B1A, "ProcessorGroup", MachineLayouts.ProcessorGroup, ConfirmedLayouts.Of(2));
        table.Add<ProcessorNumberRecord>(Group, 0x0B1B, "ProcessorNumber", ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B1C, "Dpi", MachineLayouts.Dpi, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B1D, "CodeIntegrity", MachineLayouts.CodeIntegrity, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B1E, "MachineId", MachineLayouts.MachineId, ConfirmedLayouts.Of(2));
        table.AddName(Group, 0x0B1F, "Defrag");
        table.Add(Group, 0x0B21, "DeviceFamily", MachineLayouts.DeviceFamily, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0B22, "FlightIds", MachineLayouts.FlightIds, ConfirmedLayouts.Of(2));
        table.Add<ProcessorRecord>(Group, 0x0B23, "Processor", ConfirmedLayouts.Of(2));
        table.AddName(Group, 0x0B24, "Virtualization");
        table.AddName(Group, 0x0B25, "Boot");
    }

    // Interrupts, DPCs, samples, system calls, timers.
    private static void AddPerfInfo(KernelRecordTable table)
    {
        const string Group = "PerfInfo";
        table.Add(Group, 0x0F22, "Mark", PerfInfoLayouts.Mark, ConfirmedLayouts.Of(0));
        table.Add<SampledProfileRecord>(Group, 0x0F2E, "SampledProfile", ConfirmedLayouts.Of(2));
        table.Add<PmcSampleRecord>(Group, 0x0F2F, "PmcSample", ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0F30, "PmcConfig", PerfInfoLayouts.PmcConfig, ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0F31, "PmcCorruption", PerfInfoLayouts.PmcCorruption, ConfirmedLayouts.Of(2));
        table.Add<IsrRecord>(Group, 0x0F32, "IsrMsi", ConfirmedLayouts.Of(2));
        table.Add(Group, 0x0F33, "SysCallEnter", PerfInfoLayouts.SysCallEnter);
        table.Add(Group, 0x0F34, "SysCallExit", PerfInfoLayouts.SysCallExit);
        table.Add(Group, 0x0F37, "SampleCache", PerfInfoLayouts.SampleCache);
        table.Add<DpcRecord>(Group, 0x0F42, "ThreadedDpc", ConfirmedLayouts.Of(2));
        table.Add<IsrRecord>(Group, 0x0F43, "Isr", ConfirmedLayouts.Of(2));
        table.Add<DpcRecord>(Group, 0x0F44, "Dpc", ConfirmedLayouts.Of(2));
        table.Add<DpcRecord>(Group, 0x0F45, "TimerDpc", ConfirmedLayouts.Of(2));
        table.Add<DpcRecord>(Group, 0x0F46, "IoTimer");
        table.Add<SampledProfileRecord>(Group, 0x0F47, "NmiSample");
        table.Add<SampleIntervalRecord>(Group, 0x0F48, "SetInterval");
        table.Add<SampleIntervalRecord>(Group, 0x0F49, "CollectionStart", ConfirmedLayouts.Of(2, 3));
        table.Add<SampleIntervalRecord>(Group, 0x0F4A, "CollectionEnd", ConfirmedLayouts.Of(2, 3));
        table.Add(Group, 0x0F4B, "SpinLockConfigStart", PerfInfoLayouts.SpinLockConfig);
        table.Add(Group, 0x0F4C, "SpinLockConfigEnd", PerfInfoLayouts.SpinLockConfig);
        table.Add(Group, 0x0F4F, "ClockInterrupt", PerfInfoLayouts.ClockInterrupt);
        table.Add(Group, 0x0F50, "TimerExpirationStart", PerfInfoLayouts.TimerExpirationStart);
        table.Add(Group, 0x0F51, "TimerExpiration", PerfInfoLayouts.TimerExpiration);
        table.Add(Group, 0x0F52, "TimerSetPeriodic", PerfInfoLayouts.PeriodicTimerSet);
        table.Add(Group, 0x0F53, "TimerSetOneShot", PerfInfoLayouts.OneShotTimerSet);
        table.Add(Group, 0x0F55, "TimerCancel", PerfInfoLayouts.TimerCancel);
        table.AddName(Group, 0x0F57, "ClockMode");
        table.Add(Group, 0x0F58, "ClockTimeUpdate", PerfInfoLayouts.ClockTimeUpdate);
        table.AddName(Group, 0x0F5A, "ClockConfiguration");
        table.Add(Group, 0x0F5B, "Ipi", PerfInfoLayouts.InterprocessorInterrupt);
        table.Add(Group, 0x0F5C, "UnexpectedInterrupt", PerfInfoLayouts.UnexpectedInterrupt);
        table.Add<IsrRecord>(Group, 0x0F5F, "PassiveIsr");
        table.Add<WdfCallbackRecord>(Group, 0x0F60, "WdfIsr");
        table.Add<WdfCallbackRecord>(Group, 0x0F61, "WdfPassiveIsr");
        table.Add<WdfCallbackRecord>(Group, 0x0F62, "WdfDpc");
        table.Add<DpcEnqueueRecord>(Group, 0x0F64, "DpcEnqueue");
        table.Add<DpcExecutionRecord>(Group, 0x0F65, "DpcExecution");
        table.AddName(Group, 0x0F66, "InterruptSteering");
        table.Add<WdfCallbackRecord>(Group, 0x0F67, "WdfWorkItem");
        table.Add(Group, 0x0F68, "ExtendedTimerSet", PerfInfoLayouts.ExtendedTimer);
        table.Add(Group, 0x0F69, "ExtendedTimerExpire", PerfInfoLayouts.ExtendedTimer);
        table.Add(Group, 0x0F6D, "ShouldYield", PerfInfoLayouts.ShouldYield);
    }

    // Power.
    private static void AddPower(KernelRecordTable table)
    {
        const string Group = "Power";
        table.Add<PerformanceStateRecord>(Group, 0x1233, "PerformanceStateChange");
        table.Add(Group, 0x1235, "IdleStateChange", PerfInfoLayouts.IdleStateChange);
        table.Add(Group, 0x1236, "ThermalConstraint", PerfInfoLayouts.ThermalConstraint);
        table.Add<IdleEnterRecord>(Group, 0x1239, "IdleEnter");
        table.Add<IdleExitRecord>(Group, 0x123A, "IdleExit");
        table.Add<IdleExitLatencyRecord>(Group, 0x123C, "IdleExitLatency");
    }

    // Stacks.
    private static void AddStackWalk(KernelRecordTable table)
    {
        const string Group = "StackWalk";
        table.Add<StackRecord>(Group, 0x1820, "Stack", ConfirmedLayouts.AnyVersion);
        table.Add<StackKeyDefinitionRecord>(Group, 0x1822, "KeyCreate");
        table.Add<StackKeyDefinitionRecord>(Group, 0x1823, "KeyDelete", ConfirmedLayouts.AnyVersion);
        table.Add<StackKeyDefinitionRecord>(Group, 0x1824, "KeyRundown", ConfirmedLayouts.AnyVersion);
        table.Add<StackKeyRecord>(Group, 0x1825, "KeyKernel", ConfirmedLayouts.AnyVersion);
        table.Add<StackKeyRecord>(Group, 0x1826, "KeyUser", ConfirmedLayouts.AnyVersion);
    }

    // Identities of images that merging adds.
    private static void AddImageId(KernelRecordTable table)
    {
        const string Group = "ImageId";
        table.Add<ImageIdInfoRecord>(Group, (ImageId << 8) | 0, "Info", ConfirmedLayouts.Of(2));
        table.Add(Group, (ImageId << 8) | 32, "None", HeaderLayouts.ImageIdWithoutDebug, ConfirmedLayouts.Of(2));
        table.Add(Group, (ImageId << 8) | 34, "DbgFile", HeaderLayouts.ImageIdDbgFile);
        table.Add<ImageIdPdbRecord>(Group, (ImageId << 8) | 36, "DbgIdRsds", ConfirmedLayouts.Of(2));
        table.Add<ImageIdPdbRecord>(Group, (ImageId << 8) | 37, "DbgIdIlRsds", ConfirmedLayouts.Of(2));
        table.Add(Group, (ImageId << 8) | 38, "DbgPpdb", HeaderLayouts.ImageIdPortablePdb, ConfirmedLayouts.Of(2));
        table.Add(Group, (ImageId << 8) | 39, "DbgEmbeddedPpdb", HeaderLayouts.ImageIdEmbeddedPdb);
        table.Add<ImageIdReproducibleRecord>(Group, (ImageId << 8) | 40, "DbgDeterm", ConfirmedLayouts.Of(1));
        table.Add(Group, (ImageId << 8) | 41, "Failure", HeaderLayouts.ImageIdFailure, ConfirmedLayouts.Of(1));
        table.Add<ImageFileVersionRecord>(Group, (ImageId << 8) | 64, "FileVersion", ConfirmedLayouts.Of(0));
    }

    // What merging adds about the system.
    private static void AddSystemConfigEx(KernelRecordTable table)
    {
        const string Group = "SystemConfigEx";
        table.Add(Group, (SystemConfigEx << 8) | 32, "BuildInfo", MachineLayouts.SystemBuild, ConfirmedLayouts.AnyVersion);
        table.Add(Group, (SystemConfigEx << 8) | 33, "SystemPaths", MachineLayouts.SystemPaths, ConfirmedLayouts.AnyVersion);
        table.Add(Group, (SystemConfigEx << 8) | 34, "UnmappedVolume", MachineLayouts.UnmappedVolume, ConfirmedLayouts.AnyVersion);
        table.Add<VolumeMappingRecord>(Group, (SystemConfigEx << 8) | 35, "VolumeMapping", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (SystemConfigEx << 8) | 36, "NetworkInterface", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (SystemConfigEx << 8) | 37, "Unnamed37");
    }

    // Descriptions of manifest events that merging adds.
    private static void AddEventMetadata(KernelRecordTable table)
    {
        const string Group = "EventMetadata";
        table.AddName(Group, (EventMetadata << 8) | 32, "EventInfo", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (EventMetadata << 8) | 33, "EventMapInfo", ConfirmedLayouts.AnyVersion);
    }

    // Results of the assessment tool: XML, packed; what it unpacks to begins with these names.
    private static void AddWinSat(KernelRecordTable table)
    {
        const string Group = "WinSat";
        table.AddName(Group, (WinSat << 8) | 33, "WinSpr", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (WinSat << 8) | 35, "Metrics", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (WinSat << 8) | 37, "SystemConfig", ConfirmedLayouts.AnyVersion);
    }

    // Losses that the real-time path reports.
    private static void AddLost(KernelRecordTable table)
    {
        const string Group = "Lost";
        table.AddName(Group, (Lost << 8) | 32, "Events");
        table.AddName(Group, (Lost << 8) | 33, "Buffers");
        table.AddName(Group, (Lost << 8) | 34, "File");
    }
}
