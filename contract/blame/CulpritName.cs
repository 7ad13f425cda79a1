namespace Tracer.Contract;

/// <summary>The names of culprits that are neither a file nor a process; spelt exactly so in every report.</summary>
public static class CulpritName
{
    /// <summary>The machine below the operating system: firmware (SMI, ACPI methods) or a device that stalls it.</summary>
    public const string HardwareOrFirmware = "hardware/firmware";

    /// <summary>Idle states, frequency changes, core parking.</summary>
    public const string PowerManagement = "power management";

    /// <summary>Page faults that had to wait for the disk.</summary>
    public const string HardPageFaults = "hard page faults";

    /// <summary>The recording: what taking the profile samples costs.</summary>
    public const string Recording = "the recording itself";

    /// <summary>The interrupt of the system's clock, on systems that log an ISR record for it.</summary>
    public const string Clock = "the system's clock";

    /// <summary>Whether a name is the profile's or the clock's interrupt: every machine has them, and nobody answers for them.</summary>
    /// <param name="name">A culprit's name; null for none.</param>
    public static bool IsPeriodicInterrupt(string? name) =>
        string.Equals(name, Recording, StringComparison.OrdinalIgnoreCase)
        || string.Equals(name, Clock, StringComparison.OrdinalIgnoreCase);

    /// <summary>The hypervisor that took the virtual processor away.</summary>
    public const string Hypervisor = "hypervisor";
}
