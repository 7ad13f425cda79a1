using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// docs/generated/caps.md lists the caps of limits.txt with the numbers that the sources have, and no cap of the sources that a trace
/// can hit is forgotten there.
/// </summary>
public partial class LimitsTests
{
    private static readonly string Root = RepositoryFiles.Root;

    /// <summary>
    /// Types that hold what a trace makes grow: a constant there that is called the budget's or the episodes' limit is a cap.
    /// </summary>
    private static readonly string[] Complete = ["WorkBudget", "DescriptionLimits", "ImageTable"];

    private static readonly string[] Products = ["analyzer", "commandline", "contract", "etl", "symbols", "tracer"];

    [Fact]
    public void The_document_has_the_caps_of_the_sources()
    {
        List<Cap> caps = Caps();
        Assert.True(caps.Count >= 50, $"only {caps.Count} rows were understood");
        GoldenText.AssertEqual("docs/generated/caps.md", Document(caps));
    }

    [Fact]
    public void Where_all_constants_are_caps_all_are_in_the_document()
    {
        HashSet<(string, string)> known = [.. Caps().Select(cap => (cap.Type, cap.Name))];
        foreach (string type in Complete)
        {
            MatchCollection constants = Constant().Matches(File.ReadAllText(Path.Combine(Root, FileOf(type))));
            Assert.NotEmpty(constants);
            Every.Item(constants, constant => Assert.Contains((type, constant.Groups["name"].Value), known));
        }
    }

    /// <summary>The rules that "Evidence that the rules leave aside" names by class and member are there.</summary>
    [Fact]
    public void Each_rule_that_the_document_names_is_there()
    {
        MatchCollection rules = Rule().Matches(File.ReadAllText(Path.Combine(Root, "docs", "reference", "limits.md")));
        Dictionary<string, string> sources = Directory
            .EnumerateFiles(Path.Combine(Root, "analyzer", "analysis"), "*.cs", SearchOption.AllDirectories)
            .ToDictionary(path => Path.GetFileNameWithoutExtension(path), File.ReadAllText);
        Assert.Contains(rules, rule => sources.ContainsKey(rule.Groups["type"].Value));
        Assert.Empty(rules
            .Where(rule => sources.TryGetValue(rule.Groups["type"].Value, out string? text)
                && !Regex.IsMatch(text, $@"\b{rule.Groups["member"].Value}\b"))
            .Select(rule => rule.Value));
    }

    private static string Document(List<Cap> caps) =>
        """
        # The caps

        Written by a test from `tests/repository/limits.txt`, with the numbers of the sources; after a change there run
        `UPDATE_GOLDEN=1 dotnet test --project tests/repository -c Release -- --filter-class '*LimitsTests'`.

        "Warning" is a line of `warnings` in the report and on the terminal, "damage" a line with file offset in `info` and a count in the
        report, "facts" the warning that so many facts (images, threads, stacks, blackouts) could not be read or kept, "coarser" that
        nothing is wrong but that beyond it the answer tells less apart. What a trace may cost in all: [limits](../reference/limits.md).

        | what | cap | where | when it is hit |
        |---|---|---|---|

        """.ReplaceLineEndings("\n") + string.Concat(caps.Select(Row));

    private static string Row(Cap cap)
    {
        string amount = cap.Amount.Replace("{}", InSource(cap), StringComparison.Ordinal);
        return $"| {cap.What} | {amount} | `{FileOf(cap.Type)}` `{cap.Name}` | {cap.Hit} |\n";
    }

    /// <summary>The rows of limits.txt: what, its amount with <c>{}</c> for the number, type and constant, what is said at it.</summary>
    private static List<Cap> Caps() =>
    [
        .. File.ReadLines(Path.Combine(Root, "tests", "repository", "limits.txt")).Select(line => line.Split(" | "))
            .Select(cells => new Cap(cells[0], cells[1], cells[2].Split('.')[0], cells[2].Split('.')[1], cells[3])),
    ];

    /// <summary>The one file of the product that has the type's name.</summary>
    private static string FileOf(string type) => Path.GetRelativePath(Root, Assert.Single(
        Products.SelectMany(folder => Directory.EnumerateFiles(Path.Combine(Root, folder), $"{type}.cs", SearchOption.AllDirectories))))
        .Replace('\\', '/');

    private static string InSource(Cap cap)
    {
        string file = FileOf(cap.Type);
        Match found = Constant().Matches(File.ReadAllText(Path.Combine(Root, file)))
            .FirstOrDefault(constant => constant.Groups["name"].Value == cap.Name) ?? Match.Empty;
        Assert.True(found.Success, $"{file} has no constant {cap.Name}");
        return Evaluated(found.Groups["value"].Value).ToString(CultureInfo.InvariantCulture);
    }

    /// <summary>Products, and one shift: what constants are written as.</summary>
    private static long Evaluated(string text)
    {
        string[] shifted = text.Replace("_", "", StringComparison.Ordinal).Replace("L", "", StringComparison.Ordinal)
            .Replace("ushort.MaxValue", "65535", StringComparison.Ordinal).Split("<<");
        long value = shifted[0].Split('*')
                .Aggregate(1L, (product, factor) => product * long.Parse(factor.Trim(), CultureInfo.InvariantCulture));
        return shifted.Length == 1 ? value : value << int.Parse(shifted[1].Trim(), CultureInfo.InvariantCulture);
    }

    [GeneratedRegex(@"`(?<type>[A-Z]\w+)\.(?<member>[A-Z]\w+)`")]
    private static partial Regex Rule();

    [GeneratedRegex(@"const (?:int|uint|long|ulong) (?<name>\w+) = (?<value>[^;]+);")]
    private static partial Regex Constant();

    private sealed record Cap(string What, string Amount, string Type, string Name, string Hit);
}
