using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// What people read has no more digits than they need: three, but for whole numbers and for places in a trace, which are seconds behind
/// "at", "from" or the like. Looked at is all that is stored of what the programs print, but for the forms of other programs, whose digits
/// are theirs, and for dumps, whose times are places.
/// </summary>
public sealed partial class DigitsTests
{
    private const int MostDigits = 3;

    [Fact]
    public void A_time_in_a_stored_text_has_three_significant_digits() => CheckAll(
        [.. Golden(Texts()), .. Files("scenarios").Select(static path => (path, SentencesOf(path))), .. Documents()], Time(), atLeast: 300);

    /// <summary>In tables a number has no unit behind it.</summary>
    [Fact]
    public void A_number_in_a_stored_report_has_three_significant_digits() => CheckAll(Golden(Reports()), Decimal(), atLeast: 100);

    [Theory]
    [InlineData("it took 4.404 ms", true)]
    [InlineData("it took 4.40 ms", false)]
    [InlineData("it took 5,283.0 us", true)]
    [InlineData("it took 5,283 us", false)]
    [InlineData("it took 0.012 ms", false)]
    [InlineData("it begins at 2.081937 s", false)]
    [InlineData("it took 2.081937 s", true)]
    public void Digits_are_counted(string text, bool isTooMuch) => Assert.Equal(isTooMuch, Time().Matches(text).Any(IsTooMuch));

    private static void CheckAll(IEnumerable<(string Name, string Text)> texts, Regex pattern, int atLeast)
    {
        (string Name, Match Match)[] all = [.. texts.SelectMany(one => pattern.Matches(one.Text).Select(match => (one.Name, match)))];
        Assert.Empty(all.Where(static one => IsTooMuch(one.Match)).Select(static one => $"{one.Name}: {one.Match.Value}"));
        Assert.True(all.Length >= atLeast, $"only {all.Length} numbers were seen");
    }

    private static bool IsTooMuch(Match match) => !(match.Groups["place"].Success && match.Groups["unit"].Value == "s")
        && match.Groups["number"].Value.TrimStart('0', '.', ',').Count(char.IsAsciiDigit) > MostDigits;

    private static IEnumerable<(string Name, string Text)> Golden(Regex names) =>
        Files("golden").Where(path => names.IsMatch(Path.GetFileName(path))).Select(static path => (path, File.ReadAllText(path)));

    /// <param name="folder">How the name of a folder below tests/ begins in which they are.</param>
    private static IEnumerable<string> Files(string folder) =>
        Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "tests"), "*.txt", SearchOption.AllDirectories)
            .Where(path => path.Split(Path.DirectorySeparatorChar).Any(part => part.StartsWith(folder, StringComparison.Ordinal)));

    /// <summary>The lines of a scenario that are the program's: its answer and its evidence.</summary>
    private static string SentencesOf(string scenario) => string.Join('\n', File.ReadLines(scenario).Where(static line =>
        line.StartsWith("says ", StringComparison.Ordinal) || line.StartsWith("- ", StringComparison.Ordinal)));

    /// <summary>What documents show of the commands, which another test keeps as it is.</summary>
    private static IEnumerable<(string Name, string Text)> Documents() =>
        from path in Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "docs"), "*.md", SearchOption.AllDirectories)
        from block in Block().Matches(File.ReadAllText(path))
        where !block.Groups["command"].Value.Contains("--style", StringComparison.Ordinal)
        select (path, block.Groups["text"].Value);

    [GeneratedRegex("^(?!style-|dump-)")]
    private static partial Regex Texts();

    [GeneratedRegex("^(?:blame|terminal|episodes|info|fleet)[-a-z0-9]*\\.txt$")]
    private static partial Regex Reports();

    [GeneratedRegex(
        @"(?<place>\b(?:[Aa]t|[Ff]rom|to|[Aa]fter|around)\s+-?)?(?<![\w.,])(?<number>\d[\d,]*\.\d+) (?<unit>ns|us|ms|s|min|h|%)(?!\w)")]
    private static partial Regex Time();

    [GeneratedRegex(
        @"(?<place>\b(?:[Aa]t|[Ff]rom|to|[Aa]fter|around)\s+-?)?(?<![\w.,])(?<number>\d[\d,]*\.\d+)(?: (?<unit>s)\b)?(?![\w.])")]
    private static partial Regex Decimal();

    [GeneratedRegex(@"<!-- output of: (?<command>[^>]+?) -->\n```\n(?<text>.*?)```\n", RegexOptions.Singleline)]
    private static partial Regex Block();
}
