namespace Tracer.Mutation;

/// <summary>What became of the mutants of earlier runs: whoever only adds tests need not run again what is killed.</summary>
internal sealed class FateFile
{
    private readonly string _path;
    private readonly Dictionary<string, (MutantFate Fate, string KilledBy)> _fates = [];

    /// <summary>Reads the file, if there is one.</summary>
    public FateFile(string path)
    {
        _path = path;
        foreach (string line in File.Exists(path) ? File.ReadLines(path) : [])
        {
            if (line.Split('\t') is [var key, var word, var test] && Enum.TryParse(word, out MutantFate fate))
            {
                _fates[key] = (fate, test);
            }
        }
    }

    /// <summary>Takes over what became of a mutant.</summary>
    /// <returns>Whether it was killed.</returns>
    public bool Takes(Mutant mutant)
    {
        (mutant.Fate, mutant.KilledBy) = _fates.GetValueOrDefault(mutant.Key, (MutantFate.NotRun, ""));
        return mutant.Fate == MutantFate.Killed;
    }

    /// <summary>Keeps what is known now.</summary>
    public void Keep(IEnumerable<Mutant> mutants)
    {
        foreach (Mutant mutant in mutants.Where(mutant => mutant.Fate != MutantFate.NotRun))
        {
            _fates[mutant.Key] = (mutant.Fate, mutant.KilledBy.ReplaceLineEndings(" "));
        }

        File.WriteAllLines(_path, _fates.OrderBy(line => line.Key, StringComparer.Ordinal).Select(line =>
            $"{line.Key}\t{line.Value.Fate}\t{line.Value.KilledBy}"));
    }
}
