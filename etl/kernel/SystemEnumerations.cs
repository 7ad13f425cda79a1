namespace Tracer.Etl.Kernel;

/// <summary>What a change of a processor's performance state changed (PERFINFO_PPM_PERF_STATE_CHANGE of ntwmi.h).</summary>
public enum PerformanceStateKind : uint
{
    /// <summary>Nothing that is known.</summary>
    None = 0,

    /// <summary>Its frequency.</summary>
    Frequency = 1,

    /// <summary>The share of time its clock is stopped.</summary>
    StopClock = 2,
}

/// <summary>State of a service, as the service control manager numbers it.</summary>
public enum ServiceState : uint
{
    /// <summary>No known state.</summary>
    None = 0,

    /// <summary>It does not run.</summary>
    Stopped = 1,

    /// <summary>It is starting.</summary>
    StartPending = 2,

    /// <summary>It is stopping.</summary>
    StopPending = 3,

    /// <summary>It runs.</summary>
    Running = 4,

    /// <summary>It is about to go on.</summary>
    ContinuePending = 5,

    /// <summary>It is about to pause.</summary>
    PausePending = 6,

    /// <summary>It is paused.</summary>
    Paused = 7,
}

/// <summary>What an I/O request packet asks for.</summary>
public enum IrpMajorFunction : uint
{
    /// <summary>Open or create a file or device.</summary>
    Create = 0,

    /// <summary>Create a named pipe.</summary>
    CreateNamedPipe = 1,

    /// <summary>The last handle was closed and no request is left.</summary>
    Close = 2,

    /// <summary>Read.</summary>
    Read = 3,

    /// <summary>Write.</summary>
    Write = 4,

    /// <summary>Query properties of a file.</summary>
    QueryInformation = 5,

    /// <summary>Set properties of a file.</summary>
    SetInformation = 6,

    /// <summary>Query extended attributes.</summary>
    QueryEa = 7,

    /// <summary>Set extended attributes.</summary>
    SetEa = 8,

    /// <summary>Flush.</summary>
    FlushBuffers = 9,

    /// <summary>Query properties of a volume.</summary>
    QueryVolumeInformation = 10,

    /// <summary>Set properties of a volume.</summary>
    SetVolumeInformation = 11,

    /// <summary>List or watch a directory.</summary>
    DirectoryControl = 12,

    /// <summary>Control a file system.</summary>
    FileSystemControl = 13,

    /// <summary>Control a device.</summary>
    DeviceControl = 14,

    /// <summary>Control a device, from a driver.</summary>
    InternalDeviceControl = 15,

    /// <summary>The system shuts down.</summary>
    Shutdown = 16,

    /// <summary>Lock or unlock a range.</summary>
    LockControl = 17,

    /// <summary>The last handle was closed.</summary>
    Cleanup = 18,

    /// <summary>Create a mailslot.</summary>
    CreateMailslot = 19,

    /// <summary>Query security.</summary>
    QuerySecurity = 20,

    /// <summary>Set security.</summary>
    SetSecurity = 21,

    /// <summary>Power management.</summary>
    Power = 22,

    /// <summary>Management instrumentation.</summary>
    SystemControl = 23,

    /// <summary>A device changed.</summary>
    DeviceChange = 24,

    /// <summary>Query quotas.</summary>
    QueryQuota = 25,

    /// <summary>Set quotas.</summary>
    SetQuota = 26,

    /// <summary>Plug and play.</summary>
    Pnp = 27,
}

/// <summary>Architecture of the traced machine, as the system numbers it.</summary>
public enum ProcessorArchitecture : ushort
{
    /// <summary>32-bit x86.</summary>
    X86 = 0,

    /// <summary>32-bit ARM.</summary>
    Arm = 5,

    /// <summary>Itanium.</summary>
    Ia64 = 6,

    /// <summary>64-bit x86.</summary>
    X64 = 9,

    /// <summary>64-bit ARM.</summary>
    Arm64 = 12,
}
