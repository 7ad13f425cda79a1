using Tracer.AnalyzerCommand.Commands.Mcp.Answers;

namespace Tracer.AnalyzerCommand.Commands.Mcp.Traces;

/// <summary>
/// The folders that a client may read in, and nothing outside of them: no "..", no link or junction that leads out, no name of another
/// machine or device, no address such as <c>file:</c>. A file is named by its path from the folder, or by its whole path.
/// </summary>
internal sealed class TraceFolders
{
    /// <summary>The most files that a listing has; the most that are looked at for it.</summary>
    private const int MostListed = 10_000;

    private const int MostSeen = 200_000;
    private const int Deepest = 8;

    private static readonly string[] Endings = [".etl", ".etl.gz", ".etl.zip", ".etl.zst", ".zip", ".gz", ".zst"];

    private static readonly StringComparison Letters =
        OperatingSystem.IsWindows() ? StringComparison.OrdinalIgnoreCase : StringComparison.Ordinal;

    private readonly string[] _roots;

    private TraceFolders(string[] roots) => _roots = roots;

    /// <summary>Takes the folders of a command line.</summary>
    /// <exception cref="IOException">One is not there, or is no folder.</exception>
    public static TraceFolders Of(IEnumerable<string> folders)
    {
        List<string> roots = [];
        foreach (string folder in folders)
        {
            if (File.Exists(folder))
            {
                throw new IOException($"mcp: {folder} is a file; name the folder that it is in");
            }

            if (!Directory.Exists(folder))
            {
                throw new DirectoryNotFoundException($"mcp: there is no folder {folder}; name one that holds traces");
            }

            string root = Path.TrimEndingDirectorySeparator(CanonicalPath.Of(folder));
            if (!roots.Contains(root))
            {
                roots.Add(root);
            }
        }

        return new TraceFolders([.. roots]);
    }

    /// <summary>The file that a client means.</summary>
    /// <exception cref="ToolProblem">It may not be read, or is not there.</exception>
    public TraceFile Find(string given)
    {
        string path = Only(given, File.Exists, "file");
        var file = new FileInfo(path);
        if (file.Length == 0)
        {
            // Pipes and devices say so, too, and would never end.
            throw new ToolProblem($"{given} is empty or not an ordinary file");
        }

        return new TraceFile(NameOf(path), path, file.Length, file.LastWriteTimeUtc.Ticks);
    }

    /// <summary>The folder that a client means.</summary>
    /// <exception cref="ToolProblem">It may not be read, or is not there.</exception>
    public string FindFolder(string given) => Only(given, Directory.Exists, "folder");

    public bool Holds(string path)
    {
        try
        {
            return IsInside(CanonicalPath.Of(path));
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return false;
        }
    }

    /// <summary>Whether a path as it is written is one of these folders or in one, wherever it leads.</summary>
    public bool IsWrittenInside(string path) => IsInside(Path.GetFullPath(path));

    /// <summary>What a file in the folders is called: its path from the folder where that tells it, else its whole path.</summary>
    public string NameOf(string path)
    {
        string root = _roots.First(root => IsIn(path, root));
        string name = Path.GetRelativePath(root, path).Replace('\\', '/');
        return _roots.Count(other => File.Exists(Path.Combine(other, name))) == 1 ? name : path;
    }

    /// <summary>The traces in the folders, by name; links are not followed.</summary>
    /// <param name="isCut">Whether there are more than these.</param>
    public IReadOnlyList<TraceFile> List(out bool isCut)
    {
        var options = new EnumerationOptions
        {
            RecurseSubdirectories = true,
            MaxRecursionDepth = Deepest,
            AttributesToSkip = FileAttributes.ReparsePoint,
            IgnoreInaccessible = true,
        };
        FileInfo[] seen = [.. _roots
            .SelectMany(root => new DirectoryInfo(root).EnumerateFiles("*", options))
            .Take(MostSeen + 1)];
        FileInfo[] traces = [.. seen.Take(MostSeen)
            .Where(file => file.Length > 0 && Endings.Any(ending => file.Name.EndsWith(ending, StringComparison.OrdinalIgnoreCase)))
            .DistinctBy(file => file.FullName)];
        isCut = seen.Length > MostSeen || traces.Length > MostListed;
        return [.. traces.Take(MostListed)
            .Select(file => new TraceFile(NameOf(file.FullName), file.FullName, file.Length, file.LastWriteTimeUtc.Ticks))
            .OrderBy(file => file.Name, StringComparer.Ordinal)];
    }

    private string Only(string given, Func<string, bool> isThere, string what)
    {
        if (ProblemWith(given) is { } problem)
        {
            throw new ToolProblem(problem);
        }

        // Whether something is there outside of the folders is nobody's business.
        if (Path.IsPathRooted(given) && !IsWrittenInside(given))
        {
            throw new ToolProblem($"{given} leads out of the folders that this server was given");
        }

        string[] paths = Path.IsPathRooted(given) ? [given] : [.. _roots.Select(root => Path.Combine(root, given))];
        string[] found = [.. paths.Where(path => isThere(path) && Holds(path)).Select(CanonicalPath.Of).Distinct()];
        return found switch
        {
            [var one] => one,
            [] when paths.Any(isThere) => throw new ToolProblem($"{given} leads out of the folders that this server was given"),
            [] => throw new ToolProblem(
                $"there is no {what} {given} in the folders that this server was given; the tool traces lists what is there"),
            _ => throw new ToolProblem($"{given} is in {Counted.Of(found.Length, "folder")}; write the whole path: "
                + string.Join(", ", found)),
        };
    }

    /// <summary>What is wrong with a path before anything is looked for; null where nothing is.</summary>
    private static string? ProblemWith(string given)
    {
        if (string.IsNullOrWhiteSpace(given) || given.Length > 4096 || given.Any(char.IsControl))
        {
            return "a path such as monday/trace.etl is expected, as the tool traces lists it";
        }

        if (given.StartsWith(@"\\", StringComparison.Ordinal) || given.StartsWith("//", StringComparison.Ordinal))
        {
            return $"{given} names another machine or a device; only the folders that this server was given are read";
        }

        if (given.Contains("://", StringComparison.Ordinal) || given.StartsWith("file:", StringComparison.OrdinalIgnoreCase))
        {
            return $"{given} is an address; write a path, as the tool traces lists it";
        }

        if (given.Split('/', '\\').Contains(".."))
        {
            return $"{given} leads out of a folder by '..'; write the path from the folder that this server was given";
        }

        // A colon behind that of the drive opens another stream of a file on Windows.
        return OperatingSystem.IsWindows() && given.LastIndexOf(':') is not (-1 or 1) ? $"{given} is not the path of a file" : null;
    }

    private bool IsInside(string canonical) => Array.Exists(_roots, root => IsIn(canonical, root));

    private static bool IsIn(string path, string root) =>
        path.Equals(root, Letters)
        || (path.StartsWith(root, Letters)
            && (Path.EndsInDirectorySeparator(root) || path[root.Length] == Path.DirectorySeparatorChar));
}
