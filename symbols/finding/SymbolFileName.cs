using System.Buffers;
using System.Diagnostics.CodeAnalysis;

namespace Tracer.Symbols;

/// <summary>
/// The names that files are looked for under. They come out of traces and images, so from strangers: only the last part of a path is
/// taken, and only if it can be nothing but the name of a plain file on every system.
/// </summary>
public static class SymbolFileName
{
    /// <summary>The longest name that is looked for, in letters.</summary>
    public const int MaximumLength = 128;

    private static readonly SearchValues<char> Allowed =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 !#$&'()+,-.=@[]^_`{}~");

    // Names that open a device on Windows, whatever follows a dot.
    private static readonly HashSet<string> Devices = new(StringComparer.OrdinalIgnoreCase)
    {
        "con", "prn", "aux", "nul", "conin$", "conout$", "clock$",
        "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
        "lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
    };

    /// <summary>Takes the file's name out of a path as traces and images have it (<c>\SystemRoot\System32\drivers\nic.sys</c>).</summary>
    /// <param name="path">The path, with slashes of either kind, or just the name.</param>
    /// <param name="name">Its last part.</param>
    /// <param name="problem">Why nothing is looked for under this name, as a sentence's end: "is ...".</param>
    /// <returns>Whether the name may be looked for.</returns>
    public static bool TryTake(string path, [NotNullWhen(true)] out string? name, [NotNullWhen(false)] out string? problem)
    {
        ArgumentNullException.ThrowIfNull(path);
        name = path[(path.AsSpan().LastIndexOfAny('/', '\\') + 1)..];
        problem = ProblemOf(name);
        name = problem is null ? name : null;
        return problem is null;
    }

    private static string? ProblemOf(string name)
    {
        if (name.Length == 0)
        {
            return "is empty";
        }

        if (name.Length > MaximumLength)
        {
            return $"is longer than {MaximumLength} characters";
        }

        if (name.AsSpan().ContainsAnyExcept(Allowed))
        {
            return "has characters that names of symbol files do not have";
        }

        if (name[0] is ' ' or '.' || name[^1] is ' ' or '.')
        {
            return "begins or ends with a dot or blank";
        }

        return Devices.Contains(name.Split('.')[0].TrimEnd()) ? "is the name of a device" : null;
    }
}
