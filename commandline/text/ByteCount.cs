namespace Tracer.CommandLine;

/// <summary>Sizes of files, rings and disks for people.</summary>
public static class ByteCount
{
    private static readonly string[] Units = ["bytes", "kB", "MB", "GB", "TB"];

    /// <summary>Writes one with three digits: <c>18.2 MB</c>, <c>950 kB</c>. Units are powers of 1000.</summary>
    public static string Of(long bytes)
    {
        const int Step = 1000;
        double value = bytes;
        int unit = 0;
        // What would be written with four digits goes to the next unit.
        while (Math.Abs(value) >= Step - 0.5 && unit < Units.Length - 1)
        {
            value /= Step;
            unit++;
        }

        string format = unit == 0 || Math.Abs(value) >= 99.95 ? "#,0" : Math.Abs(value) >= 9.995 ? "0.0" : "0.00";
        return $"{value.ToString(format, CultureInfo.InvariantCulture)} {Units[unit]}";
    }
}
