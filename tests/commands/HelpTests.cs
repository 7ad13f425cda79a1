using System.CommandLine;
using Tracer.AnalyzerCommand;
using Tracer.CommandLine;
using Tracer.TracerCommand;

namespace Tracer.Commands.Tests;

/// <summary>
/// The help of every command against stored text: a new command without one fails, so does a stored one without a command.
/// </summary>
public class HelpTests
{
    private const string Stored = "tests/commands/golden";

    public static TheoryData<string> CommandPaths() =>
        [.. PathsBelow("analyzer", AnalyzerCommands.Create()), .. PathsBelow("tracer", TracerCommands.Create())];

    [Theory]
    [MemberData(nameof(CommandPaths))]
    public void Help_is_as_stored(string path)
    {
        string[] words = path.Split(' ');
        (int exitCode, string output, string error) = CommandRun.Named(words[0], [.. words[1..], "--help"]);
        Assert.Equal((0, ""), (exitCode, error));
        Every.Item(output.Split('\n'), line => Assert.InRange(line.Length, 0, 100));
        GoldenText.AssertEqual($"{Stored}/{path.Replace(' ', '-')}.help.txt", output);
    }

    [Fact]
    public void No_stored_help_is_left_over()
    {
        IEnumerable<string> stored = Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, Stored));
        IEnumerable<string> commands = CommandPaths().Select(row => row.Data.Replace(' ', '-') + ".help.txt");
        Assert.Empty(stored.Select(path => Path.GetFileName(path)).Except(commands));
    }

    [Fact]
    public void Every_command_below_the_root_has_an_example() =>
        Every.Item(
            AnalyzerCommands.Create().Subcommands.Concat(TracerCommands.Create().Subcommands),
            command => Assert.NotEmpty(Assert.IsType<ExampleCommand>(command).Examples));

    [Fact]
    public void A_command_line_gets_the_command_that_it_names_and_no_other()
    {
        foreach ((RootCommand all, Func<string[], RootCommand> commandsFor) in (((RootCommand, Func<string[], RootCommand>)[])
            [(AnalyzerCommands.Create(), AnalyzerCommands.For), (TracerCommands.Create(), TracerCommands.For)]))
        {
            Every.Item(all.Subcommands, one => Assert.Equal(one.Name, Assert.Single(commandsFor([one.Name, "--help"]).Subcommands).Name));
            Every.Item(
                (string[][])[[], ["--help"], ["-h"], ["bla"], ["[suggest]", "b"], ["--version", "x"]],
                line => Assert.Equal(all.Subcommands.Select(one => one.Name), commandsFor(line).Subcommands.Select(one => one.Name)));
            Assert.Empty(commandsFor(["--version"]).Subcommands);
        }
    }

    [Fact]
    public void A_trace_alone_gets_blame() =>
        Assert.Equal("blame", Assert.Single(AnalyzerCommands.For(["some.etl", "--top", "1"]).Subcommands).Name);

    [Theory]
    [InlineData("analyzer")]
    [InlineData("tracer")]
    public void The_version_is_printed_alone(string command)
    {
        (int exitCode, string output, string error) = BuiltCommand.Run(command, "--version");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Matches(@"^\d+\.\d+\.\d+\n$", output);
    }

    private static IEnumerable<string> PathsBelow(string path, Command command) =>
        command.Subcommands.SelectMany(sub => PathsBelow($"{path} {sub.Name}", sub)).Prepend(path);
}
