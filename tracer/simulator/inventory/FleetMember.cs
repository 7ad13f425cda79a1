using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Inventory;

/// <summary>What a machine has in common with others of a fleet; the rest of it follows its own seed.</summary>
public sealed record FleetMember
{
    /// <summary>Its model: machines of one model have the same processor, memory, maker and firmware, and drivers that stand by.</summary>
    public required ulong Model { get; init; }

    /// <summary>The update of Windows: machines with the same have the same images of it.</summary>
    public required ulong Update { get; init; }

    /// <summary>The vendors' drivers that others have, too, by role; a role that is not here has a driver of this machine alone.</summary>
    public required IReadOnlyDictionary<ImageRole, SharedDriver> Drivers { get; init; }

    /// <summary>
    /// What a scenario draws on it, such as a beat, follows this: a fault that others have, too. Null for what is this machine's alone.
    /// </summary>
    public ulong? Fault { get; init; }

    /// <summary>The names that invented programs get first: of programs that others have, too.</summary>
    public IReadOnlyList<string> Programs { get; init; } = [];
}

/// <summary>A vendor's driver that several machines have: the same name and version is the same file everywhere.</summary>
/// <param name="Version">Its version: four numbers with points.</param>
public sealed record SharedDriver(string FileName, string Company, string Version)
{
    /// <summary>What its size, identity and routines follow.</summary>
    internal ulong Seed => new RandomSequence(0, $"{FileName} {Version}").NextBits();
}
