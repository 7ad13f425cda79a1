using System.CommandLine;
using System.IO.Enumeration;
using Tracer.AnalyzerCommand.Common.Objects;
using Tracer.AnalyzerShared.Inputs;

namespace Tracer.AnalyzerCommand.Common;

/// <summary>
/// Which traces the user means: files, folders, and names with * and ?, which cmd.exe and PowerShell hand over as they were typed. What is
/// a file is that file, whatever letters its name has.
/// </summary>
internal static class TraceInputs
{
    private const int MostLines = 10_000_000;

    private const string TraceEnding = "ends in .etl, .etl.gz or .etl.zip";

    /// <summary>What a folder's traces are called; compressed ones have one of the last endings behind the first.</summary>
    private static readonly string[] Endings = [".etl", ".etl.gz", ".etl.zip", ".etl.xz", ".etl.zst"];

    /// <summary>The traces of a command that takes several, as the command line has them; those of a folder or pattern by name.</summary>
    /// <exception cref="IOException">A folder holds no trace, or no file has such a name.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be read.</exception>
    public static string[] Several(ParseResult parse, Argument<string[]> traces) => [.. parse.GetRequiredValue(traces).SelectMany(Of)];

    /// <summary>The trace of a command that takes one.</summary>
    /// <exception cref="IOException">A folder holds no trace, or no file has such a name.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be read.</exception>
    public static string Single(ParseResult parse, Argument<string> trace, out string? problem)
    {
        string given = parse.GetRequiredValue(trace);
        string[] all = Of(given);
        problem = all.Length > 1 ? $"{given} is {all.Length} traces, and this command takes one: {SomeNames.Of(all)}" : null;
        return all[0];
    }

    /// <summary>All traces in a folder and the folders below it, by path; what is no folder is what <see cref="Of"/> says.</summary>
    /// <param name="given">A file, a folder, or a name with * and ?.</param>
    /// <exception cref="IOException">A folder holds no trace, or no file has such a name.</exception>
    /// <exception cref="UnauthorizedAccessException">The folder may not be read.</exception>
    public static IEnumerable<string> Below(string given)
    {
        if (File.Exists(given) || !Directory.Exists(given))
        {
            return Of(given);
        }

        // Folders below that may not be read, and links that lead around in circles, are passed by.
        var below = new EnumerationOptions
        {
            RecurseSubdirectories = true,
            IgnoreInaccessible = true,
            AttributesToSkip = FileAttributes.ReparsePoint,
        };
        string[] inside = [.. Directory.EnumerateFiles(given, "*", below).Where(IsTrace).Order(StringComparer.Ordinal)];
        return inside.Length > 0 ? inside : throw new FileNotFoundException($"no file in {given}, or below it, {TraceEnding}");
    }

    private static bool IsTrace(string name) => Endings.Any(ending => name.EndsWith(ending, StringComparison.OrdinalIgnoreCase));

    /// <summary>The traces of a list: <c>@FILE</c> has one on each line, and <c>@-</c> is a list from standard input.</summary>
    /// <param name="given">The list with its sign, or whatever else; that is itself.</param>
    /// <exception cref="IOException">The list cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static IEnumerable<string> Listed(string given)
    {
        if (!given.StartsWith('@') || File.Exists(given))
        {
            return [given];
        }

        string name = given[1..] == TraceArgument.StandardInput ? "the list from standard input" : given[1..];
        using TextReader list = TraceArgument.OpenText(given[1..]);
        List<string> lines = [];
        for (int number = 1; ListLines.Next(list, name, number) is { } line; number++)
        {
            if (!string.IsNullOrWhiteSpace(line))
            {
                lines.Add(line.Trim());
            }

            if (number > MostLines)
            {
                throw new IOException($"{name} has more than {MostLines:N0} lines: split it");
            }
        }

        return lines;
    }

    /// <summary>The traces that one argument means.</summary>
    /// <param name="given">A file, a folder, or a name with * and ?.</param>
    /// <exception cref="IOException">A folder holds no trace, or no file has such a name.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be read.</exception>
    public static string[] Of(string given)
    {
        if (given is TraceArgument.StandardInput or "" || File.Exists(given) || ObjectAddress.Is(given))
        {
            return [given];
        }

        if (Directory.Exists(given))
        {
            string[] inside = Files(given, IsTrace);
            return inside.Length > 0
                ? inside
                : throw new FileNotFoundException($"the folder {given} holds no trace: no file in it {TraceEnding}");
        }

        string pattern = Path.GetFileName(given);
        if (pattern.AsSpan().IndexOfAny('*', '?') < 0)
        {
            return [given]; // Opening it tells what is wrong.
        }

        string folder = Path.GetDirectoryName(given) is { Length: > 0 } named ? named : ".";
        bool ignoresCase = OperatingSystem.IsWindows();
        string[] found = Directory.Exists(folder)
            ? Files(folder, name => FileSystemName.MatchesSimpleExpression(pattern, name, ignoresCase))
            : [];
        return found.Length > 0 ? found : throw new FileNotFoundException($"no file is called {given}");

        string[] Files(string place, Func<string, bool> isMeant) =>
        [
            .. Directory.EnumerateFiles(place)
                .Select(path => Path.GetFileName(path))
                .Where(isMeant)
                .Order(StringComparer.Ordinal)
                .Select(name => place == "." && !given.StartsWith('.') ? name : Path.Combine(place, name)),
        ];
    }
}
