using System.Text.RegularExpressions;

namespace Tracer.Analysis.Tests;

/// <summary>
/// The analysis knows frameworks by name, in one file; everybody else it meets in the trace. Who recognised a scenario by its names would
/// pass tests and fail people.
/// </summary>
public partial class NamesInAnalysisTests
{
    private const string Table = "FrameworkTable.cs";

    /// <summary>Names of setup classes, some of which are those of modules without their ending.</summary>
    private const string Classes = "SetupClass.cs";

    /// <summary>Shorter ones are words of the language, such as disk.</summary>
    private const int FewestLetters = 5;

    private static string Analysis { get; } = Path.Combine(RepositoryFiles.Root, "analyzer", "analysis");

    [Fact]
    public void No_module_or_process_is_named_outside_the_framework_table() =>
        Assert.Empty(from file in AnalysisFiles()
                     from Match name in FileName().Matches(File.ReadAllText(file))
                     select $"{Path.GetFileName(file)}: {name.Value}");

    [Fact]
    public void Modules_of_the_table_are_not_named_elsewhere_without_their_ending()
    {
        string[] stems = [.. Stems(File.ReadAllText(Directory.GetFiles(Analysis, Table, SearchOption.AllDirectories).Single()))];
        Assert.True(stems.Length > 20);
        string any = string.Join('|', stems.Where(stem => stem.Length >= FewestLetters).Select(Regex.Escape));
        var words = new Regex($@"(?<![\w-])({any})(?![\w-])", RegexOptions.IgnoreCase);
        Assert.Empty(from literal in Literals()
                     from Match name in words.Matches(literal.Text)
                     select $"{literal.File}: {name.Value} in {literal.Text}");
    }

    [Fact]
    public void Nothing_that_scenarios_are_made_of_is_named()
    {
        string[] folders =
            [Path.Combine(RepositoryFiles.Root, "tracer", "simulator"), Path.Combine(RepositoryFiles.Root, "tests", "analysis")];
        IEnumerable<string> names = folders.SelectMany(folder => Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories))
            .SelectMany(file => Stems(File.ReadAllText(file)));
        IEnumerable<string> scenarios = Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "tests", "scenarios"), "*.txt")
            .SelectMany(file => Stems(File.ReadAllText(file)).Append(Path.GetFileName(file).Split('.')[0]));
        HashSet<string> known = new(names.Concat(scenarios), StringComparer.OrdinalIgnoreCase);
        Assert.DoesNotContain(Literals(), literal => known.Contains(literal.Text.Trim('"')));
    }

    private static IEnumerable<(string File, string Text)> Literals() =>
        from file in AnalysisFiles()
        from line in File.ReadLines(file)
        where !line.TrimStart().StartsWith("//", StringComparison.Ordinal)
        from Match literal in Literal().Matches(line)
        select (Path.GetFileName(file), literal.Value);

    private static IEnumerable<string> Stems(string text) => FileName().Matches(text).Select(name => name.Groups[1].Value);

    private static IEnumerable<string> AnalysisFiles() =>
        Directory.EnumerateFiles(Analysis, "*.cs", SearchOption.AllDirectories)
            .Where(file => Path.GetFileName(file) is not (Table or Classes));

    [GeneratedRegex(@"\b([\w-]+)\.(?:sys|exe|dll)\b", RegexOptions.IgnoreCase)]
    private static partial Regex FileName();

    [GeneratedRegex("\"(?:[^\"\\\\\n]|\\\\.)*\"")]
    private static partial Regex Literal();
}
