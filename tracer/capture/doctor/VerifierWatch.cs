using Tracer.Capture.Driver.Install;
using Tracer.Capture.Driver.Verifier;

namespace Tracer.Capture.Doctor;

/// <summary>
/// Whether the kernel verified our driver from its load to its unload. The registry proves nothing of that: its list counts from a restart
/// on, and what it says may be newer than the one before.
/// </summary>
internal sealed class VerifierWatch(IVerifiedDrivers verified)
{
    private const string NotTold = "Windows does not tell which drivers it verifies";
    private const string NotVerified =
        "Driver Verifier does not watch it: 'verifier /standard /driver TracerLatency.sys' and a restart; 'verifier /reset' undoes it";

    private string _file = "";
    private string _doubt = "";
    private uint _level;

    /// <summary>Whether the driver that is loaded is verified.</summary>
    public bool IsOn => _level != 0;

    /// <summary>Looks at a driver that is loaded.</summary>
    /// <param name="driver">Null where it is not loaded.</param>
    public void LookWhileLoaded(DriverService? driver)
    {
        if (driver?.Find() is not { } found)
        {
            return;
        }

        _file = found.Path[(found.Path.AsSpan().LastIndexOfAny('\\', '/') + 1)..];
        IReadOnlyList<VerifiedDriver>? drivers = verified.List();
        VerifiedDriver? row = Row(drivers);
        _doubt = drivers is null ? NotTold
            : row is null ? NotVerified
            : row.Value.Loads <= row.Value.Unloads ? $"it is on the kernel's list, and was loaded without being verified: {NotVerified}"
            : row.Value.Level == 0 ? "Driver Verifier watches it without an option: 'verifier /standard' has those for drivers"
            : "";
        _level = _doubt.Length == 0 ? row!.Value.Level : 0;
    }

    /// <summary>What its line says: the run counts where the driver was verified until it was gone.</summary>
    /// <param name="ran">What the run came to.</param>
    /// <param name="isUnloaded">Whether it was unloaded after it.</param>
    public (CheckOutcome Outcome, string Finding, string? Why) Judge(
        (CheckOutcome Outcome, string Finding, string? Why) ran, bool isUnloaded)
    {
        if (!IsOn)
        {
            return (CheckOutcome.Skipped, _doubt.Length == 0 ? ran.Finding : _doubt, null);
        }

        string by = string.Create(CultureInfo.InvariantCulture, $"{ran.Finding}; verified with 0x{_level:X}");
        return ran.Outcome != CheckOutcome.Ok ? ran
            : !isUnloaded ? (CheckOutcome.Skipped, $"{by}, but it was not unloaded, which is part of it", null)
            : Row(verified.List()) is not { } row ? (CheckOutcome.Skipped, $"{by}, but the kernel does not list it any more", null)
            : (CheckOutcome.Ok, string.Create(
                CultureInfo.InvariantCulture, $"{by}, {row.Loads} times loaded and {row.Unloads} times unloaded so"), null);
    }

    private VerifiedDriver? Row(IReadOnlyList<VerifiedDriver>? drivers)
    {
        foreach (VerifiedDriver one in drivers ?? [])
        {
            if (one.Name.Equals(_file, StringComparison.OrdinalIgnoreCase))
            {
                return one;
            }
        }

        return null;
    }
}
