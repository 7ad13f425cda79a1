namespace Tracer.Etl.Kernel;

/// <summary>The kernel events that are known, group by group; marks of confirmation as kernel-events gives them.</summary>
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

    /// <summary>Makes the table of all of them.</summary>
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

    // Header group (kernel-events 12).
    private static void AddHeader(KernelRecordTable table)
    {
        const string Group = "Header";
        table.Add<LogFileHeaderRecord>(Group, 0x0000, "LogFileHeader", ConfirmedLayouts.Of(2) with { InBothWidths = true });
        table.Add<GroupMasksRecord>(Group, 0x0005, "Extension", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, 0x0008, "RundownComplete", ConfirmedLayouts.AnyVersion);
        table.Add<GroupMasksRecord>(Group, 0x0020, "EndExtension", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, 0x0030, "RundownBegin");
        table.AddName(Group, 0x0031, "RundownEnd");
        table.Add<PdbIdRecord>(Group, 0x0040, "PdbId", ConfirmedLayouts.AnyVersion);
        table.Add<BuildInfoRecord>(Group, 0x0042, "BuildInfo", ConfirmedLayouts.AnyVersion);
        table.Add<ProviderBinaryPathRecord>(Group, 0x0043, "ProviderBinaryPath");
        table.Add<PartitionInfoRecord>(Group, 0x0050, "PartitionInfo", ConfirmedLayouts.AnyVersion);
        table.Add<ProcessorCountRecord>(Group, 0x0052, "ProcessorCount");
    }

    // Disk I/O and driver hooks (kernel-events 10).
    private static void AddIo(KernelRecordTable table)
    {
        const string Group = "Io";
        table.Add<DiskTransferRecord>(Group, 0x010A, "Read", ConfirmedLayouts.Of(2, 3));
        table.Add<DiskTransferRecord>(Group, 0x010B, "Write", ConfirmedLayouts.Of(2, 3));
        table.Add<DiskInitRecord>(Group, 0x010C, "ReadInit", ConfirmedLayouts.Of(3));
        table.Add<DiskInitRecord>(Group, 0x010D, "WriteInit", ConfirmedLayouts.Of(3));
        table.Add<DiskFlushRecord>(Group, 0x010E, "Flush", ConfirmedLayouts.Of(2, 3));
        table.Add<DiskInitRecord>(Group, 0x010F, "FlushInit", ConfirmedLayouts.Of(3));
        table.Add<DriverCallRecord>(Group, 0x0122, "DriverMajorFunctionCall");
        table.Add<DriverReturnRecord>(Group, 0x0123, "DriverMajorFunctionReturn");
        table.Add<DriverCompletionRecord>(Group, 0x0125, "DriverCompletionRoutine");
        table.Add<DriverCompletionRecord>(Group, 0x0134, "DriverCompleteRequest");
        table.Add<DriverReturnRecord>(Group, 0x0135, "DriverCompleteRequestReturn");
    }

    // Page faults and virtual memory (kernel-events 10).
    private static void AddMemory(KernelRecordTable table)
    {
        const string Group = "Memory";
        table.Add<PageFaultRecord>(Group, 0x020A, "TransitionFault");
        table.Add<PageFaultRecord>(Group, 0x020B, "DemandZeroFault");
        table.Add<PageFaultRecord>(Group, 0x020C, "CopyOnWrite");
        table.Add<PageFaultRecord>(Group, 0x020D, "GuardPageFault");
        table.Add<PageFaultRecord>(Group, 0x020E, "HardPageFault");
        table.Add<PageFaultRecord>(Group, 0x020F, "AccessViolation");
        table.Add<HardFaultRecord>(Group, 0x0220, "HardFault", ConfirmedLayouts.AnyVersion);
        table.Add<VirtualMemoryRecord>(Group, 0x0262, "VirtualAlloc");
        table.Add<VirtualMemoryRecord>(Group, 0x0263, "VirtualFree");
    }

    // Processes (kernel-events 6).
    private static void AddProcess(KernelRecordTable table)
    {
        const string Group = "Process";
        table.Add<ProcessRecord>(Group, 0x0301, "Start", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessRecord>(Group, 0x0302, "End", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessRecord>(Group, 0x0303, "DCStart", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessRecord>(Group, 0x0304, "DCEnd", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<ProcessTerminateRecord>(Group, 0x030B, "Terminate", ConfirmedLayouts.AnyVersion);
        table.Add<ProcessCountersRecord>(Group, 0x0320, "PerfCtr", ConfirmedLayouts.AnyVersion);
        table.Add<ProcessCountersRecord>(Group, 0x0321, "PerfCtrRundown", ConfirmedLayouts.AnyVersion);
        table.Add<ProcessInSwapRecord>(Group, 0x0323, "InSwap");
        table.Add<BootPhaseRecord>(Group, 0x0326, "BootPhase");
        table.Add<ProcessRecord>(Group, 0x0327, "Defunct", ConfirmedLayouts.Of(3, 4, 5));
    }

    // Images (kernel-events 7): a load has the process group in files, the image class for consumers.
    private static void AddImage(KernelRecordTable table)
    {
        const string Group = "Image";
        table.Add<ImageRecord>(Group, 0x030A, "Load", ConfirmedLayouts.Of(2, 3));
        table.Alias(0x030A, 0x140A);
        table.Add<ImageRecord>(Group, 0x1402, "Unload", ConfirmedLayouts.Of(2, 3));
        table.Add<ImageRecord>(Group, 0x1403, "DCStart", ConfirmedLayouts.Of(2, 3));
        table.Add<ImageRecord>(Group, 0x1404, "DCEnd", ConfirmedLayouts.Of(2, 3));
        table.Add<KernelBaseRecord>(Group, 0x1421, "KernelBase", ConfirmedLayouts.AnyVersion);
        table.Add<HypercallPageRecord>(Group, 0x1422, "HypercallPage", ConfirmedLayouts.AnyVersion);
    }

    // Files (kernel-events 10).
    private static void AddFile(KernelRecordTable table)
    {
        const string Group = "File";
        table.Add<FileNameRecord>(Group, 0x0400, "Name");
        table.Add<FileNameRecord>(Group, 0x0420, "NameCreate", ConfirmedLayouts.AnyVersion);
        table.Add<FileNameRecord>(Group, 0x0423, "NameDelete", ConfirmedLayouts.AnyVersion);
        table.Add<FileNameRecord>(Group, 0x0424, "NameRundown", ConfirmedLayouts.AnyVersion);
        table.Add<FileCreateRecord>(Group, 0x0440, "Create");
        table.Add<FileTransferRecord>(Group, 0x0443, "Read");
        table.Add<FileTransferRecord>(Group, 0x0444, "Write");
        table.Add<FileOperationEndRecord>(Group, 0x044C, "OperationEnd");
        table.Add<MinifilterRecord>(Group, 0x0460, "FilterPreOperation");
        table.Add<MinifilterRecord>(Group, 0x0461, "FilterPostOperation");
        table.Add<MinifilterRecord>(Group, 0x0464, "FilterPreOperationFailure");
        table.Add<MinifilterRecord>(Group, 0x0465, "FilterPostOperationFailure");
    }

    // Threads and scheduling (kernel-events 5).
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
        table.Add<ExecutiveResourceRecord>(Group, 0x052B, "ExecutiveResource");
        table.Add<ThreadPriorityRecord>(Group, 0x0530, "SetPriority");
        table.Add<ThreadPriorityRecord>(Group, 0x0531, "SetBasePriority");
        table.Add<ReadyThreadRecord>(Group, 0x0532, "ReadyThread");
        table.Add<ThreadPriorityRecord>(Group, 0x0533, "SetPagePriority");
        table.Add<ThreadPriorityRecord>(Group, 0x0534, "SetIoPriority");
        table.Add<ThreadAffinityRecord>(Group, 0x0535, "Affinity");
        table.Add<WorkerItemRecord>(Group, 0x0539, "WorkerItem");
        table.Add<AntiStarvationBoostRecord>(Group, 0x053C, "AntiStarvationBoost");
        table.Add<ThreadMigrationRecord>(Group, 0x053D, "Migration");
        table.Add<QueueEnqueueRecord>(Group, 0x053E, "QueueEnqueue");
        table.Add<QueueDequeueRecord>(Group, 0x053F, "QueueDequeue");
        table.Add<WorkItemRecord>(Group, 0x0540, "WorkItemStart");
        table.Add<WorkItemRecord>(Group, 0x0541, "WorkItemEnd");
        table.Add<AutoBoostFloorRecord>(Group, 0x0542, "AutoBoostSetFloor");
        table.Add<AutoBoostClearRecord>(Group, 0x0543, "AutoBoostClear");
        table.Add<AutoBoostNoEntriesRecord>(Group, 0x0544, "AutoBoostNoEntries");
        table.Add<SubProcessTagRecord>(Group, 0x0545, "SubProcessTagChanged");
        table.Add<ThreadNameRecord>(Group, 0x0548, "SetName", ConfirmedLayouts.AnyVersion);
    }

    // TCP (kernel-events 10).
    private static void AddTcpIp(KernelRecordTable table)
    {
        const string Group = "TcpIp";
        table.Add<TcpSendV4Record>(Group, 0x060A, "SendIPv4", ConfirmedLayouts.Of(2));
        table.Add<TransferV4Record>(Group, 0x060B, "ReceiveIPv4", ConfirmedLayouts.Of(2));
        table.Add<TcpConnectV4Record>(Group, 0x060C, "ConnectIPv4");
        table.Add<TransferV4Record>(Group, 0x060D, "DisconnectIPv4", ConfirmedLayouts.Of(2));
        table.Add<TransferV4Record>(Group, 0x060E, "RetransmitIPv4");
        table.Add<TcpConnectV4Record>(Group, 0x060F, "AcceptIPv4", ConfirmedLayouts.Of(2));
        table.Add<TransferV4Record>(Group, 0x0610, "ReconnectIPv4");
        table.Add<TcpFailRecord>(Group, 0x0611, "Fail");
        table.Add<TcpSendV6Record>(Group, 0x061A, "SendIPv6", ConfirmedLayouts.Of(2));
        table.Add<TransferV6Record>(Group, 0x061B, "ReceiveIPv6", ConfirmedLayouts.Of(2));
    }

    // UDP (kernel-events 10).
    private static void AddUdpIp(KernelRecordTable table)
    {
        const string Group = "UdpIp";
        table.Add<TransferV4Record>(Group, 0x080A, "SendIPv4", ConfirmedLayouts.Of(2));
        table.Add<TransferV4Record>(Group, 0x080B, "ReceiveIPv4", ConfirmedLayouts.Of(2));
        table.Add<TransferV6Record>(Group, 0x081A, "SendIPv6", ConfirmedLayouts.Of(2));
        table.Add<TransferV6Record>(Group, 0x081B, "ReceiveIPv6", ConfirmedLayouts.Of(2));
    }

    // Registry: Microsoft's Registry_TypeGroup1 classes.
    private static void AddRegistry(KernelRecordTable table)
    {
        const string Group = "Registry";
        table.Add<RegistryRecord>(Group, 0x090A, "Create");
        table.Add<RegistryRecord>(Group, 0x090B, "Open");
        table.Add<RegistryRecord>(Group, 0x090C, "Delete");
        table.Add<RegistryRecord>(Group, 0x090D, "Query");
        table.Add<RegistryRecord>(Group, 0x090E, "SetValue");
        table.Add<RegistryRecord>(Group, 0x090F, "DeleteValue");
        table.Add<RegistryRecord>(Group, 0x0910, "QueryValue");
        table.Add<RegistryRecord>(Group, 0x0911, "EnumerateKey");
        table.Add<RegistryRecord>(Group, 0x0912, "EnumerateValueKey");
        table.Add<RegistryRecord>(Group, 0x0913, "QueryMultipleValue");
        table.Add<RegistryRecord>(Group, 0x0914, "SetInformation");
        table.Add<RegistryRecord>(Group, 0x0915, "Flush");
        table.Add<RegistryRecord>(Group, 0x0916, "KcbCreate");
        table.Add<RegistryRecord>(Group, 0x0917, "KcbDelete");
        table.Add<RegistryRecord>(Group, 0x0918, "KcbRundownBegin");
        table.Add<RegistryRecord>(Group, 0x0919, "KcbRundownEnd");
        table.Add<RegistryRecord>(Group, 0x091A, "Virtualize");
        table.Add<RegistryRecord>(Group, 0x091B, "Close");
    }

    // The machine (kernel-events 8).
    private static void AddSystemConfig(KernelRecordTable table)
    {
        const string Group = "SystemConfig";
        table.Add<SystemConfigCpuRecord>(Group, 0x0B0A, "Cpu", ConfirmedLayouts.Of(2, 3));
        table.Add<PhysicalDiskRecord>(Group, 0x0B0B, "PhysicalDisk", ConfirmedLayouts.Of(2));
        table.Add<LogicalDiskRecord>(Group, 0x0B0C, "LogicalDisk", ConfirmedLayouts.Of(2));
        table.Add<NetworkAdapterRecord>(Group, 0x0B0D, "Nic", ConfirmedLayouts.Of(2));
        table.Add<VideoAdapterRecord>(Group, 0x0B0E, "Video", ConfirmedLayouts.Of(2));
        table.Add<ServiceRecord>(Group, 0x0B0F, "Services", ConfirmedLayouts.Of(3));
        table.Add<PowerCapabilityRecord>(Group, 0x0B10, "Power", ConfirmedLayouts.Of(2));
        table.Add<NetworkParametersRecord>(Group, 0x0B11, "Network", ConfirmedLayouts.Of(2));
        table.Add<OpticalDiskRecord>(Group, 0x0B12, "OpticalDisk", ConfirmedLayouts.Of(2));
        table.AddName(Group, 0x0B13, "Unnamed19");
        table.Add<InterruptLineRecord>(Group, 0x0B15, "Irq", ConfirmedLayouts.Of(3));
        table.Add<PnpDeviceRecord>(Group, 0x0B16, "PnP", ConfirmedLayouts.Of(3, 4, 5));
        table.Add<IdeChannelRecord>(Group, 0x0B17, "IdeChannel", ConfirmedLayouts.Of(2) with { InBothWidths = true });
        table.Add<NumaNodeRecord>(Group, 0x0B18, "NumaNode", ConfirmedLayouts.Of(2));
        table.Add<PlatformRecord>(Group, 0x0B19, "Platform", ConfirmedLayouts.Of(2));
        table.Add<ProcessorGroupRecord>(Group, 0x0B1A, "ProcessorGroup", ConfirmedLayouts.Of(2));
        table.Add<ProcessorNumberRecord>(Group, 0x0B1B, "ProcessorNumber", ConfirmedLayouts.Of(2));
        table.Add<DpiRecord>(Group, 0x0B1C, "Dpi", ConfirmedLayouts.Of(2));
        table.Add<CodeIntegrityRecord>(Group, 0x0B1D, "CodeIntegrity", ConfirmedLayouts.Of(2));
        table.Add<MachineIdRecord>(Group, 0x0B1E, "MachineId", ConfirmedLayouts.Of(2));
        table.AddName(Group, 0x0B1F, "Defrag");
        table.Add<DeviceFamilyRecord>(Group, 0x0B21, "DeviceFamily", ConfirmedLayouts.Of(2));
        table.Add<FlightIdsRecord>(Group, 0x0B22, "FlightIds", ConfirmedLayouts.Of(2));
        table.Add<ProcessorRecord>(Group, 0x0B23, "Processor", ConfirmedLayouts.Of(2));
        table.AddName(Group, 0x0B24, "Virtualization");
        table.AddName(Group, 0x0B25, "Boot");
    }

    // Interrupts, DPCs, samples, system calls, timers (kernel-events 3, 4, 11).
    private static void AddPerfInfo(KernelRecordTable table)
    {
        const string Group = "PerfInfo";
        table.Add<MarkRecord>(Group, 0x0F22, "Mark", ConfirmedLayouts.Of(0));
        table.Add<SampledProfileRecord>(Group, 0x0F2E, "SampledProfile", ConfirmedLayouts.Of(2));
        table.Add<PmcSampleRecord>(Group, 0x0F2F, "PmcSample", ConfirmedLayouts.Of(2));
        table.Add<PmcConfigRecord>(Group, 0x0F30, "PmcConfig", ConfirmedLayouts.Of(2));
        table.Add<PmcCorruptionRecord>(Group, 0x0F31, "PmcCorruption", ConfirmedLayouts.Of(2));
        table.Add<IsrRecord>(Group, 0x0F32, "IsrMsi", ConfirmedLayouts.Of(2));
        table.Add<SysCallEnterRecord>(Group, 0x0F33, "SysCallEnter");
        table.Add<SysCallExitRecord>(Group, 0x0F34, "SysCallExit");
        table.Add<SampleCacheRecord>(Group, 0x0F37, "SampleCache");
        table.Add<DpcRecord>(Group, 0x0F42, "ThreadedDpc", ConfirmedLayouts.Of(2));
        table.Add<IsrRecord>(Group, 0x0F43, "Isr", ConfirmedLayouts.Of(2));
        table.Add<DpcRecord>(Group, 0x0F44, "Dpc", ConfirmedLayouts.Of(2));
        table.Add<DpcRecord>(Group, 0x0F45, "TimerDpc", ConfirmedLayouts.Of(2));
        table.Add<DpcRecord>(Group, 0x0F46, "IoTimer");
        table.Add<SampledProfileRecord>(Group, 0x0F47, "NmiSample");
        table.Add<SampleIntervalRecord>(Group, 0x0F48, "SetInterval");
        table.Add<SampleIntervalRecord>(Group, 0x0F49, "CollectionStart", ConfirmedLayouts.Of(2, 3));
        table.Add<SampleIntervalRecord>(Group, 0x0F4A, "CollectionEnd", ConfirmedLayouts.Of(2, 3));
        table.Add<SpinLockConfigRecord>(Group, 0x0F4B, "SpinLockConfigStart");
        table.Add<SpinLockConfigRecord>(Group, 0x0F4C, "SpinLockConfigEnd");
        table.Add<ClockInterruptRecord>(Group, 0x0F4F, "ClockInterrupt");
        table.Add<TimerExpirationStartRecord>(Group, 0x0F50, "TimerExpirationStart");
        table.Add<TimerExpirationRecord>(Group, 0x0F51, "TimerExpiration");
        table.Add<PeriodicTimerSetRecord>(Group, 0x0F52, "TimerSetPeriodic");
        table.Add<OneShotTimerSetRecord>(Group, 0x0F53, "TimerSetOneShot");
        table.Add<TimerCancelRecord>(Group, 0x0F55, "TimerCancel");
        table.AddName(Group, 0x0F57, "ClockMode");
        table.Add<ClockTimeUpdateRecord>(Group, 0x0F58, "ClockTimeUpdate");
        table.AddName(Group, 0x0F5A, "ClockConfiguration");
        table.Add<InterprocessorInterruptRecord>(Group, 0x0F5B, "Ipi");
        table.Add<UnexpectedInterruptRecord>(Group, 0x0F5C, "UnexpectedInterrupt");
        table.Add<IsrRecord>(Group, 0x0F5F, "PassiveIsr");
        table.Add<WdfCallbackRecord>(Group, 0x0F60, "WdfIsr");
        table.Add<WdfCallbackRecord>(Group, 0x0F61, "WdfPassiveIsr");
        table.Add<WdfCallbackRecord>(Group, 0x0F62, "WdfDpc");
        table.Add<DpcEnqueueRecord>(Group, 0x0F64, "DpcEnqueue");
        table.Add<DpcExecutionRecord>(Group, 0x0F65, "DpcExecution");
        table.AddName(Group, 0x0F66, "InterruptSteering");
        table.Add<WdfCallbackRecord>(Group, 0x0F67, "WdfWorkItem");
        table.Add<ExtendedTimerRecord>(Group, 0x0F68, "ExtendedTimerSet");
        table.Add<ExtendedTimerRecord>(Group, 0x0F69, "ExtendedTimerExpire");
        table.Add<ShouldYieldRecord>(Group, 0x0F6D, "ShouldYield");
    }

    // Power (kernel-events 11).
    private static void AddPower(KernelRecordTable table)
    {
        const string Group = "Power";
        table.Add<PerformanceStateRecord>(Group, 0x1233, "PerformanceStateChange");
        table.Add<IdleStateChangeRecord>(Group, 0x1235, "IdleStateChange");
        table.Add<ThermalConstraintRecord>(Group, 0x1236, "ThermalConstraint");
        table.Add<IdleEnterRecord>(Group, 0x1239, "IdleEnter");
        table.Add<IdleExitRecord>(Group, 0x123A, "IdleExit");
        table.Add<IdleExitLatencyRecord>(Group, 0x123C, "IdleExitLatency");
    }

    // Stacks (kernel-events 9).
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

    // Identities of images that merging adds (kernel-events 7.1).
    private static void AddImageId(KernelRecordTable table)
    {
        const string Group = "ImageId";
        table.Add<ImageIdInfoRecord>(Group, (ImageId << 8) | 0, "Info", ConfirmedLayouts.Of(2));
        table.Add<ImageIdWithoutDebugRecord>(Group, (ImageId << 8) | 32, "None", ConfirmedLayouts.Of(2));
        table.Add<ImageIdDbgFileRecord>(Group, (ImageId << 8) | 34, "DbgFile");
        table.Add<ImageIdPdbRecord>(Group, (ImageId << 8) | 36, "DbgIdRsds", ConfirmedLayouts.Of(2));
        table.Add<ImageIdPdbRecord>(Group, (ImageId << 8) | 37, "DbgIdIlRsds", ConfirmedLayouts.Of(2));
        table.Add<ImageIdPortablePdbRecord>(Group, (ImageId << 8) | 38, "DbgPpdb", ConfirmedLayouts.Of(2));
        table.Add<ImageIdEmbeddedPdbRecord>(Group, (ImageId << 8) | 39, "DbgEmbeddedPpdb");
        table.Add<ImageIdReproducibleRecord>(Group, (ImageId << 8) | 40, "DbgDeterm", ConfirmedLayouts.Of(1));
        table.Add<ImageIdFailureRecord>(Group, (ImageId << 8) | 41, "Failure", ConfirmedLayouts.Of(1));
        table.Add<ImageFileVersionRecord>(Group, (ImageId << 8) | 64, "FileVersion", ConfirmedLayouts.Of(0));
    }

    // What merging adds about the system (kernel-events 8).
    private static void AddSystemConfigEx(KernelRecordTable table)
    {
        const string Group = "SystemConfigEx";
        table.Add<SystemBuildRecord>(Group, (SystemConfigEx << 8) | 32, "BuildInfo", ConfirmedLayouts.AnyVersion);
        table.Add<SystemPathsRecord>(Group, (SystemConfigEx << 8) | 33, "SystemPaths", ConfirmedLayouts.AnyVersion);
        table.Add<UnmappedVolumeRecord>(Group, (SystemConfigEx << 8) | 34, "UnmappedVolume", ConfirmedLayouts.AnyVersion);
        table.Add<VolumeMappingRecord>(Group, (SystemConfigEx << 8) | 35, "VolumeMapping", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (SystemConfigEx << 8) | 36, "NetworkInterface", ConfirmedLayouts.AnyVersion);
        table.AddName(Group, (SystemConfigEx << 8) | 37, "Unnamed37");
    }

    // Descriptions of manifest events that merging adds (etl-format 10.3).
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

    // Losses that the real-time path reports (kernel-events 12).
    private static void AddLost(KernelRecordTable table)
    {
        const string Group = "Lost";
        table.AddName(Group, (Lost << 8) | 32, "Events");
        table.AddName(Group, (Lost << 8) | 33, "Buffers");
        table.AddName(Group, (Lost << 8) | 34, "File");
    }
}
