using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>Makes the devices of a machine that its drivers run.</summary>
internal static class DeviceDrawing
{
    // Lines of an interrupt controller of ARM that all CPUs can take, of those that devices have.
    private const int FirstSharedPeripheral = 32;
    private const int LastSharedPeripheral = 900;

    private static readonly Guid NetworkClass = new("4d36e972-e325-11ce-bfc1-08002be10318");
    private static readonly Guid DisplayClass = new("4d36e968-e325-11ce-bfc1-08002be10318");
    private static readonly Guid StorageClass = new("4d36e97b-e325-11ce-bfc1-08002be10318");
    private static readonly Guid DiskClass = new("4d36e967-e325-11ce-bfc1-08002be10318");
    private static readonly Guid AudioClass = new("4d36e96c-e325-11ce-bfc1-08002be10318");
    private static readonly Guid UsbClass = new("36fc9e60-c465-11cf-8056-444553540000");
    private static readonly Guid KeyboardClass = new("4d36e96b-e325-11ce-bfc1-08002be10318");
    private static readonly Guid HumanInterfaceClass = new("745a17a0-74d3-11d0-b6fe-00a0c90f57da");
    private static readonly Guid SystemClass = new("4d36e97d-e325-11ce-bfc1-08002be10318");

    private static readonly (ImageRole Role, Guid ClassId, string Bus, string Description)[] Devices =
    [
        (ImageRole.NetworkMiniport, NetworkClass, "PCI", "Gigabit Ethernet Controller"),
        (ImageRole.DisplayMiniport, DisplayClass, "PCI", "Graphics Adapter"),
        (ImageRole.StorageMiniport, StorageClass, "PCI", "Storage Controller"),
        (ImageRole.AudioMiniport, AudioClass, "HDAUDIO", "High Definition Audio"),
        (ImageRole.UsbController, UsbClass, "PCI", "USB Host Controller"),
        (ImageRole.KeyboardPort, KeyboardClass, "ACPI", "Standard PS/2 Keyboard"),
        (ImageRole.FrameworkClient, SystemClass, "PCI", "Serial Bus Controller"),
        (ImageRole.OtherFrameworkClient, HumanInterfaceClass, "ACPI", "GPIO Controller"),
        (ImageRole.PlainDriver, SystemClass, "PCI", "Management Controller"),
        (ImageRole.Acpi, SystemClass, "ACPI_HAL", "Microsoft ACPI-Compliant System"),
        (ImageRole.DiskClass, DiskClass, "SCSI", "Disk drive"),
    ];

    public static IReadOnlyList<InventoryDevice> Draw(
        ulong seed, WindowsBuild build, MachineHardware hardware, bool isArm64, Func<ImageRole, SimulatedImage> module)
    {
        List<InventoryDevice> devices = [];
        var vectors = new HashSet<ushort>();
        int messages = 0;
        foreach ((ImageRole role, Guid classId, string bus, string description) in Devices)
        {
            var random = new RandomSequence(seed, "device " + role);
            SimulatedImage driver = module(role);
            bool interrupts = role is not (ImageRole.DiskClass or ImageRole.AudioMiniport);
            bool isMessageSignalled = bus == "PCI" && build.PointerBytes == 8 && random.Happens(0.7);
            int? line = !interrupts ? null : isMessageSignalled ? -++messages : role switch
            {
                _ when isArm64 => (int)random.Between(FirstSharedPeripheral, LastSharedPeripheral),
                ImageRole.KeyboardPort => 1,
                ImageRole.Acpi => 9,
                _ => (int)random.Between(10, 23),
            };
            devices.Add(new InventoryDevice
            {
                InstanceId = InstanceId(isArm64 && bus == "ACPI" ? "QCOM" : bus, role, random),
                Description = role == ImageRole.DiskClass ? description : VendorsName(driver, description),
                FriendlyName = role == ImageRole.DiskClass ? hardware.DiskModel : "",
                ObjectName = bus switch
                {
                    "PCI" => $@"\Device\NTPNP_PCI{random.Between(0, 40):0000}",
                    _ => $@"\Device\{random.Between(0x20, 0xFF):x8}",
                },
                ClassId = classId,
                Driver = driver,
                UpperFilters = role == ImageRole.KeyboardPort ? ["kbdclass"] : [],
                InterruptLine = line,
                Vector = line is null ? null : FreeVector(random, vectors),
            });
        }

        return devices;
    }

    private static string VendorsName(SimulatedImage driver, string description) =>
        driver.Role > ImageRole.SystemOther ? $"{driver.Company.Split(' ')[0]} {description}" : description;

    private static string InstanceId(string bus, ImageRole role, RandomSequence random) => bus switch
    {
        "PCI" => $@"PCI\VEN_{random.Between(0x1000, 0x1FFF):X4}&DEV_{random.Between(0x100, 0xFFFF):X4}&SUBSYS_"
            + $@"{random.NextBelow(0xFFFF_FFFF):X8}&REV_{random.Between(0, 0x20):X2}\3&"
            + $"{random.NextBelow(0xFFF_FFFF):x}&0&{8 * (role - ImageRole.Kernel):X2}",
        "HDAUDIO" => $@"HDAUDIO\FUNC_01&VEN_{random.Between(0x1000, 0x1FFF):X4}&DEV_{random.Between(0x100, 0x999):X4}\4&"
            + $"{random.NextBelow(0xFFF_FFFF):x}&0&0001",
        "SCSI" => $@"SCSI\Disk&Ven_NVMe&Prod_{random.Between(100, 999)}\5&{random.NextBelow(0xFFF_FFFF):x}&0&000000",
        "QCOM" => $@"ACPI\QCOM0{random.Between(0xC00, 0xCFF):X3}\{random.Between(0, 4)}",
        _ => $@"{bus}\PNP0{random.Between(0x100, 0xFFF):X3}\{random.Between(0, 4)}",
    };

    private static ushort FreeVector(RandomSequence random, HashSet<ushort> taken)
    {
        ushort vector;
        do
        {
            vector = (ushort)random.Between(0x51, 0xB1);
        }
        while (!taken.Add(vector));
        return vector;
    }
}
