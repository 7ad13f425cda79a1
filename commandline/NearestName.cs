namespace Tracer.CommandLine;

/// <summary>Finds the name that a misspelt one was probably meant to be.</summary>
public static class NearestName
{
    /// <summary>The candidate that takes the fewest slips to become <paramref name="written"/>; the first of equals.</summary>
    /// <returns>Null when there are no candidates.</returns>
    public static string? Of(string written, IEnumerable<string> candidates)
    {
        ArgumentNullException.ThrowIfNull(written);
        return candidates.MinBy(candidate => IsAbbreviation(written, candidate) ? 0 : Slips(written, candidate));
    }

    private static bool IsAbbreviation(string written, string candidate) =>
        written.Length >= 4 && candidate.StartsWith(written, StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// Optimal string alignment distance, ignoring case: the fewest letters put in, left out, replaced, or swapped with their neighbour.
    /// </summary>
    private static int Slips(string from, string to)
    {
        int[,] slips = new int[from.Length + 1, to.Length + 1];
        for (int i = 0; i <= from.Length; i++)
        {
            for (int j = 0; j <= to.Length; j++)
            {
                if (i == 0 || j == 0)
                {
                    slips[i, j] = i + j;
                    continue;
                }

                int replaced = slips[i - 1, j - 1] + (Same(i, j) ? 0 : 1);
                slips[i, j] = Math.Min(replaced, 1 + Math.Min(slips[i - 1, j], slips[i, j - 1]));
                if (i > 1 && j > 1 && Same(i, j - 1) && Same(i - 1, j))
                {
                    slips[i, j] = Math.Min(slips[i, j], slips[i - 2, j - 2] + 1);
                }
            }
        }

        return slips[from.Length, to.Length];

        bool Same(int i, int j) => char.ToUpperInvariant(from[i - 1]) == char.ToUpperInvariant(to[j - 1]);
    }
}
