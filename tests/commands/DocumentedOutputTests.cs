using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Commands.Tests;

/// <summary>
/// What documents show of a command is what it prints. A block stands behind <c>&lt;!-- output of: COMMAND --&gt;</c>, which runs in the
/// root of the repository; with UPDATE_GOLDEN=1 it is rewritten.
/// </summary>
[Trait("Speed", "slow")]
public sealed partial class DocumentedOutputTests
{
    public static TheoryData<string> Documents() => [.. Directory.EnumerateFiles(RepositoryFiles.Root, "*.md")
        .Concat(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "docs"), "*.md"))
        .Where(path => Block().IsMatch(File.ReadAllText(path)))
        .Select(path => Path.GetRelativePath(RepositoryFiles.Root, path).Replace('\\', '/'))];

    [Theory]
    [MemberData(nameof(Documents))]
    public void A_document_shows_what_a_command_prints(string document)
    {
        string text = File.ReadAllText(Path.Combine(RepositoryFiles.Root, document));
        string shown = Block().Replace(text, block => $"{block.Groups["head"].Value}```\n{OutputOf(block.Groups["command"].Value)}```\n");
        GoldenText.AssertEqual(document, shown);
    }

    private static string OutputOf(string command)
    {
        string[] words = command.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        (int exitCode, string output, string error) = CommandRun.Named(words[0], words[1..]);
        Assert.Equal((0, ""), (exitCode, error));
        return output;
    }

    [GeneratedRegex(@"(?<head><!-- output of: (?<command>[^>]+?) -->\n)```\n.*?```\n", RegexOptions.Singleline)]
    private static partial Regex Block();
}
