namespace Tracer.Capture.Driver.Install;

/// <summary>What a service is doing, by the numbers of SERVICE_STATUS.</summary>
public enum ServiceState
{
    /// <summary>SERVICE_STOPPED: not loaded.</summary>
    Stopped = 1,

    /// <summary>SERVICE_START_PENDING: being loaded.</summary>
    StartPending = 2,

    /// <summary>SERVICE_STOP_PENDING: to be unloaded when the last who uses it lets go.</summary>
    StopPending = 3,

    /// <summary>SERVICE_RUNNING: loaded.</summary>
    Running = 4,
}

public sealed record RegisteredService(ServiceState State, string Path);

/// <summary>A program that is to run as a service, started with Windows, as SYSTEM, and started again where it fails.</summary>
public sealed record ProgramService(string Name, string DisplayName, string Description, string CommandLine);

/// <summary>
/// The service manager's list of kernel drivers and programs. Every member throws <see cref="DriverException"/> where Windows refuses.
/// </summary>
public interface IServiceList
{
    /// <summary>Looks a service up; needs no administrator.</summary>
    /// <returns>Null where there is none.</returns>
    RegisteredService? Find(string name);

    /// <summary>Registers a kernel driver that starts on demand.</summary>
    void Create(string name, string displayName, string path);

    void CreateProgram(ProgramService service);

    /// <summary>Loads the driver of a service, or starts its program.</summary>
    void Start(string name);

    /// <summary>Asks it to unload; it may take until the last handle of its device is closed.</summary>
    void Stop(string name);

    void Delete(string name);
}
