namespace Tracer.TracerCommand.Commands.Service;

/// <summary>
/// The traces of a service in its folder. Each start of the service has its own time in the names, so that no run overwrites another's; of
/// those before only so many files are kept, the newest, so that the disk's use is bounded however often Windows starts.
/// </summary>
public static class EarlierRuns
{
    private const string Prefix = "capture-";
    private const string Stamp = "yyyyMMdd-HHmmss";

    /// <summary>The path of a run's trace. It is never named before those that are there, although clocks are set back.</summary>
    /// <param name="now">Now, UTC.</param>
    public static string PathOf(string folder, DateTime now)
    {
        if (Traces(folder) is [{ Name: var newest }, ..] && newest.Length >= Prefix.Length + Stamp.Length)
        {
            string time = newest.Substring(Prefix.Length, Stamp.Length);
            bool isTime = DateTime.TryParseExact(time, Stamp, CultureInfo.InvariantCulture, DateTimeStyles.None, out DateTime last);
            now = isTime && last >= now.AddSeconds(-1) ? last.AddSeconds(1) : now;
        }

        return Path.Combine(folder, Prefix + now.ToString(Stamp, CultureInfo.InvariantCulture) + ".etl");
    }

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
            catch (Exception open) when (open is IOException or UnauthorizedAccessException)
            {
                // Somebody reads it.
            }
        }

        return deleted;
    }
}
