namespace Tracer.Simulator.Engine;

/// <summary>
/// Who answers for a piece of code: what the truth names for the time it takes. Two owners of one kind and name are one culprit.
/// </summary>
public sealed class CodeOwner
{
    /// <param name="name">File name of a driver, image name of a process, or one of <see cref="CulpritName"/>.</param>
    /// <param name="through">The frameworks it runs behind, the nearest to it first.</param>
    public CodeOwner(CulpritKind kind, string name, params IReadOnlyList<string> through)
    {
        Kind = kind;
        Name = name;
        Through = through;
    }

    /// <summary>Firmware, or a device that stalls the machine.</summary>
    public static CodeOwner Hardware { get; } = new(CulpritKind.Hardware, CulpritName.HardwareOrFirmware);

    /// <summary>Idle states, slow and parked processors.</summary>
    public static CodeOwner Power { get; } = new(CulpritKind.Power, CulpritName.PowerManagement);

    /// <summary>What runs below the system and takes its processors away.</summary>
    public static CodeOwner Hypervisor { get; } = new(CulpritKind.Hardware, CulpritName.Hypervisor);

    /// <summary>The disk that a page has to come from.</summary>
    public static CodeOwner HardPageFaults { get; } = new(CulpritKind.Kernel, CulpritName.HardPageFaults);

    public CulpritKind Kind { get; }

    /// <summary>Its name, as the truth gives it.</summary>
    public string Name { get; }

    /// <summary>The frameworks it runs behind, the nearest to it first.</summary>
    public IReadOnlyList<string> Through { get; }

    /// <summary>What its harm follows in time, where that is periodic; null where it has no beat.</summary>
    public IBeat? Beat { get; set; }
}

/// <summary>Something that happens again and again after the same time.</summary>
public interface IBeat
{
    /// <summary>The length of a beat, in nanoseconds; 0 where there is none.</summary>
    long PeriodNs { get; }

    /// <summary>When it happened, in nanoseconds, in order.</summary>
    IReadOnlyList<long> Times { get; }

    /// <summary>Whether its beats go on from another time now and then, so that no one grid holds them all.</summary>
    bool HasSlips => false;
}
