namespace Tracer.Contract;

/// <summary>Names for the difference between a machine's clock and UTC.</summary>
public static class UtcOffset
{
    /// <summary>A difference in minutes for people: <c>UTC+02:00</c>, <c>UTC</c>.</summary>
    public static string NameOf(int minutes) => minutes == 0
        ? "UTC"
        : FormattableString.Invariant($"UTC{(minutes < 0 ? '-' : '+')}{Math.Abs(minutes) / 60:00}:{Math.Abs(minutes) % 60:00}");
}
