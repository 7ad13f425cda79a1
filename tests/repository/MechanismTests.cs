using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// By which mechanism a part kept its victim is decided in one place: what happened says so (<c>CauseDetail</c>), and what that counts as
/// in the end, the pages of <c>mechanisms/</c>. Everything else asks.
/// </summary>
public partial class MechanismTests
{
    private const string Pages = "analyzer/analysis/mechanisms/";

    /// <summary>Where what can happen is listed.</summary>
    private static readonly string[] Details = ["analyzer/analysis/causes/CauseDetail.cs", "analyzer/analysis/causes/IdleExitSearch.cs"];

    [Fact]
    public void Only_pages_and_what_happened_say_a_mechanism()
    {
        string[] paths = [.. ChildProcess.Output("git", "ls-files", "analyzer/analysis/*.cs")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(path => File.Exists(InRepository(path)))];
        string[] deciding = [.. paths.Where(path => Decides(File.ReadAllText(InRepository(path))))];
        Assert.Equal(Details, deciding.Where(path => !path.StartsWith(Pages, StringComparison.Ordinal)).Order(StringComparer.Ordinal));
        string[] pages = [.. deciding.Except(Details)];
        Assert.True(pages.Length > 2, "no page decides anything");
        Assert.All(pages, path => Assert.Matches(@"class \w+ : MechanismPage\b", File.ReadAllText(InRepository(path))));
    }

    [Theory]
    [InlineData("new() { Mechanism = Mechanism.Paging };", true)]
    [InlineData("Mechanism = isIsr ? Mechanism.Isr : Mechanism.Dpc,", true)]
    [InlineData("Mechanism mechanism = isIsr ? Mechanism.Isr : Mechanism.Dpc;", true)]
    [InlineData("public override Mechanism Mechanism => Mechanism.Thread;", true)]
    [InlineData("Mechanism = share.Mechanism,", false)]
    [InlineData("cause.Mechanism == Mechanism.Isr", false)]
    [InlineData("cause is { Mechanism: Mechanism.Isr }", false)]
    public void What_decides_is_found(string line, bool isFound) => Assert.Equal(isFound, Decides(line));

    private static bool Decides(string text) => Deciding().IsMatch(text);

    private static string InRepository(string path) => Path.Combine(RepositoryFiles.Root, path);

    /// <summary>A mechanism by its name on the right of something that is set to it.</summary>
    [GeneratedRegex(@"\b[Mm]echanism (=|=>) [^;,{}]*\bMechanism\.[A-Z]|\b[Mm]echanism => [^;]*\{[^}]*\bMechanism\.[A-Z]")]
    private static partial Regex Deciding();
}
