namespace Tracer.Analysis.Modules;

/// <summary>A device setup class. The clients of a framework are found by it among the devices of a trace.</summary>
/// <remarks>
/// Source: learn.microsoft.com, windows-hardware/drivers/install/system-defined-device-setup-classes-available-to-vendors; devguid.h.
/// </remarks>
internal sealed record SetupClass(string Name, Guid Id)
{
    /// <summary>Batteries and uninterruptible power supplies.</summary>
    public static SetupClass Battery { get; } = new("Battery", new("72631e54-78a4-11d0-bcf7-00aa00b7b32a"));

    /// <summary>Cameras, since Windows 10 1709.</summary>
    public static SetupClass Camera { get; } = new("Camera", new("ca3e7ab9-b4c3-4ae6-8251-579ef933890f"));

    public static SetupClass Display { get; } = new("Display", new("4d36e968-e325-11ce-bfc1-08002be10318"));

    /// <summary>Controllers of hard disks and CD-ROM drives.</summary>
    public static SetupClass DiskController { get; } = new("HDC", new("4d36e96a-e325-11ce-bfc1-08002be10318"));

    public static SetupClass HumanInterface { get; } = new("HIDClass", new("745a17a0-74d3-11d0-b6fe-00a0c90f57da"));

    /// <summary>Still-image devices, and cameras before the class Camera.</summary>
    public static SetupClass Image { get; } = new("Image", new("6bdd1fc6-810f-11d0-bec7-08002be2092f"));

    /// <summary>Sound, video and game devices.</summary>
    public static SetupClass Media { get; } = new("Media", new("4d36e96c-e325-11ce-bfc1-08002be10318"));

    public static SetupClass Net { get; } = new("Net", new("4d36e972-e325-11ce-bfc1-08002be10318"));

    /// <summary>SCSI, RAID and NVMe controllers.</summary>
    public static SetupClass ScsiAdapter { get; } = new("SCSIAdapter", new("4d36e97b-e325-11ce-bfc1-08002be10318"));

    public static SetupClass SecureDigitalHost { get; } = new("SDHost", new("a0a588a4-c46f-4b37-b7ea-c82fe89870c6"));

    /// <summary>Managers of USB Type-C connectors: GUID_DEVCLASS_UCM in devguid.h.</summary>
    public static SetupClass ConnectorManager { get; } = new("UCM", new("e6f1aa1c-7f3b-4473-b2e8-c97d8ac71d53"));

    /// <summary>USB host controllers and hubs.</summary>
    public static SetupClass Usb { get; } = new("USB", new("36fc9e60-c465-11cf-8056-444553540000"));
}
