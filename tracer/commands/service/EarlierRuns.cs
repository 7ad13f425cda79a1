namespace Tracer.TracerCommand.Commands.Service;

/// <summary>
/// The traces of a service in its folder. Each start of the service has its own time in the names, so that no run overwrites another's; of
/// those before only so many files are kept, the newest, so that the disk's use is bounded however often Windows starts.
/// </summary>
public static class EarlierRuns
{
    private const string Prefix = "capture-";

    /// <param name="now">Now, UTC.</param>
    public static string PathOf(string folder, DateTime now) =>
        Path.Combine(folder, Prefix + now.ToString("yyyyMMdd-HHmmss", CultureInfo.InvariantCulture) + ".etl");

    /// <summary>The traces in a folder, the newest first; nothing else that lies there.</summary>
    public static IReadOnlyList<FileInfo> Traces(string folder)
    {
        if (!Directory.Exists(folder))
        {
            return [];
        }

        IEnumerable<FileInfo> files = new DirectoryInfo(folder).EnumerateFiles(Prefix + "*.etl");
        return [.. files.OrderByDescending(static file => file.Name, StringComparer.Ordinal)];
    }

    /// <summary>Deletes all but the newest traces.</summary>
    /// <returns>How many were deleted. One that is open stays, for the next start.</returns>
    public static int Trim(string folder, int most)
    {
        int deleted = 0;
        foreach (FileInfo old in Traces(folder).Skip(most))
        {
            try
            {
                old.Delete();
                deleted++;
            }
            catch (IOException)
            {
                // Somebody reads it.
            }
        }

        return deleted;
    }
}
