using System.Runtime.Versioning;
using Tracer.Capture.Driver.Modules;
using Tracer.Capture.Driver.Verifier;

namespace Tracer.Capture.Driver.Install;

/// <summary>What the driver's commands need of a machine: Windows, or a fake one in tests.</summary>
public sealed record DriverMachine
{
    public required IServiceList Services { get; init; }

    /// <summary>Where installed drivers lie.</summary>
    public required IDriverPlace Place { get; init; }

    public required Func<IDriverDevice> OpenDevice { get; init; }

    public required IKernelModules Modules { get; init; }

    public required IVerifiedDrivers Verified { get; init; }

    /// <summary>Folder of this program; the drivers lie beside it.</summary>
    public string ProgramFolder { get; init; } = AppContext.BaseDirectory;

    /// <summary>How long a load or an unload may take.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>This machine; null where it does not run Windows.</summary>
    public static DriverMachine? Current => OperatingSystem.IsWindows() ? OfWindows() : null;

    public DriverService Driver() => new(Services, Place, Patience);

    /// <summary>Opens the driver, which must be loaded.</summary>
    /// <exception cref="DriverException">Windows or the driver refused.</exception>
    public DriverClient OpenClient() => new(OpenDevice());

    [SupportedOSPlatform("windows")]
    private static DriverMachine OfWindows() => new()
    {
        Services = new WindowsServiceList(),
        Place = new WindowsDriverPlace(),
        OpenDevice = WindowsDriverDevice.Open,
        Modules = new WindowsKernelModules(),
        Verified = new WindowsVerifiedDrivers(),
    };
}
