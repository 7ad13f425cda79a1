using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>The parts of the machine that its configuration records tell of.</summary>
public sealed record MachineHardware
{
    public required string ProcessorName { get; init; }

    /// <summary>Family, model and stepping of the processor.</summary>
    public required string ProcessorIdentifier { get; init; }

    public required string ProcessorVendor { get; init; }

    /// <summary>Nominal speed in MHz.</summary>
    public required uint Mhz { get; init; }

    /// <summary>Memory in MiB.</summary>
    public required uint MemoryMb { get; init; }

    public required string ComputerName { get; init; }

    public required string Manufacturer { get; init; }

    public required string Product { get; init; }

    public required string FirmwareVersion { get; init; }

    public required string DiskModel { get; init; }

    public required long DiskBytes { get; init; }

    /// <summary>Hardware address of the network adapter: its 48 bits in the low bytes.</summary>
    public required ulong NetworkAddress { get; init; }

    public required uint VideoMemoryBytes { get; init; }

    /// <summary>Chip of the display adapter.</summary>
    public required string VideoChip { get; init; }

    /// <param name="model">What the same parts of other machines follow, too; null where there are none.</param>
    internal static MachineHardware Draw(ulong seed, ulong? model, DriverNames names)
    {
        MachineHardware own = Draw(new RandomSequence(seed, "hardware"), names);
        return model is not { } number ? own : Draw(new RandomSequence(number, "hardware"), names.OfModel(number)) with
        {
            ComputerName = own.ComputerName,
            NetworkAddress = own.NetworkAddress,
        };
    }

    /// <summary>The same with an ARM64 processor.</summary>
    internal MachineHardware OfArm64() => this with
    {
        ProcessorName = "Snapdragon(R) X Elite - X1E80100 - Qualcomm(R) Oryon(TM) CPU",
        ProcessorIdentifier = "ARMv8 (64-bit) Family 8 Model 1 Revision 201",
        ProcessorVendor = "Qualcomm Technologies Inc",
        Mhz = 3_417,
    };

    private static MachineHardware Draw(RandomSequence random, DriverNames names)
    {
        bool isIntel = random.Happens(0.6);
        uint mhz = (uint)(100 * random.Between(18, 42));
        string ghz = $"{mhz / 1000}.{mhz / 100 % 10}0GHz";
        return new MachineHardware
        {
            ProcessorName = isIntel
                ? $"Intel(R) Core(TM) i{random.OneOf(3, 5, 7, 9)}-{random.Between(2, 13)}{random.Between(100, 900)} CPU @ {ghz}"
                : $"AMD Ryzen {random.OneOf(3, 5, 7, 9)} {random.Between(1, 9)}{random.OneOf(6, 7, 8, 9)}00X",
            ProcessorIdentifier = isIntel
                ? $"Intel64 Family 6 Model {random.Between(42, 186)} Stepping {random.Between(1, 12)}"
                : $"AMD64 Family {random.OneOf(23, 25, 26)} Model {random.Between(1, 120)} Stepping {random.Between(0, 3)}",
            ProcessorVendor = isIntel ? "GenuineIntel" : "AuthenticAMD",
            Mhz = mhz,
            MemoryMb = (uint)(1024 << (int)random.Between(1, 6)) - (uint)random.Between(20, 120),
            ComputerName = $"DESKTOP-{random.NextBelow(0xFF_FFFF):X6}",
            Manufacturer = names.Company(),
            Product = $"Model {random.Between(100, 9999)}",
            FirmwareVersion = $"{random.Between(1, 4)}.{random.Between(0, 99):00}",
            DiskModel = $"{names.Company().Split(' ')[0]} SSD {random.OneOf(250, 500, 512, 1000, 2000)}GB",
            DiskBytes = 512 * random.Between(400_000_000, 4_000_000_000),
            NetworkAddress = (ulong)random.NextBelow(1L << 48) & ~1UL,
            VideoMemoryBytes = (uint)(128 << (int)random.Between(0, 4)) * 1024 * 1024,
            VideoChip = $"{names.Company().Split(' ')[0]} G{random.Between(100, 990)}",
        };
    }
}
