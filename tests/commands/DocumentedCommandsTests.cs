using System.CommandLine;
using System.Text;
using System.Text.RegularExpressions;
using Tracer.AnalyzerCommand;
using Tracer.CommandLine;
using Tracer.TracerCommand;

namespace Tracer.Commands.Tests;

/// <summary>
/// Every command line in the documents goes through the real commands: it parses, and its values are what they take. Nothing runs, but for
/// the commands that need Windows: these look at their values first, and then say so.
/// </summary>
public sealed partial class DocumentedCommandsTests
{
    private static readonly string[] NeedWindows = ["capture", "driver", "monitor", "probe", "service", "snap"];

    public static TheoryData<string> Documents() => [.. Files().Where(path => LinesOf(path).Count > 0).Select(Relative)];

    [Theory]
    [MemberData(nameof(Documents))]
    public void Each_command_line_is_right(string document)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Commands that need Windows would run.");
        var wrong = new StringBuilder();
        foreach (string line in LinesOf(Path.Combine(RepositoryFiles.Root, document)))
        {
            if (Problem(line) is { } problem)
            {
                wrong.Append(line).Append("\n    ").Append(problem.Replace("\n", "\n    ", StringComparison.Ordinal)).Append('\n');
            }
        }

        Assert.True(wrong.Length == 0, wrong.ToString());
    }

    [Fact]
    public void The_documents_have_many() => Assert.InRange(Files().Sum(path => LinesOf(path).Count), 60, int.MaxValue);

    [Theory]
    [InlineData("tracer capture --threshold 2ms")]
    [InlineData("tracer driver start --threshold 2ms --record wakeups.bin --duration 1min")]
    [InlineData("analyzer blame trace.etl --threshold 1ms")]
    public void A_right_line_passes(string line) => Assert.Null(Problem(line));

    [Theory]
    [InlineData("tracer capture --threshold 2", "has no unit")]
    [InlineData("tracer capture --threshold 2min", "is not between")]
    [InlineData("tracer capture --no-driver --trigger driver", "contradict each other")]
    [InlineData("tracer capture --trigger job", "name a process as well")]
    [InlineData("tracer capture --process audiodg.exe --deadline 3ms", "give --trigger job as well")]
    [InlineData("tracer driver start --duration 1min", "needs --record")]
    [InlineData("tracer service install --threshold 2min", "is not between")]
    [InlineData("analyzer blame trace.etl --treshold 1ms", "unknown option")]
    [InlineData("tracer simulate no-such-machine", "unknown scenario")]
    public void A_wrong_line_is_found(string line, string words) => Assert.Contains(words, Problem(line)!, StringComparison.Ordinal);

    private static IEnumerable<string> Files() => Directory.EnumerateFiles(RepositoryFiles.Root, "*.md")
        .Where(path => Path.GetFileName(path) != "CHANGELOG.md")
        .Concat(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "docs"), "*.md", SearchOption.AllDirectories))
        .Concat(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "samples"), "*.md", SearchOption.AllDirectories))
        .Concat(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "kdriver"), "*.md", SearchOption.AllDirectories))
        .Concat(Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, "bench"), "*.md"));

    private static string Relative(string path) => Path.GetRelativePath(RepositoryFiles.Root, path).Replace('\\', '/');

    /// <summary>
    /// Lines of code blocks that begin with a command, and pieces of text in code that give one with options. A piece that stands for many
    /// lines (<c>[--lab]</c>, <c>install|start</c>) is none; nor is one that only leaves out a trace or a value.
    /// </summary>
    private static List<string> LinesOf(string path)
    {
        string text = File.ReadAllText(path).Replace("^\n", " ", StringComparison.Ordinal).Replace("\\\n", " ", StringComparison.Ordinal);
        IEnumerable<string> blocks = BlockLine().Matches(text).Select(match => match.Groups["line"].Value);
        IEnumerable<string> pieces = Piece().Matches(text).Select(match => match.Groups["line"].Value).Where(line => line.Contains(" -"));
        return [.. blocks.Concat(pieces.Where(piece => !IsShort(piece))).Select(Bare)
            .Where(line => line.Contains(' ') && !Stands().IsMatch(line)).Distinct()];
    }

    /// <summary>Whether all that is wrong with a piece is that it leaves out a trace or a value.</summary>
    private static bool IsShort(string piece) => Problem(piece) is { } problem
        && problem.Split('\n').All(line => line.Contains("Required argument", StringComparison.Ordinal) || line.StartsWith("See '"));

    /// <summary>Without a comment behind it, and without what the shell does with its output.</summary>
    private static string Bare(string line) => Behind().Replace(line, "").Trim();

    /// <summary>What the command says is wrong with a line; null where it takes it.</summary>
    private static string? Problem(string line)
    {
        string[] words = [.. Word().Matches(line).Select(word => word.Value.Replace("\"", "", StringComparison.Ordinal))];
        RootCommand root = words[0] == "tracer" ? TracerCommands.Create() : AnalyzerCommands.Create();
        foreach (Command command in root.Subcommands)
        {
            if (words[0] != "tracer" || !NeedWindows.Contains(command.Name))
            {
                Quiet(command);
            }
        }

        using var output = new StringWriter();
        using var error = new StringWriter();
        int exitCode = CommandProgram.Run(root, words[0], words[1..], output, error);
        return exitCode == ExitCode.WrongUsage ? error.ToString().Trim() : null;
    }

    private static void Quiet(Command command)
    {
        command.SetAction(static _ => ExitCode.Done);
        foreach (Command below in command.Subcommands)
        {
            Quiet(below);
        }
    }

    [GeneratedRegex(@"^(?: {4}|> |\$ |C:\\>)?(?<line>(?:tracer|analyzer) (?:--)?[a-z].*)$", RegexOptions.Multiline)]
    private static partial Regex BlockLine();

    [GeneratedRegex(@"`(?<line>(?:tracer|analyzer) [^`\n]+)`")]
    private static partial Regex Piece();

    [GeneratedRegex(@"[\[<|]|\.\.\.|…|, | and | is | are | reads | says | needs |\bNAME\b|--from --to")]
    private static partial Regex Stands();

    [GeneratedRegex(@"\s+(?:#|>|2>|\||&&).*$")]
    private static partial Regex Behind();

    [GeneratedRegex(@"(?:[^\s""]|""[^""]*"")+")]
    private static partial Regex Word();
}
