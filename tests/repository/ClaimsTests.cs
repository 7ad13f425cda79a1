using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// Words that claim more than they show, such as "no driver" and "every CPU", have a row in docs/internals/claims.md that says what makes
/// them true, with the name of the condition, test or scenario that holds it.
/// </summary>
public partial class ClaimsTests
{
    private const string Document = "docs/internals/claims.md";

    /// <summary>How a row begins that says nothing of the data.</summary>
    private const string NoClaim = "no claim: ";

    /// <summary>Where sentences about traces, comparisons, fleets and forecasts are made; others are about the use of a command.</summary>
    private static readonly string[] Folders =
    [
        "analyzer/analysis/contents", "analyzer/analysis/latencies", "analyzer/analysis/mechanisms", "analyzer/analysis/report",
        "analyzer/analysis/verdicts", "analyzer/commands/diff", "analyzer/commands/fleet/print", "analyzer/commands/fleet/questions",
        "analyzer/commands/latency", "analyzer/common/copies", "analyzer/forecast", "commandline/report",
    ];

    [Fact]
    public void Each_claim_of_a_sentence_is_listed_with_what_makes_it_true()
    {
        List<Row> rows = [.. Rows().OrderByDescending(row => row.Words.Length)];
        HashSet<Row> used = [];
        List<string> without = [];
        int claims = 0;
        foreach ((string place, string text) in Folders.SelectMany(Texts).Where(one => Claims().IsMatch(one.Text)))
        {
            claims++;
            string rest = text;
            foreach (Row row in rows.Where(row => rest.Contains(row.Words, StringComparison.Ordinal)))
            {
                used.Add(row);
                rest = rest.Replace(row.Words, "\n", StringComparison.Ordinal);
            }

            if (Claims().IsMatch(rest))
            {
                without.Add($"{place}: {rest.Replace("\n", "...", StringComparison.Ordinal)}");
            }
        }

        Assert.True(claims > 150, $"only {claims} claims were found");
        Assert.True(without.Count == 0, $"{Document} has no row for\n{string.Join('\n', without)}");
        Assert.True(used.Count == rows.Count, $"gone from the sources:\n{string.Join('\n', rows.Except(used).Select(row => row.Words))}");
    }

    [Fact]
    public void Whatever_holds_a_claim_is_there()
    {
        HashSet<string> names = [];
        foreach (string folder in new[] { "analyzer", "commandline", "contract", "tests" })
        {
            foreach (string file in Files(folder))
            {
                names.UnionWith(Word().Matches(File.ReadAllText(file)).Select(match => match.Value));
            }
        }

        names.UnionWith(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "tests", "scenarios"), "*.txt")
            .Select(path => Path.GetFileNameWithoutExtension(path)));
        List<Row> rows = Rows();
        Assert.True(rows.Count > 100, $"only {rows.Count} rows were understood");
        Assert.Empty(rows.Where(row => row.HeldBy.Length == 0 && !row.Because.StartsWith(NoClaim, StringComparison.Ordinal))
            .Select(row => $"nothing holds: {row.Words}"));
        Assert.Empty(rows.SelectMany(row => row.HeldBy.Where(name => !names.Contains(name)).Select(name => $"{row.Words}: {name}")));
    }

    /// <summary>The texts of a folder's sources that have several words, piece by piece; what is filled in stands as {}.</summary>
    private static IEnumerable<(string Place, string Text)> Texts(string folder) => Files(folder).SelectMany(file =>
        File.ReadLines(file).Where(line => !line.TrimStart().StartsWith("//", StringComparison.Ordinal))
            .SelectMany((line, number) => Literal().Matches(line).Select(match => (
                Path.GetRelativePath(RepositoryFiles.Root, file), Hole().Replace(match.Groups[1].Value, "{}"))))
            .Where(one => one.Item2.Contains(' ', StringComparison.Ordinal)));

    private static IEnumerable<string> Files(string folder) => Directory
        .EnumerateFiles(Path.Combine(RepositoryFiles.Root, folder), "*.cs", SearchOption.AllDirectories)
        .Where(path => !path.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal));

    private static List<Row> Rows() =>
    [
        .. File.ReadLines(Path.Combine(RepositoryFiles.Root, Document)).Select(line => RowOf().Match(line)).Where(match => match.Success)
            .Select(match => new Row(
                match.Groups["words"].Value,
                match.Groups["because"].Value.Trim(),
                [.. Name().Matches(match.Groups["by"].Value).Select(name => name.Groups[1].Value)])),
    ];

    [GeneratedRegex(@"\b(every|no|nobody|nothing|none|only|innocent|all|never)\b", RegexOptions.IgnoreCase)]
    private static partial Regex Claims();

    [GeneratedRegex(@"""((?:[^""\\]|\\.)*)""")]
    private static partial Regex Literal();

    [GeneratedRegex(@"\{[^{}]*(\}|$)")]
    private static partial Regex Hole();

    [GeneratedRegex(@"\w+")]
    private static partial Regex Word();

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Name();

    [GeneratedRegex(@"^\| `(?<words>[^`]+)` \|(?<because>[^|]+)\|(?<by>[^|]*)\|$")]
    private static partial Regex RowOf();

    /// <param name="Words">The words as the sources have them.</param>
    /// <param name="Because">What makes them true.</param>
    /// <param name="HeldBy">The names of conditions, tests and scenarios.</param>
    private sealed record Row(string Words, string Because, string[] HeldBy);
}
