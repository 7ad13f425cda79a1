namespace Tracer.Simulator.Inventory;

/// <summary>What a scenario wants of the parts of its machine; the rest follows the seed.</summary>
public sealed record InventoryOptions
{
    /// <summary>Logical processors, 1 to 2048; a 32-bit kernel has at most 32.</summary>
    public int Cpus { get; init; } = 4;

    /// <summary>Its Windows; null lets the seed choose among those that <see cref="MustBeModern"/> allows.</summary>
    public WindowsBuild? Build { get; init; }

    /// <summary>Whether it is a guest of a hypervisor, and its kernel knows.</summary>
    public bool HasHypervisor { get; init; }

    /// <summary>Whether it sleeps by Modern Standby, with its CPUs idle, and has no sleep by firmware.</summary>
    public bool HasModernStandby { get; init; }

    /// <summary>Whether the seed may choose only Windows 10 and later (<see cref="WindowsBuild.IsModern"/>).</summary>
    public bool MustBeModern { get; init; }

    /// <summary>Which releases the seed may choose; null for all that <see cref="MustBeModern"/> allows.</summary>
    public Func<WindowsBuild, bool>? Suits { get; init; }

    /// <summary>The measured machine that it is like; null for the seed's choice.</summary>
    public MachineProfile? Profile { get; init; }

    /// <summary>
    /// Whether it has as much as a machine in use: about 170 kernel modules, 90 processes, 1,200 different images in 4,500 places, 950
    /// threads; else a few of each.
    /// </summary>
    public bool IsInUse { get; init; }

    /// <summary>Whether it runs few programs, with few images, all the same: for traces that are to be small.</summary>
    public bool HasFewPrograms { get; init; }

    /// <summary>What it has in common with other machines; null for nothing.</summary>
    public FleetMember? Member { get; init; }
}
