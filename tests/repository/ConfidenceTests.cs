using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// How sure a culprit is called is decided on the pages of <c>mechanisms/</c>, and every degree and cap is in one file there. Everything
/// else hands on what was decided, and compares it.
/// </summary>
public partial class ConfidenceTests
{
    private const string Pages = "analyzer/analysis/mechanisms/";

    private const string Degrees = Pages + "CulpritConfidence.cs";

    private static string[] Sources { get; } = [.. ChildProcess.Output("git", "ls-files", "analyzer/*.cs", "commandline/*.cs")
        .Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(path => File.Exists(InRepository(path)))];

    [Fact]
    public void One_file_chooses_a_degree() => Assert.Equal([Degrees], Sources.Where(path => Chooses(Text(path))));

    [Fact]
    public void Only_pages_ask_for_one()
    {
        string[] asking = [.. Sources.Where(path => Asking().IsMatch(Text(path)))];
        Assert.Contains(Pages + "PageReads.cs", asking);
        Assert.All(asking, path => Assert.StartsWith(Pages, path, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("Confidence = Confidence.Likely,", true)]
    [InlineData("Confidence = isSystems ? Confidence.Possible : Confidence.Certain,", true)]
    [InlineData("named.Confidence.AtMost(Confidence.Likely)", true)]
    [InlineData("public Confidence Most => Confidence.Certain;", true)]
    [InlineData("_ => Confidence.Certain,", true)]
    [InlineData("return Confidence.Possible;", true)]
    [InlineData("Confidence = cause.Confidence,", false)]
    [InlineData("main.Confidence == Confidence.Possible", false)]
    [InlineData("suspect.Confidence != Confidence.Possible", false)]
    [InlineData("is { Kind: CulpritKind.Driver, Confidence: not Confidence.Certain }", false)]
    [InlineData("Confidence.Likely => \"most likely\",", false)]
    [InlineData("Confidence.Certain when isSystems => string.Empty,", false)]
    public void What_chooses_is_found(string line, bool isFound) => Assert.Equal(isFound, Chooses(line));

    private static bool Chooses(string text) => Choosing().IsMatch(text);

    private static string Text(string path) => File.ReadAllText(InRepository(path));

    private static string InRepository(string path) => Path.Combine(RepositoryFiles.Root, path);

    /// <summary>A degree by its name that is neither compared with nor matched.</summary>
    [GeneratedRegex(@"(?<!([=!<>]= |\bis |\bis not |\bor |: |: not ))\bConfidence\.(Certain|Likely|Possible)\b(?! (=>|when) )"
        + @"|\? [^;:]+ : Confidence\.(Certain|Likely|Possible)\b")]
    private static partial Regex Choosing();

    [GeneratedRegex(@"\bCulpritConfidence\.[A-Z]|\bConfidence\.AtMost\(")]
    private static partial Regex Asking();
}
