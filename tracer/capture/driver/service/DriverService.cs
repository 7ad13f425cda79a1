using System.Runtime.InteropServices;
using Tracer.Symbols;

namespace Tracer.Capture;

/// <summary>The driver as a service: registered, loaded, unloaded, removed. What is done already is done, and said.</summary>
/// <param name="services">The service manager.</param>
/// <param name="patience">How long a load or an unload may take; an unload waits for programs that have the device open.</param>
public sealed class DriverService(IServiceList services, TimeSpan patience)
{
    /// <summary>Name of the service, of either driver: only one of them can have the device.</summary>
    public const string Name = "TracerLatency";

    /// <summary>File name of the driver for every machine.</summary>
    public const string FileName = "TracerLatency.sys";

    /// <summary>File name of the laboratory driver.</summary>
    public const string LaboratoryFileName = "TracerLatencyLab.sys";

    /// <summary>Asks how it stands.</summary>
    /// <returns>Null where it is not installed.</returns>
    public RegisteredService? Find() => services.Find(Name);

    /// <summary>Registers a driver. Its file stays where it is.</summary>
    /// <param name="path">The file.</param>
    /// <returns>False where this one is registered already.</returns>
    /// <exception cref="DriverException">Another one is, the file is no driver for this machine, or Windows refused.</exception>
    public bool Install(string path)
    {
        string full = Path.GetFullPath(path);
        CheckImage(full);
        if (services.Find(Name) is { } found)
        {
            return string.Equals(found.Path, full, StringComparison.OrdinalIgnoreCase)
                ? false
                : throw DriverException.Because($"{found.Path} is installed already; 'tracer driver uninstall' removes it");
        }

        bool isLaboratory = string.Equals(Path.GetFileName(full), LaboratoryFileName, StringComparison.OrdinalIgnoreCase);
        services.Create(Name, isLaboratory ? "Tracer latency probe (laboratory)" : "Tracer latency probe", full);
        return true;
    }

    /// <summary>Loads the driver.</summary>
    /// <returns>False where it was loaded already.</returns>
    /// <exception cref="DriverException">It is not installed, or Windows refused.</exception>
    public bool Load()
    {
        if (Find()?.State == ServiceState.Running)
        {
            return false;
        }

        services.Start(Name);
        return Becomes(ServiceState.Running)
            ? true
            : throw DriverException.Because($"the driver does not load within {patience.TotalSeconds:0} s");
    }

    /// <summary>Unloads the driver.</summary>
    /// <returns>False where it was not loaded.</returns>
    /// <exception cref="DriverException">It is not installed, somebody still uses it, or Windows refused.</exception>
    public bool Unload()
    {
        ServiceState state = Find()?.State ?? throw DriverException.Of(DriverStep.Unload, Win32Error.ServiceDoesNotExist);
        if (state == ServiceState.Stopped)
        {
            return false;
        }

        if (state != ServiceState.StopPending)
        {
            services.Stop(Name);
        }

        return Becomes(ServiceState.Stopped)
            ? true
            : throw DriverException.Because(
                "the driver is to be unloaded, but a program still has its device open; it goes when that ends");
    }

    /// <summary>Unloads the driver if it is loaded, and takes it out of the list of services. Its file stays.</summary>
    /// <returns>Where the file is; null where it was not installed.</returns>
    /// <exception cref="DriverException">Somebody still uses it, or Windows refused.</exception>
    public string? Uninstall()
    {
        if (Find() is not { } found)
        {
            return null;
        }

        Unload();
        services.Delete(Name);
        return found.Path;
    }

    private static void CheckImage(string path)
    {
        if (!File.Exists(path))
        {
            throw DriverException.Because(
                $"{path} is not there; kdriver/build.sh makes it, 'tracer driver install PATH' takes it from anywhere");
        }

        using var bytes = MappedBytes.Open(path);
        if (!PeImage.TryRead(bytes, out PeImage? image, out string? problem))
        {
            throw DriverException.Because($"{path} is no driver: {problem}");
        }

        PeMachine wanted = RuntimeInformation.OSArchitecture switch
        {
            Architecture.X64 => PeMachine.X64,
            Architecture.X86 => PeMachine.X86,
            Architecture.Arm64 => PeMachine.Arm64,
            _ => PeMachine.Unknown,
        };
        if (image.Machine != wanted)
        {
            throw DriverException.Because($"{path} is for {image.Machine}, and this machine is {wanted}");
        }
    }

    private bool Becomes(ServiceState wanted) => ServiceWaiting.Becomes(Find, wanted, patience);
}
