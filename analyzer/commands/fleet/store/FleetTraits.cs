namespace Tracer.AnalyzerCommand.Commands.Fleet.Store;

/// <summary>What tells machines apart, as a store names it.</summary>
internal static class FleetTraits
{
    /// <summary>The value of a driver whose version the trace does not tell.</summary>
    public const string NoVersion = "(no version)";

    private const string DriverBegin = "driver ";
    private const string DeviceBegin = "device ";

    /// <summary>The trait of a driver; its value is the version.</summary>
    public static string Driver(string name) => DriverBegin + name.ToLowerInvariant();

    /// <summary>The trait of what a driver drives; its value is the device. No machine is told apart by it: its driver does that.</summary>
    public static string Device(string driver) => DeviceBegin + driver.ToLowerInvariant();

    public static bool IsDevice(string trait) => trait.StartsWith(DeviceBegin, StringComparison.Ordinal);

    /// <summary>The driver of a trait; null where it is none.</summary>
    public static string? DriverOf(string trait) => trait.StartsWith(DriverBegin, StringComparison.Ordinal)
        ? trait[DriverBegin.Length..]
        : null;
}
