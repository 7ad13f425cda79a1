using Tracer.AnalyzerShared.Inputs;
using Tracer.Symbols;

namespace Tracer.AnalyzerShared.Viewer;

/// <summary>
/// The files with names of functions that the user gave to the page, as if they lay beside the trace in a folder without a name. They are
/// held in memory, so together they have a limit.
/// </summary>
/// <param name="mostBytes">How many bytes may be in memory.</param>
internal sealed class DroppedSymbols(IReadOnlyList<DroppedFile> files, long mostBytes = DroppedSymbols.MostBytes) : ISymbolFiles
{
    /// <summary>What the PDBs and images of a page may take in memory, in bytes.</summary>
    public const long MostBytes = 384L << 20;

    private readonly Dictionary<string, SymbolBytes> _read = new(StringComparer.Ordinal);
    private long _left = mostBytes;

    public bool Exists(string path) => Find(path) is not null;

    public IEnumerable<string> NamesIn(string folder) => folder.Length == 0 ? files.Select(file => file.Name) : [];

    public SymbolBytes? Open(string path, out string? problem)
    {
        problem = null;
        if (_read.TryGetValue(path, out SymbolBytes? bytes) || Find(path) is not { } file)
        {
            return bytes;
        }

        try
        {
            using Stream stream = file.Open();
            if (stream.Length > _left)
            {
                problem = "is not read: the PDBs and images of a page together are too large for it";
                return null;
            }

            byte[] whole = new byte[stream.Length];
            stream.ReadExactly(whole);
            _left -= whole.Length;
            bytes = SymbolBytes.Of(whole);
            _read.Add(path, bytes);
            return bytes;
        }
        catch (IOException failure)
        {
            problem = $"can't be read: {failure.Message}";
            return null;
        }
    }

    public ISymbolFileDraft? Begin(string store, out string? problem)
    {
        problem = "can't be written: a page keeps no files";
        return null;
    }

    /// <summary>Sentences about those that no image of a trace took its names from.</summary>
    public IEnumerable<string> Unused(IReadOnlyCollection<Analysis.Modules.ImageFiles> asked)
    {
        HashSet<string> used = [.. asked.SelectMany(one => new[] { one.PdbAnswer, one.ImageAnswer })
            .SelectMany(answer => (answer?.Attempts.Select(attempt => attempt.Place) ?? []).Append(answer?.Path))
            .OfType<string>()];
        string[] left = [.. files.Select(file => file.Name).Where(name => !used.Contains(name))];
        if (left.Length > 0)
        {
            yield return $"{SomeNames.Of(left)}: {(left.Length == 1 ? "it was" : "they were")} not used; no image of this trace whose code "
                + "was seen late has a PDB of such a name";
        }
    }

    private DroppedFile? Find(string path) => files.FirstOrDefault(file => file.Name == path);
}
