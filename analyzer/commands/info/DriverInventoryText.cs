namespace Tracer.AnalyzerCommand.Commands.Info;

/// <summary>
/// Prints the drivers of <c>analyzer info --drivers</c> for people: what it is on one line, where it is from on the next.
/// </summary>
internal static class DriverInventoryText
{
    private const string Unknown = "-";

    public static void Write(string trace, IReadOnlyList<DriverFile> drivers, TextWriter output)
    {
        output.WriteLine(trace);
        output.WriteLine();
        if (drivers.Count == 0)
        {
            output.WriteLine("It names no driver: record LOADER.");
            return;
        }

        string of = drivers.Any(driver => driver.Version is not null)
            ? ""
            : "; versions are in a trace once it is merged on the machine (xperf -d, wpr -stop)";
        output.WriteLine($"Drivers ({drivers.Count.ToString(CultureInfo.InvariantCulture)}){of}");
        int name = drivers.Max(driver => driver.Name.Length);
        int version = Math.Max(1, drivers.Max(driver => driver.Version?.Length ?? 0));
        foreach (DriverFile driver in drivers)
        {
            string built = driver.Timestamp?.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture) ?? Unknown;
            string size = (driver.Size / 1024).ToString("N0", CultureInfo.InvariantCulture);
            output.WriteLine(
                $"  {driver.Name.PadRight(name)}  {(driver.Version ?? Unknown).PadRight(version)}  {built,-10}  {size,7} KiB  "
                + (driver.Company ?? Unknown));
            string?[] parts = [driver.Path, driver.PdbId is { } id ? $"{driver.Pdb ?? "pdb"} {id}" : null];
            if (string.Join(", ", parts.Where(part => part is not null)) is { Length: > 0 } rest)
            {
                output.WriteLine($"      {rest}");
            }
        }
    }
}
