using Tracer.Capture.Driver.Install;
using Tracer.TracerCommand.Commands.Capture;

namespace Tracer.TracerCommand.Commands.Service;

/// <summary>What <c>tracer service</c> needs of a machine; Windows, or a fake of it.</summary>
internal sealed record ServiceMachine
{
    public required IServiceList Services { get; init; }

    public required IServiceFolders Folders { get; init; }

    public required ICaptureHost Host { get; init; }

    /// <summary>How long a start or a stop may take.</summary>
    public TimeSpan Patience { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>This machine; null where it does not run Windows.</summary>
    public static ServiceMachine? Current => OperatingSystem.IsWindows()
        ? new ServiceMachine { Services = new WindowsServiceList(), Folders = new WindowsServiceFolders(), Host = new WindowsCaptureHost() }
        : null;
}
