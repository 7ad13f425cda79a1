using System.Text.RegularExpressions;

namespace Tracer.Mutation;

/// <summary>Reasons kept by hand: a line holds a pattern, a tab, and the reason; # begins a comment.</summary>
internal sealed class ReasonFile
{
    private readonly List<(Regex Pattern, string Reason)> _lines = [];

    /// <param name="isLiteral">A line names one mutant by its key, not many by an expression.</param>
    public ReasonFile(string path, bool isLiteral)
    {
        foreach (string line in File.ReadLines(path).Where(line => line.Length > 0 && line[0] != '#'))
        {
            string[] parts = line.Split('\t', StringSplitOptions.RemoveEmptyEntries);
            if (parts.Length != 2)
            {
                throw new InvalidDataException($"{path}: no pattern and reason with a tab between: {line}");
            }

            string pattern = isLiteral ? $"^{Regex.Escape(parts[0])}$" : parts[0];
            _lines.Add((new Regex(pattern, RegexOptions.CultureInvariant), parts[1]));
        }
    }

    /// <summary>The reason for a mutant; null where the file has none.</summary>
    public string? Of(Mutant mutant)
    {
        foreach ((Regex pattern, string reason) in _lines)
        {
            if (pattern.IsMatch(mutant.Key))
            {
                return reason;
            }
        }

        return null;
    }
}
