namespace Tracer.Mutation;

/// <summary>What became of the mutants of earlier runs: whoever only adds tests need not run again what is killed.</summary>
/// <param name="path">The file.</param>
internal sealed class FateFile(string path)
{
    private readonly Dictionary<string, string> _killedBy = Read(path);

    /// <summary>Takes over that a mutant is killed.</summary>
    public bool Takes(Mutant mutant)
    {
        if (!_killedBy.TryGetValue(mutant.Key, out string? test))
        {
            return false;
        }

        mutant.Fate = MutantFate.Killed;
        mutant.KilledBy = test;
        return true;
    }

    /// <summary>Keeps what is killed now; what was run and lives is forgotten.</summary>
    public void Keep(IEnumerable<Mutant> mutants)
    {
        foreach (Mutant mutant in mutants.Where(mutant => mutant.Fate != MutantFate.NotRun))
        {
            if (mutant.Fate == MutantFate.Killed)
            {
                _killedBy[mutant.Key] = mutant.KilledBy;
            }
            else
            {
                _killedBy.Remove(mutant.Key);
            }
        }

        File.WriteAllLines(path, _killedBy.OrderBy(line => line.Key, StringComparer.Ordinal).Select(line =>
            $"{line.Key}\t{line.Value.ReplaceLineEndings(" ")}"));
    }

    private static Dictionary<string, string> Read(string path) => !File.Exists(path)
        ? []
        : File.ReadLines(path).Select(line => line.Split('\t')).Where(parts => parts.Length == 2)
            .GroupBy(parts => parts[0]).ToDictionary(parts => parts.Key, parts => parts.First()[1]);
}
