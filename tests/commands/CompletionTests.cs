using Tracer.CommandLine;
using Tracer.TracerCommand;

namespace Tracer.Commands.Tests;

/// <summary>What shells are told to complete a command line with. One of them changes the current folder.</summary>
[Collection(Alone.Name)]
public class CompletionTests
{
    [Theory]
    [InlineData("analyzer ", "blame diff dump episodes export fleet info latency mcp pack report slice symbols")]
    [InlineData("analyzer b", "blame")]
    [InlineData("b", "blame")]
    [InlineData("analyzer.exe b", "blame")]
    [InlineData("analyzer blame trace.etl --fr", "--from")]
    [InlineData("analyzer blame trace.etl --format ", "cases csv json text")]
    [InlineData("analyzer blame trace.etl --format csv --table d", "drivers drivers-by-cpu")]
    [InlineData("analyzer blame trace.etl --probe w", "wakeup")]
    [InlineData("analyzer trace.etl --fr", "--from")]
    [InlineData("analyzer trace.etl --format ", "cases csv json text")]
    [InlineData("analyzer nosuch --x", "")]
    public void A_word_is_completed_with_what_may_stand_there(string line, string expected)
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer($"[suggest:{line.Length}]", line);
        Assert.Equal((0, ""), (exitCode, error));
        string[] words = [.. output.Split('\n', StringSplitOptions.RemoveEmptyEntries)];
        bool hasOptions = line.Contains("--", StringComparison.Ordinal);
        Assert.Equal(expected, string.Join(' ', words.Where(word => hasOptions || !word.StartsWith('-'))));
    }

    [Theory]
    [InlineData("analyzer bl trace.etl", 11)]
    [InlineData("analyzer bl", 11)]
    public void What_stands_behind_the_cursor_does_not_count(string line, int position) =>
        Assert.Equal("blame\n", CommandRun.Analyzer($"[suggest:{position}]", line).Output);

    [Fact]
    public void A_cursor_behind_the_line_is_behind_a_blank() => Assert.Equal(
        "cases\ncsv\njson\ntext\n", CommandRun.Analyzer("[suggest:34]", "analyzer blame trace.etl --format").Output);

    [Fact]
    public void Options_are_offered_without_those_of_other_commands()
    {
        string output = CommandRun.Analyzer("[suggest:15]", "analyzer info --").Output;
        Assert.Contains("--drivers\n", CommandRun.Analyzer("[suggest:16]", "analyzer info --").Output);
        Assert.DoesNotContain("--threshold", output);
    }

    [Theory]
    [InlineData("[suggest:x]", "analyzer ")]
    [InlineData("[suggest:1]")]
    [InlineData("[diagram]", "blame")]
    public void Anything_else_in_brackets_completes_nothing(params string[] arguments)
    {
        (int exitCode, string output, _) = CommandRun.Analyzer(arguments);
        Assert.Equal((64, ""), (exitCode, output));
    }

    [Fact]
    public void Tracer_is_completed_as_well()
    {
        using var output = new StringWriter { NewLine = "\n" };
        Assert.Equal(0, CommandProgram.Run(TracerCommands.Create(), "tracer", ["[suggest:10]", "tracer simu"], output, output));
        Assert.Equal("simulate\n", output.ToString());
    }

    [Fact]
    public void A_trace_alone_is_a_blame_of_it()
    {
        string sample = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");
        Assert.Equal(CommandRun.Analyzer("blame", sample), CommandRun.Analyzer(sample));
        Assert.Equal(
            CommandRun.Analyzer("blame", sample, "--format", "csv", "--top", "1"),
            CommandRun.Analyzer(sample, "--format", "csv", "--top", "1"));
        Assert.Equal(CommandRun.Analyzer("blame", "nosuch.etl"), CommandRun.Analyzer("nosuch.etl"));
        Assert.Contains("nosuch.etl", CommandRun.Analyzer("nosuch.etl").Error);
    }

    [Fact]
    public void A_name_of_a_command_is_that_command_and_what_is_no_trace_is_told()
    {
        string here = Directory.GetCurrentDirectory();
        DirectoryInfo folder = Directory.CreateTempSubdirectory("tracer-default-");
        try
        {
            File.WriteAllText(Path.Combine(folder.FullName, "info"), "");
            Directory.SetCurrentDirectory(folder.FullName);
            Assert.StartsWith("analyzer: Required argument", CommandRun.Analyzer("info").Error);
        }
        finally
        {
            Directory.SetCurrentDirectory(here);
            folder.Delete(recursive: true);
        }

        Assert.StartsWith("analyzer: unknown command 'blam'; the nearest valid command is 'blame'\n", CommandRun.Analyzer("blam").Error);
    }
}
