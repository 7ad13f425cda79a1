using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// What people read has no more digits than they need: three, but for whole numbers and for places in a trace, which are seconds behind
/// "at", "from" or the like. Looked at is all that is stored of what the programs print.
/// </summary>
public sealed partial class DigitsTests
{
    private const int MostDigits = 3;

    [Fact]
    public void A_time_in_a_stored_text_has_three_significant_digits()
    {
        string[] texts =
        [
            .. Files("golden", "*.txt").Where(path => !IsOfOthers(path)), .. Files("scenarios", "*.txt"),
            .. Blocks(Path.Combine(RepositoryFiles.Root, "docs")),
        ];
        CheckAll(texts, Time(), atLeast: 300);
    }

    /// <summary>In tables a number has no unit behind it.</summary>
    [Fact]
    public void A_number_in_a_stored_report_has_three_significant_digits() => CheckAll(
        [.. Files("golden", "*.txt").Where(path => Reports().IsMatch(Path.GetFileName(path)))], Decimal(), atLeast: 100);

    private static void CheckAll(IReadOnlyList<string> texts, Regex pattern, int atLeast)
    {
        int seen = 0;
        List<string> faults = [];
        foreach (string path in texts)
        {
            foreach (Match match in pattern.Matches(File.ReadAllText(path)))
            {
                seen++;
                string number = match.Groups["number"].Value;
                bool isPlace = match.Groups["place"].Success && match.Groups["unit"].Value == "s";
                if (!isPlace && number.TrimStart('0', '.', ',').Count(char.IsAsciiDigit) > MostDigits)
                {
                    faults.Add($"{Path.GetRelativePath(RepositoryFiles.Root, path)}: {match.Value}");
                }
            }
        }

        Assert.Empty(faults);
        Assert.True(seen >= atLeast, $"only {seen} numbers were seen");
    }

    /// <param name="folder">How the name of a folder begins in which they are.</param>
    private static IEnumerable<string> Files(string folder, string pattern) =>
        Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "tests"), pattern, SearchOption.AllDirectories)
            .Where(path => path.Split(Path.DirectorySeparatorChar).Any(part => part.StartsWith(folder, StringComparison.Ordinal)));

    /// <summary>Reports in the form of other programs, whose digits these are, and dumps, whose times are places.</summary>
    private static bool IsOfOthers(string path) => Path.GetFileName(path) is var name
        && (name.StartsWith("style-", StringComparison.Ordinal) || name.StartsWith("dump-", StringComparison.Ordinal));

    /// <summary>Documents that show what a command prints, which another test keeps as it is.</summary>
    private static IEnumerable<string> Blocks(string folder) => Directory.EnumerateFiles(folder, "*.md", SearchOption.AllDirectories)
        .Where(path => File.ReadAllText(path).Contains("<!-- output of: ", StringComparison.Ordinal));

    [GeneratedRegex(@"(?<place>\b(?:[Aa]t|[Ff]rom|to|[Aa]fter|around)\s+-?)?(?<![\w.,])(?<number>\d[\d,]*\.\d+) (?<unit>ns|us|ms|s|min|h|%)(?!\w)")]
    private static partial Regex Time();

    [GeneratedRegex(@"(?<place>\b(?:[Aa]t|[Ff]rom|to|[Aa]fter|around)\s+-?)?(?<![\w.,])(?<number>\d[\d,]*\.\d+)(?: (?<unit>s)\b)?(?![\w.])")]
    private static partial Regex Decimal();

    [GeneratedRegex("^(blame|terminal|episodes|info|fleet)[-a-z0-9]*\\.txt$")]
    private static partial Regex Reports();
}
