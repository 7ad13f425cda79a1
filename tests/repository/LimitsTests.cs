using System.Globalization;
using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>docs/reference/limits.md has the caps that the sources have, and no cap of the sources that a trace can hit is forgotten there.</summary>
public partial class LimitsTests
{
    /// <summary>
    /// Where what a trace makes grow is kept: a constant there that is called the budget's or the episodes' limit is a cap.
    /// </summary>
    private static readonly string[] Complete =
        ["analyzer/analysis/machine/WorkBudget.cs", "etl/decoding/DescriptionLimits.cs", "analyzer/analysis/facts/ImageTable.cs"];

    [Fact]
    public void Each_cap_of_the_document_is_the_one_of_the_source()
    {
        List<(string File, string Name, long Value)> caps = Caps();
        Assert.True(caps.Count >= 50, $"only {caps.Count} rows were understood");
        Every.Item(caps, cap => Assert.Equal((cap.File, cap.Name, cap.Value), (cap.File, cap.Name, InSource(cap.File, cap.Name))));
    }

    [Fact]
    public void Where_all_constants_are_caps_all_are_in_the_document()
    {
        HashSet<(string, string)> known = [.. Caps().Select(cap => (cap.File, cap.Name))];
        foreach (string file in Complete)
        {
            MatchCollection constants = Constant().Matches(File.ReadAllText(Path.Combine(RepositoryFiles.Root, file)));
            Assert.NotEmpty(constants);
            Every.Item(constants, constant => Assert.Contains((file, constant.Groups["name"].Value), known));
        }
    }

    /// <summary>The rules that "Evidence that the rules leave aside" names by class and member are there.</summary>
    [Fact]
    public void Each_rule_that_the_document_names_is_there()
    {
        MatchCollection rules = Rule().Matches(File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "reference", "limits.md")));
        Dictionary<string, string> sources = Directory
            .EnumerateFiles(Path.Combine(RepositoryFiles.Root, "analyzer", "analysis"), "*.cs", SearchOption.AllDirectories)
            .ToDictionary(path => Path.GetFileNameWithoutExtension(path), File.ReadAllText);
        Assert.Contains(rules, rule => sources.ContainsKey(rule.Groups["type"].Value));
        Assert.Empty(rules
            .Where(rule => sources.TryGetValue(rule.Groups["type"].Value, out string? text)
                && !Regex.IsMatch(text, $@"\b{rule.Groups["member"].Value}\b"))
            .Select(rule => rule.Value));
    }

    private static List<(string File, string Name, long Value)> Caps() =>
    [
        .. Row().Matches(File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "reference", "limits.md"))).Select(row => (
            row.Groups["file"].Value, row.Groups["name"].Value, long.Parse(row.Groups["value"].Value, CultureInfo.InvariantCulture))),
    ];

    private static long InSource(string file, string name)
    {
        Match found = Constant().Matches(File.ReadAllText(Path.Combine(RepositoryFiles.Root, file)))
            .FirstOrDefault(constant => constant.Groups["name"].Value == name) ?? Match.Empty;
        Assert.True(found.Success, $"{file} has no constant {name}");
        return Evaluated(found.Groups["value"].Value);
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

    [GeneratedRegex(@"^\| [^|]+ \| (?<value>[0-9]+)[^|]* \| `(?<file>[^`]+)` `(?<name>[^`]+)` \|", RegexOptions.Multiline)]
    private static partial Regex Row();

    [GeneratedRegex(@"const (?:int|uint|long|ulong) (?<name>\w+) = (?<value>[^;]+);")]
    private static partial Regex Constant();
}
