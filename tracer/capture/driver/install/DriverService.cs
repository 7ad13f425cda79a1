using System.Runtime.InteropServices;
using Tracer.Symbols;

namespace Tracer.Capture.Driver.Install;

/// <summary>The driver as a service: registered, loaded, unloaded, removed. What is done already is done, and said.</summary>
/// <param name="patience">How long a load or an unload may take; an unload waits for programs that have the device open.</param>
public sealed class DriverService(IServiceList services, IDriverPlace place, TimeSpan patience)
{
    /// <summary>Name of the service, of either driver: only one of them can have the device.</summary>
    public const string Name = "TracerLatency";

    public const string FileName = "TracerLatency.sys";

    public const string LaboratoryFileName = "TracerLatencyLab.sys";

    /// <returns>Null where it is not installed.</returns>
    public RegisteredService? Find() => services.Find(Name);

    /// <summary>
    /// Copies a driver to where only administrators write, notes its SHA-256, and registers the copy. What an older version of this program
    /// registered where the user had it is registered anew.
    /// </summary>
    /// <exception cref="DriverException">
    /// Another one is installed, the file is no driver for this machine or not signed, or Windows refused.
    /// </exception>
    public DriverInstallation Install(string path)
    {
        string full = Path.GetFullPath(path);
        CheckImage(full);
        string target = Path.Combine(place.Folder, Path.GetFileName(full));
        RegisteredService? found = services.Find(Name);
        if (found is not null && !IsSame(Path.GetFileName(found.Path), Path.GetFileName(target)))
        {
            throw DriverException.Because($"{found.Path} is installed already; 'tracer driver uninstall' removes it");
        }

        using var copy = InstalledCopy.Of(full, target, place.Folder);
        DriverSignature signature = place.SignatureOf(copy.DraftPath);
        DriverTrust.Check(full, signature);
        bool isThere = found is not null && IsSame(found.Path, target);
        if (isThere && copy.IsInPlace)
        {
            return new DriverInstallation(DriverInstallationKind.AlreadyThere, target, signature);
        }

        if (found is not null && found.State != ServiceState.Stopped)
        {
            throw DriverException.Because($"{found.Path} is loaded: 'tracer driver stop', then install it again");
        }

        copy.PutInPlace();
        if (isThere)
        {
            return new DriverInstallation(DriverInstallationKind.Replaced, target, signature);
        }

        try
        {
            if (found is not null)
            {
                services.Delete(Name);
            }

            bool isLaboratory = IsSame(Path.GetFileName(full), LaboratoryFileName);
            services.Create(Name, isLaboratory ? "Tracer latency probe (laboratory)" : "Tracer latency probe", target);
        }
        catch
        {
            InstalledCopy.Remove(target);
            throw;
        }

        DriverInstallationKind kind = found is null ? DriverInstallationKind.New : DriverInstallationKind.Moved;
        return new DriverInstallation(kind, target, signature) { Before = found?.Path };
    }

    /// <returns>False where it was loaded already.</returns>
    /// <exception cref="DriverException">It is not installed, its file is not what was installed, or Windows refused.</exception>
    public bool Load()
    {
        if (Find()?.State == ServiceState.Running)
        {
            return false;
        }

        CheckCopy();
        services.Start(Name);
        return Becomes(ServiceState.Running)
            ? true
            : throw DriverException.Because($"the driver does not load within {patience.TotalSeconds:0} s");
    }

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

    /// <summary>
    /// Unloads the driver if it is loaded, takes it out of the list of services, and removes the copy that was installed. A file that an
    /// older version of this program registered where the user had it stays.
    /// </summary>
    /// <returns>Where the file was; null where it was not installed.</returns>
    /// <exception cref="DriverException">Somebody still uses it, or Windows refused.</exception>
    public string? Uninstall()
    {
        if (Find() is not { } found)
        {
            return null;
        }

        Unload();
        services.Delete(Name);
        if (IsInPlace(found.Path))
        {
            InstalledCopy.Remove(found.Path);
        }

        return found.Path;
    }

    /// <summary>Whether a registered file is the copy that <see cref="Install"/> makes.</summary>
    public bool IsInPlace(string path) => IsSame(Path.GetDirectoryName(path) ?? "", place.Folder);

    private static bool IsSame(string one, string other) => string.Equals(one, other, StringComparison.OrdinalIgnoreCase);

    /// <summary>What is loaded into the kernel is what was installed: in its place, and with the bytes that it had then.</summary>
    private void CheckCopy()
    {
        if (Find() is not { } found)
        {
            return; // The service manager tells it better.
        }

        if (!IsInPlace(found.Path))
        {
            throw DriverException.Because(
                $"{found.Path} lies where others than administrators may have written; 'tracer driver install {found.Path}' copies it to "
                + $"{place.Folder}, if you trust it");
        }

        if (InstalledCopy.Fault(found.Path) is { } fault)
        {
            throw DriverException.Because(
                $"{found.Path} {fault}, and is not loaded: 'tracer driver uninstall', then install a file that you trust");
        }

        DriverTrust.Check(found.Path, place.SignatureOf(found.Path));
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
            throw DriverException.Because($"{path} is not a driver: {problem}");
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
