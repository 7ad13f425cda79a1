using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>Rules of the repository that no compiler checks.</summary>
public partial class TidyTests
{
    private const int MaximumColumns = 140;
    private const int MaximumLines = 600;

    private static readonly string[] CodeEndings = [".cs", ".c", ".h", ".asm", ".sh"];

    [Fact]
    public void Lines_of_code_fit_and_end_without_blanks() => AssertNone(
        from line in CodeLines()
        where ColumnsOf(line.Text) > MaximumColumns || line.Text.EndsWith(' ') || line.Text.EndsWith('\t')
        select line.Place);

    [Fact]
    public void Files_do_one_step() => AssertNone(
        from path in CodeFiles()
        let lines = File.ReadLines(InRepository(path)).Count()
        where lines > MaximumLines
        select $"{path}: {lines} lines");

    [Fact]
    public void Nothing_is_left_for_later() => AssertNone(
        from line in CodeLines()
        where LeftForLater().IsMatch(line.Text)
        select line.Place);

    [Fact]
    public void Names_say_what_a_file_does() => AssertNone(from path in Files() where VagueName().IsMatch(path) select path);

    /// <summary>A path that starts at the root of a developer's machine works on no other.</summary>
    [Fact]
    public void No_path_of_one_machine_is_in_the_code() => AssertNone(
        from line in CodeLines()
        where MachinePath().IsMatch(line.Text)
        select line.Place);

    [Fact]
    public void Links_between_documents_lead_somewhere() => AssertNone(
        from path in Files()
        where path.EndsWith(".md", StringComparison.Ordinal)
        from Match link in MarkdownLink().Matches(File.ReadAllText(InRepository(path)))
        let target = link.Groups[1].Value.Split('#')[0]
        where target.Length > 0 && !target.Contains("://", StringComparison.Ordinal)
        where !Path.Exists(Path.Combine(Path.GetDirectoryName(InRepository(path))!, target))
        select $"{path}: {target}");

    /// <summary>Files that the README and documents name in code marks are there, so that a move does not leave them behind.</summary>
    [Fact]
    public void Files_that_documents_name_are_there() => AssertNone(
        from path in Files()
        where path.EndsWith(".md", StringComparison.Ordinal) && path != "CHANGELOG.md"
        from Match mark in NamedFile().Matches(File.ReadAllText(InRepository(path)))
        where !Path.Exists(InRepository(mark.Groups[1].Value))
        select $"{path}: {mark.Groups[1].Value}");

    private static void AssertNone(IEnumerable<string> offences)
    {
        string[] all = [.. offences];
        Assert.True(all.Length == 0, string.Join('\n', all));
    }

    private static int ColumnsOf(string line) => line.Length + (7 * line.Count(letter => letter == '\t'));

    private static IEnumerable<string> CodeFiles() =>
        Files().Where(path => Array.Exists(CodeEndings, ending => path.EndsWith(ending, StringComparison.Ordinal)));

    private static IEnumerable<(string Place, string Text)> CodeLines() =>
        from path in CodeFiles()
        from line in File.ReadLines(InRepository(path)).Select((text, index) => (Place: $"{path}:{index + 1}: {text}", Text: text))
        select line;

    private static string InRepository(string path) => Path.Combine(RepositoryFiles.Root, path);

    /// <summary>The files of the checkout: what git tracks, and what it would track if it were added.</summary>
    private static string[] Files()
    {
        string listed = ChildProcess.Output("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate");
        string[] paths = listed.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.NotEmpty(paths);
        return [.. paths.Where(path => File.Exists(InRepository(path)))];
    }

    // The brackets keep this file from finding itself.
    [GeneratedRegex(@"\b(TO[D]O|FIX[M]E|HA[C]K|X[X]X)\b|NotImplemented[E]xception|Assert\.True[(]true[)]|Skip[ ]*=[ ]*""")]
    private static partial Regex LeftForLater();

    [GeneratedRegex(@"(^|/)[A-Za-z]*(Utils?|Helpers?|Managers?|Misc|Common)\.(cs|c|h)$", RegexOptions.IgnoreCase)]
    private static partial Regex VagueName();

    [GeneratedRegex(@"(?<![\w./])/(work|root|home|opt/nuget)/")]
    private static partial Regex MachinePath();

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex MarkdownLink();

    [GeneratedRegex(@"`([\w.-]+(?:/[\w.-]+)*/[\w-]+\.(?:cs|c|h|md|sh|txt|json|csproj|etl))`")]
    private static partial Regex NamedFile();
}
