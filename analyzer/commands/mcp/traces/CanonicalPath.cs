namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>Where a path leads when every link, junction and dot in it is followed.</summary>
internal static class CanonicalPath
{
    /// <summary>More links than that are a circle.</summary>
    private const int MostLinks = 40;

    /// <summary>The path without links.</summary>
    /// <param name="path">A path; what is not there is taken as it is written.</param>
    /// <exception cref="IOException">The links go in a circle, or cannot be read.</exception>
    public static string Of(string path)
    {
        int links = 0;
        string full = Path.GetFullPath(path);
        string found = Path.GetPathRoot(full)!;
        var left = new Stack<string>(Parts(full[found.Length..]).Reverse());
        while (left.TryPop(out string? part))
        {
            if (part is "." or "")
            {
                continue;
            }

            if (part == "..")
            {
                found = Path.GetDirectoryName(found) ?? found;
                continue;
            }

            string next = Path.Combine(found, part);
            if (new FileInfo(next).LinkTarget is not { } target)
            {
                found = next;
                continue;
            }

            if (++links > MostLinks)
            {
                throw new IOException($"{path}: its links lead nowhere");
            }

            if (Path.IsPathRooted(target))
            {
                target = Path.GetFullPath(target);
                found = Path.GetPathRoot(target)!;
                target = target[found.Length..];
            }

            foreach (string one in Parts(target).Reverse())
            {
                left.Push(one);
            }
        }

        return found;
    }

    private static string[] Parts(string path) => path.Split([Path.DirectorySeparatorChar, Path.AltDirectorySeparatorChar]);
}
