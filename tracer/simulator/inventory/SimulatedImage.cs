using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>
/// A module of the machine: a driver, the kernel, a program or a library. Its routines lie at random places inside it that follow the seed
/// and the routine's name alone, so asking for one more routine moves no other but in the rare case of a collision.
/// </summary>
public sealed class SimulatedImage
{
    /// <summary>A routine has so many bytes, in which <see cref="Inside"/> falls.</summary>
    public const int RoutineBytes = 0x200;

    private const int PageBytes = 0x1000;
    private const int SlotBytes = 0x400;

    private readonly ulong _seed;
    private readonly Dictionary<string, uint> _routines = [];
    private readonly HashSet<int> _usedSlots = [];

    /// <summary>Makes a module that is loaded at an address.</summary>
    /// <param name="bytes">Its size in memory in bytes, a multiple of 4096.</param>
    internal SimulatedImage(ulong seed, ImageRole role, string path, uint bytes)
    {
        _seed = seed;
        Role = role;
        Path = path;
        Bytes = bytes;
    }

    public ImageRole Role { get; }

    /// <summary>Its path as NT writes it.</summary>
    public string Path { get; }

    public string FileName => Path[(Path.LastIndexOf('\\') + 1)..];

    /// <summary>Address of its first byte; another after it was unloaded and loaded again.</summary>
    public ulong Base { get; private set; }

    /// <summary>Its size in memory in bytes.</summary>
    public uint Bytes { get; }

    /// <summary>Whether it is loaded now.</summary>
    public bool IsLoaded { get; internal set; } = true;

    /// <summary>Instructions begin at multiples of so many bytes: of 4 on ARM64.</summary>
    internal int InstructionBytes { get; init; } = 1;

    public required uint TimeDateStamp { get; init; }

    /// <summary>Checksum of its PE header.</summary>
    public required uint Checksum { get; init; }

    public required Guid PdbId { get; init; }

    public required uint PdbAge { get; init; }

    public required string PdbName { get; init; }

    /// <summary>Who made it, as its version resource says.</summary>
    public required string Company { get; init; }

    /// <summary>What it is, as its version resource says.</summary>
    public required string Description { get; init; }

    /// <summary>Its version: four numbers with points.</summary>
    public required string Version { get; init; }

    /// <summary>Name of the service that loads it; empty for what no service does.</summary>
    public required string ServiceName { get; init; }

    /// <param name="name">Any name; the same name gives the same place.</param>
    public ulong Routine(string name) => Base + RvaOf(name);

    /// <summary>Address of an instruction in a routine of it, but not its first.</summary>
    public ulong Inside(string name, RandomSequence random)
    {
        ArgumentNullException.ThrowIfNull(random);
        return Routine(name) + Whole(random.Between(1, RoutineBytes - 1));
    }

    /// <summary>Address behind a call in a routine of it: the same each time.</summary>
    public ulong ReturnInto(string name) => Inside(name, new RandomSequence(_seed, $"{FileName}!{name} returns"));

    /// <summary>Any address in its code, behind a call.</summary>
    public ulong Anywhere(RandomSequence random)
    {
        ArgumentNullException.ThrowIfNull(random);
        return Base + Whole(random.Between(Math.Min(PageBytes, Bytes / 2), (Bytes / 4 * 3) - 1));
    }

    /// <summary>Whether an address lies in it.</summary>
    public bool Contains(ulong address) => address - Base < Bytes;

    /// <summary>An address in it as reports write it where there are no symbols: <c>name.sys+0x1234</c>.</summary>
    public string Describe(ulong address) => string.Create(CultureInfo.InvariantCulture, $"{FileName}+0x{address - Base:x}");

    internal void MoveTo(ulong address) => Base = address;

    /// <summary>The instruction that an offset lies in, but not the one at 0.</summary>
    private ulong Whole(long offset) => (ulong)Math.Max(InstructionBytes, offset - (offset % InstructionBytes));

    private uint RvaOf(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (_routines.TryGetValue(name, out uint rva))
        {
            return rva;
        }

        // Code takes the first three quarters, headers the first page.
        int slots = Math.Max(1, (int)(((Bytes / 4 * 3) - PageBytes) / SlotBytes));
        if (_usedSlots.Count == slots)
        {
            throw new InvalidOperationException($"{FileName} has no room for another routine than its {slots}.");
        }

        var random = new RandomSequence(_seed, $"{FileName}!{name}");
        int slot = (int)random.NextBelow(slots);
        while (!_usedSlots.Add(slot))
        {
            slot = (slot + 1) % slots;
        }

        rva = (uint)(PageBytes + (slot * SlotBytes) + (16 * random.NextBelow((SlotBytes - RoutineBytes) / 16)));
        _routines.Add(name, rva);
        return rva;
    }
}
