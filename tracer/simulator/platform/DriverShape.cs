using Tracer.Simulator.Inventory;

namespace Tracer.Simulator.Platform;

/// <summary>
/// How the interrupt handling of a driver looks in a trace: which routine the ISR and DPC records name, and the frames of samples in it.
/// Frames are innermost first.
/// </summary>
/// <param name="Through">The frameworks that call it, the nearest first.</param>
/// <param name="IsrFrames">Of its ISR; the last is what the kernel calls, and what the record names.</param>
public sealed record DriverShape(
    ImageRole Role,
    IReadOnlyList<ImageRole> Through,
    IReadOnlyList<(ImageRole Role, string Routine)> IsrFrames,
    IReadOnlyList<(ImageRole Role, string Routine)> DpcFrames)
{
    /// <summary>What its DPC calls in its turn, each a routine of another module that samples hit.</summary>
    public IReadOnlyList<(ImageRole Role, string Routine)> Calls { get; init; } = [];

    /// <summary>How often samples of its DPC hit what it calls, of <see cref="InterruptingDevice.Points"/>.</summary>
    public int CalledPoints { get; init; }

    /// <summary>Whether the driver framework calls it, so that records of its callbacks can be had.</summary>
    public bool IsFrameworkClient => Through.Contains(ImageRole.DriverFramework);

    /// <summary>A driver that the kernel calls directly.</summary>
    public static DriverShape Plain(ImageRole role) => new(
        role, [], [(role, "DeviceInterruptService")], [(role, "DeviceDpcWork"), (role, "DeviceDpcForIsr")]);

    public static DriverShape NetworkMiniport { get; } = new(
        ImageRole.NetworkMiniport,
        [ImageRole.NetworkFramework],
        [(ImageRole.NetworkMiniport, "MiniportInterrupt"), (ImageRole.NetworkFramework, "ndisMiniportMessageIsr")],
        [
            (ImageRole.NetworkMiniport, "MiniportHandleInterrupt"), (ImageRole.NetworkFramework, "ndisMiniportDpc"),
            (ImageRole.NetworkFramework, "ndisInterruptDpc"),
        ]);

    public static DriverShape StorageMiniport { get; } = new(
        ImageRole.StorageMiniport,
        [ImageRole.StorageFramework],
        [(ImageRole.StorageMiniport, "HwInterrupt"), (ImageRole.StorageFramework, "RaidpAdapterInterruptRoutine")],
        [(ImageRole.StorageMiniport, "HwDpcRoutine"), (ImageRole.StorageFramework, "RaidpAdapterDpcRoutine")]);

    public static DriverShape DisplayMiniport { get; } = new(
        ImageRole.DisplayMiniport,
        [ImageRole.GraphicsFramework],
        [(ImageRole.DisplayMiniport, "DdiInterruptRoutine"), (ImageRole.GraphicsFramework, "DpiFdoLineInterruptRoutine")],
        [(ImageRole.DisplayMiniport, "DdiDpcRoutine"), (ImageRole.GraphicsFramework, "DpiFdoDpcForIsr")]);

    /// <param name="inventory">
    /// Before Windows 10 it is a port driver without the framework; on the machine of today its records name routines of its own, too.
    /// </param>
    public static DriverShape Usb(MachineInventory inventory)
    {
        ArgumentNullException.ThrowIfNull(inventory);
        return inventory.Build.IsModern && !inventory.Profile.IsOfToday()
            ? FrameworkClient(ImageRole.UsbController)
            : Plain(ImageRole.UsbController);
    }

    /// <summary>The kernel serves the hypervisor's message interrupt for it.</summary>
    public static DriverShape HypervisorInterface { get; } = new(
        ImageRole.HypervisorInterface,
        [],
        [(ImageRole.HypervisorInterface, "WinHvpOnInterrupt"), (ImageRole.Kernel, "HvlpInterceptInterrupt")],
        [(ImageRole.HypervisorInterface, "WinHvpMessageDpc")]);

    /// <summary>A client of the driver framework behind Wdf01000.sys.</summary>
    public static DriverShape FrameworkClient(ImageRole role) => new(
        role,
        [ImageRole.DriverFramework],
        [(role, "EvtInterruptIsr"), (ImageRole.DriverFramework, "FxInterrupt::_InterruptThunk")],
        [
            (role, "EvtInterruptDpc"), (ImageRole.DriverFramework, "FxInterrupt::DpcHandler"),
            (ImageRole.DriverFramework, "FxInterrupt::_InterruptDpcThunk"),
        ]);
}
