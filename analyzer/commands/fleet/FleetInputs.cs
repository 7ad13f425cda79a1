using Tracer.AnalyzerCommand.Common;
using Tracer.AnalyzerCommand.Common.Cases;

namespace Tracer.AnalyzerCommand.Commands.Fleet;

/// <summary>Files of cases, and the lists beside them that say where their traces are.</summary>
internal static class FleetInputs
{
    private const string Ending = ".jsonl";

    private const int LongestPath = 1 << 20;

    /// <summary>The files that an argument means: a file, a folder of .jsonl files, a name with * and ?, a list, standard input.</summary>
    /// <exception cref="IOException">No file is called so.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be read.</exception>
    public static IEnumerable<string> Of(string given) => TraceInputs.Listed(given).SelectMany(one =>
    {
        if (File.Exists(one) || !Directory.Exists(one))
        {
            return TraceInputs.Of(one);
        }

        string[] inside = [.. Directory.EnumerateFiles(one, "*" + Ending).Order(StringComparer.Ordinal)];
        return inside.Length > 0 ? inside : throw new FileNotFoundException($"no file in {one} ends in {Ending}");
    });

    /// <exception cref="IOException">It is not there, or cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static Stream Open(string path) => path == TraceArgument.StandardInput || File.Exists(path)
        ? TraceArgument.OpenBytes(path)
        : throw new FileNotFoundException($"there is no file {path}");

    /// <summary>Where the traces of some cases are, as far as the lists beside the files tell.</summary>
    /// <exception cref="IOException">A list cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">A list may not be read.</exception>
    public static Dictionary<string, string> Places(IEnumerable<string> files, IReadOnlySet<string> ids)
    {
        Dictionary<string, string> places = [];
        foreach (string list in files.Select(file => file + CaseFile.PathsEnding).Where(File.Exists))
        {
            using FileStream content = File.OpenRead(list);
            CaseLines.Read(content, LongestPath, line =>
            {
                if (CaseFile.ReadPath(line) is ({ } id, { } input) && ids.Contains(id))
                {
                    places.TryAdd(id, input.Path);
                }
            });
        }

        return places;
    }
}
