using Tracer.Capture.Driver;
using Tracer.Capture.Driver.Install;

namespace Tracer.Capture.Tests;

/// <summary>A service manager that remembers. A stop takes until nobody holds the device.</summary>
internal sealed class FakeServices : IServiceList
{
    public Dictionary<string, RegisteredService> Registered { get; } = [];

    /// <summary>Error that the next call of a name ends with.</summary>
    public Dictionary<string, int> Errors { get; } = [];

    public List<ProgramService> Programs { get; } = [];

    public bool IsDeviceHeld { get; set; }

    public RegisteredService? Find(string name)
    {
        Fail(nameof(Find), DriverStep.Query);
        return Registered.GetValueOrDefault(name);
    }

    public void Create(string name, string displayName, string path)
    {
        Fail(nameof(Create), DriverStep.Install);
        Registered.Add(name, new RegisteredService(ServiceState.Stopped, path));
    }

    public void CreateProgram(ProgramService service)
    {
        Fail(nameof(CreateProgram), DriverStep.Install);
        Programs.Add(service);
        Registered.Add(service.Name, new RegisteredService(ServiceState.Stopped, service.CommandLine));
    }

    public void Start(string name)
    {
        Fail(nameof(Start), DriverStep.Load);
        Change(name, ServiceState.Running, DriverStep.Load);
    }

    public void Stop(string name)
    {
        Fail(nameof(Stop), DriverStep.Unload);
        Change(name, IsDeviceHeld ? ServiceState.StopPending : ServiceState.Stopped, DriverStep.Unload);
    }

    public void Delete(string name)
    {
        Fail(nameof(Delete), DriverStep.Uninstall);
        Registered.Remove(name);
    }

    private void Change(string name, ServiceState state, DriverStep step) => Registered[name] =
        Registered.TryGetValue(name, out RegisteredService? found)
            ? found with { State = state }
            : throw DriverException.Of(step, Win32Error.ServiceDoesNotExist);

    private void Fail(string call, DriverStep step)
    {
        if (Errors.Remove(call, out int error))
        {
            throw DriverException.Of(step, error);
        }
    }
}
