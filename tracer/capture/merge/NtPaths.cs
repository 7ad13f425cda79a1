namespace Tracer.Capture.Merge;

/// <summary>From the NT paths of image records to paths that can be opened.</summary>
/// <param name="windowsFolder">The Windows folder, such as <c>C:\Windows</c>.</param>
public sealed class NtPaths(string windowsFolder, IReadOnlyList<VolumeName> volumes)
{
    private const string SystemRoot = @"\SystemRoot\";
    private const string DosDevices = @"\??\";

    /// <returns>Null for a name of no known kind, one with a step upward, or one that is no file of a local drive.</returns>
    public string? PathOf(string traceName)
    {
        ArgumentNullException.ThrowIfNull(traceName);
        if (traceName.Contains(@"\..\", StringComparison.Ordinal) || traceName.AsSpan().ContainsAny('\0', '/', '"'))
        {
            return null;
        }

        if (traceName.StartsWith(SystemRoot, StringComparison.OrdinalIgnoreCase))
        {
            return Joined(windowsFolder, traceName[SystemRoot.Length..]);
        }

        if (traceName.StartsWith(DosDevices, StringComparison.Ordinal) || IsOfDrive(traceName))
        {
            string path = IsOfDrive(traceName) ? traceName : traceName[DosDevices.Length..];
            return IsOfDrive(path) ? path : null;
        }

        foreach (VolumeName volume in volumes)
        {
            if (traceName.StartsWith(volume.NtPath, StringComparison.OrdinalIgnoreCase))
            {
                return Joined(volume.DosPath, traceName[volume.NtPath.Length..]);
            }
        }

        // Without a volume: the system's, such as \Windows\System32\ntdll.dll.
        return traceName is ['\\', not ('\\' or '?'), ..] && !traceName.StartsWith(@"\Device\", StringComparison.OrdinalIgnoreCase)
            && windowsFolder is [_, ':', ..]
            ? windowsFolder[..2] + traceName
            : null;
    }

    private static bool IsOfDrive(string path) => path is [>= 'A' and <= 'Z' or >= 'a' and <= 'z', ':', '\\', ..];

    private static string Joined(string folder, string rest) => folder.TrimEnd('\\') + "\\" + rest;
}
