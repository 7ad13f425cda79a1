namespace Tracer.Simulator.Inventory;

/// <summary>
/// What a module is to the machine. Up to <see cref="SystemOther"/> the modules are Windows' own and have their real names.
/// </summary>
public enum ImageRole
{
    /// <summary>winhvr.sys: the root's way to its hypervisor.</summary>
    HypervisorInterface,

    /// <summary>vmbusr.sys: the root's end of the bus to its guests.</summary>
    VirtualMachineBus,

    /// <summary>ntoskrnl.exe.</summary>
    Kernel,

    /// <summary>hal.dll.</summary>
    Hal,

    /// <summary>Wdf01000.sys: the kernel-mode driver framework.</summary>
    DriverFramework,

    /// <summary>ndis.sys: the framework of network drivers.</summary>
    NetworkFramework,

    /// <summary>storport.sys: the framework of storage drivers.</summary>
    StorageFramework,

    /// <summary>dxgkrnl.sys: the framework of display drivers.</summary>
    GraphicsFramework,

    /// <summary>portcls.sys: the framework of audio drivers.</summary>
    AudioFramework,

    /// <summary>tcpip.sys.</summary>
    NetworkStack,

    /// <summary>ACPI.sys.</summary>
    Acpi,

    /// <summary>USBXHCI.SYS, a client of the driver framework; USBPORT.SYS before Windows 8.</summary>
    UsbController,

    /// <summary>i8042prt.sys.</summary>
    KeyboardPort,

    /// <summary>HDAudBus.sys.</summary>
    AudioBus,

    /// <summary>CLASSPNP.SYS: the layer above storage drivers.</summary>
    DiskClass,

    /// <summary>Ntfs.sys.</summary>
    FileSystem,

    /// <summary>FLTMGR.SYS.</summary>
    FilterFramework,

    /// <summary>afd.sys: sockets.</summary>
    Sockets,

    /// <summary>win32kbase.sys; win32k.sys before Windows 10.</summary>
    WindowSystem,

    /// <summary>intelppm.sys: idle states.</summary>
    ProcessorPower,

    /// <summary>One of Windows' other drivers.</summary>
    SystemOther,

    /// <summary>A vendor's network miniport.</summary>
    NetworkMiniport,

    /// <summary>A vendor's display miniport.</summary>
    DisplayMiniport,

    /// <summary>A vendor's storage miniport.</summary>
    StorageMiniport,

    /// <summary>A vendor's audio driver.</summary>
    AudioMiniport,

    /// <summary>A vendor's client of the driver framework.</summary>
    FrameworkClient,

    /// <summary>Another vendor's client of the driver framework.</summary>
    OtherFrameworkClient,

    /// <summary>A vendor's driver without a framework: for its own device.</summary>
    PlainDriver,

    /// <summary>A vendor's filter on the file system or another device's stack.</summary>
    FilterDriver,

    /// <summary>A vendor's driver that does nothing in the scenario.</summary>
    VendorOther,

    /// <summary>An image of user mode.</summary>
    User,
}
