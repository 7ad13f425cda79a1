using System.Collections.Concurrent;

namespace Tracer.Symbols;

/// <summary>
/// Finds files below a folder whatever the case of their names: traces and images tell names in another case than stores have, and most
/// systems but Windows tell the cases apart. The exact name goes first.
/// </summary>
internal sealed class FolderNames(ISymbolFiles files)
{
    private const int MaximumSpellings = 8;

    // The names in a folder by their upper-case spelling. What is added later under its exact name is found without this.
    private readonly ConcurrentDictionary<string, ILookup<string, string>> _names = new(StringComparer.Ordinal);

    /// <summary>The paths that the parts may mean, the exact one first; only those that are there.</summary>
    public IEnumerable<string> Find(string folder, params ReadOnlySpan<string> parts)
    {
        List<string> found = [folder];
        foreach (string part in parts)
        {
            found = [.. found.SelectMany(path => Spellings(path, part)).Take(MaximumSpellings)];
        }

        return found;
    }

    private IEnumerable<string> Spellings(string folder, string name)
    {
        string exact = Path.Combine(folder, name);
        bool isThere = files.Exists(exact);
        if (isThere)
        {
            yield return exact;
        }

        if (isThere && OperatingSystem.IsWindows())
        {
            yield break;
        }

        ILookup<string, string> names = _names.GetOrAdd(folder, Names);
        foreach (string spelling in names[name.ToUpperInvariant()].Where(spelling => spelling != name))
        {
            yield return Path.Combine(folder, spelling);
        }
    }

    private ILookup<string, string> Names(string folder) => files.NamesIn(folder)
        .Order(StringComparer.Ordinal)
        .ToLookup(name => name.ToUpperInvariant());
}
