using Tracer.Analysis.Modules;
using Tracer.Symbols;

namespace Tracer.AnalyzerShared.Viewer;

/// <summary>What a user should know of the files that names were looked for in.</summary>
internal static class SymbolProblems
{
    /// <summary>What went wrong; that a place just does not have a file is no news.</summary>
    private static readonly SymbolMiss[] WorthTelling =
        [SymbolMiss.WrongId, SymbolMiss.Damaged, SymbolMiss.Compressed, SymbolMiss.Pointer, SymbolMiss.Unreadable, SymbolMiss.Server];

    /// <summary>A sentence for each file that was there and could not be used, once for each.</summary>
    public static IEnumerable<string> Of(ImageSymbols names)
    {
        HashSet<string> told = new(StringComparer.Ordinal);
        foreach (ImageFiles files in names.Asked.Where(files => files.Names.Pdb is null))
        {
            foreach (SymbolAttempt attempt in Attempts(files))
            {
                if (WorthTelling.Contains(attempt.Miss) && told.Add(attempt.ToString()))
                {
                    yield return attempt.ToString();
                }
            }

            if (files.Problem is { } problem && told.Add(problem))
            {
                yield return $"{files.PdbAnswer?.Path}: {problem}";
            }
        }
    }

    /// <summary>The places that were looked at in vain.</summary>
    public static IEnumerable<SymbolAttempt> Attempts(ImageFiles files) =>
        (files.PdbAnswer?.Attempts ?? []).Concat(files.Names.Image is null ? files.ImageAnswer?.Attempts ?? [] : []);
}
