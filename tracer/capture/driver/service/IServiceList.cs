namespace Tracer.Capture;

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

/// <summary>A service that is registered.</summary>
/// <param name="State">What it is doing.</param>
/// <param name="Path">Its file.</param>
public sealed record RegisteredService(ServiceState State, string Path);

/// <summary>
/// The service manager's list of kernel drivers. Every member throws <see cref="DriverException"/> where Windows refuses.
/// </summary>
public interface IServiceList
{
    /// <summary>Looks a service up; needs no administrator.</summary>
    /// <param name="name">Its name.</param>
    /// <returns>Null where there is none.</returns>
    RegisteredService? Find(string name);

    /// <summary>Registers a kernel driver that starts on demand.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="displayName">Its name for people.</param>
    /// <param name="path">Its file, a full path.</param>
    void Create(string name, string displayName, string path);

    /// <summary>Loads the driver of a service.</summary>
    /// <param name="name">Its name.</param>
    void Start(string name);

    /// <summary>Asks it to unload; it may take until the last handle of its device is closed.</summary>
    /// <param name="name">Its name.</param>
    void Stop(string name);

    /// <summary>Takes it out of the list.</summary>
    /// <param name="name">Its name.</param>
    void Delete(string name);
}
