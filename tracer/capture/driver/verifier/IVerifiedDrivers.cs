namespace Tracer.Capture.Driver.Verifier;

/// <summary>A driver that the running kernel has on Driver Verifier's list.</summary>
/// <param name="Name">Name of its file, without a folder.</param>
/// <param name="Level">What is checked: bits of DRIVER_VERIFIER_* (wdm.h); 0 for the automatic checks alone.</param>
/// <param name="Loads">How often it was loaded under that watch.</param>
/// <param name="Unloads">How often it was unloaded again.</param>
public readonly record struct VerifiedDriver(string Name, uint Level, uint Loads, uint Unloads);

/// <summary>
/// The drivers that this machine's kernel verifies: its own list, which the registry's fills when the machine starts. What stands in the
/// registry alone is not verified yet.
/// </summary>
public interface IVerifiedDrivers
{
    /// <summary>Lists them; null where the system does not tell.</summary>
    IReadOnlyList<VerifiedDriver>? List();
}
