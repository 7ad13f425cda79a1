using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace Tracer.Commands.Tests;

/// <summary>
/// What documents show of a command is what it prints. A block stands behind <c>&lt;!-- output of: COMMAND --&gt;</c>, which runs in the
/// root of the repository; <c>output of: COMMAND, first 20 lines</c> (or last) shows no more; <c>exit status</c> stands before that of
/// what the programs end with. With UPDATE_GOLDEN=1 all of it is rewritten.
/// </summary>
[Trait("Speed", "slow")]
public sealed partial class DocumentedOutputTests
{
    public static TheoryData<string> Documents() => [.. Directory.EnumerateFiles(RepositoryFiles.Root, "*.md")
        .Concat(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "docs"), "*.md", SearchOption.AllDirectories))
        .Where(path => Block().IsMatch(File.ReadAllText(path)) || Statuses().IsMatch(File.ReadAllText(path)))
        .Select(path => Path.GetRelativePath(RepositoryFiles.Root, path).Replace('\\', '/'))];

    [Theory]
    [MemberData(nameof(Documents))]
    public void A_document_shows_what_a_command_prints(string document)
    {
        string text = File.ReadAllText(Path.Combine(RepositoryFiles.Root, document));
        string shown = Block().Replace(text, block => $"{block.Groups["head"].Value}```\n{Shown(block)}```\n");
        shown = Statuses().Replace(shown, table => table.Groups["head"].Value + StatusTable());
        GoldenText.AssertEqual(document, shown);
    }

    private static string Shown(Match block)
    {
        string output = OutputOf(block.Groups["command"].Value);
        if (!block.Groups["lines"].Success)
        {
            return output;
        }

        string[] lines = output.Split('\n');
        int shown = int.Parse(block.Groups["lines"].Value, CultureInfo.InvariantCulture);
        Assert.True(shown < lines.Length, $"the output has only {lines.Length} lines");
        IEnumerable<string> part = block.Groups["from"].Value == "first" ? lines.Take(shown) : lines[..^1].TakeLast(shown);
        return string.Concat(part.Select(line => line + "\n"));
    }

    /// <summary>
    /// The constants of <see cref="ExitCode"/> with what their comments say, and what a process has that a signal ended
    /// (<c>OutputFileTests</c> ends some).
    /// </summary>
    private static string StatusTable()
    {
        var comments = XDocument.Load(Path.ChangeExtension(typeof(ExitCode).Assembly.Location, ".xml"));
        IEnumerable<(int Status, string Meaning)> own = typeof(ExitCode).GetFields().Select(field => (
            (int)field.GetRawConstantValue()!,
            Said(comments.Descendants("member")
                .Single(member => member.Attribute("name")!.Value == $"F:{typeof(ExitCode).FullName}.{field.Name}").Element("summary")!)));
        IEnumerable<(int Status, string Meaning)> signals =
        [
            (129, "Its console was closed."), (130, "Ctrl+C ended it; files are as they were, whatever ended it."),
            (131, "Ctrl+Break ended it."), (143, "SIGTERM ended it."),
        ];
        IEnumerable<string> rows = own.Concat(signals).Select(row => $"| {row.Status} | {row.Meaning} |\n");
        return $"| status | meaning |\n|---|---|\n{string.Concat(rows)}";
    }

    /// <summary>All that a comment says, its code in code marks.</summary>
    private static string Said(XElement summary)
    {
        IEnumerable<string> pieces = summary.Nodes().Select(node => node is XElement code ? $"`{code.Value}`" : ((XText)node).Value);
        return Blanks().Replace(string.Concat(pieces), " ").Trim();
    }

    private static string OutputOf(string command)
    {
        string[] words = command.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        (int exitCode, string output, string error) = CommandRun.Named(words[0], words[1..]);
        Assert.Equal((0, ""), (exitCode, error));
        return output;
    }

    [GeneratedRegex(
        @"(?<head><!-- output of: (?<command>[^>]+?)(?:, (?<from>first|last) (?<lines>\d+) lines)? -->\n)```\n.*?```\n",
        RegexOptions.Singleline)]
    private static partial Regex Block();

    [GeneratedRegex(@"(?<head><!-- exit status -->\n)(?:\|.*\n)*")]
    private static partial Regex Statuses();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
