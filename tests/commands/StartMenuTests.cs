using Tracer.AnalyzerCommand;
using Tracer.CommandLine;
using Tracer.TracerCommand;

namespace Tracer.Commands.Tests;

/// <summary>What a program offers that was started by a double-click.</summary>
public sealed class StartMenuTests
{
    private readonly List<string> _ran = [];
    private readonly List<string> _opened = [];

    [Fact]
    public void A_trace_that_is_dragged_into_the_window_is_opened_as_a_page()
    {
        string folder = Directory.CreateTempSubdirectory("tracer menu ").FullName;
        string trace = Path.Combine(folder, "my trace.etl");
        string shown = Analyzer("1", $"\"{trace}\"", "", "q");
        Assert.Empty(Directory.GetFiles(folder));
        Directory.Delete(folder);
        Assert.Equal([$"report {trace} -o {trace}.html"], _ran);
        Assert.Equal([$"{trace}.html"], _opened);
        Assert.Equal(2, shown.Split("Type a number").Length - 1);
    }

    [Fact]
    public void A_page_that_cannot_stand_beside_its_trace_is_a_temporary_file()
    {
        string trace = Path.Combine(Path.GetTempPath(), "no such folder", "a.etl");
        Analyzer("1", trace, "", "q");
        Assert.Equal([Path.Combine(Path.GetTempPath(), "a.etl.html")], _opened);
    }

    [Theory]
    [InlineData("2", "blame a.etl")]
    [InlineData("4", "--help")]
    public void The_others_run_their_command(string chosen, string expected)
    {
        Analyzer(chosen == "2" ? [chosen, "a.etl", "", "q"] : [chosen, "", "q"]);
        Assert.Equal([expected], _ran);
        Assert.Empty(_opened);
    }

    [Theory]
    [InlineData("9")]
    [InlineData("0")]
    [InlineData("-1")]
    [InlineData("one")]
    [InlineData("")]
    public void What_is_not_there_is_told_and_asked_again(string chosen)
    {
        Assert.Contains($"'{chosen}' is not one of them.", Analyzer(chosen, "q"), StringComparison.Ordinal);
        Assert.Empty(_ran);
    }

    /// <summary>Input may end anywhere, and nothing is done without an answer.</summary>
    [Theory]
    [InlineData]
    [InlineData("1")]
    [InlineData("1", "")]
    public void It_ends_with_its_input(params string[] lines)
    {
        Analyzer(lines);
        Assert.Empty(_ran);
    }

    [Fact]
    public void Tracer_records_into_a_folder_that_it_makes()
    {
        string folder = Path.Combine(Path.GetTempPath(), "tracer-menu-" + Guid.NewGuid().ToString("N"));
        Show(TracerMenu.Create(Ran, folder), ["1", "", "2", "", "q"]);
        Assert.True(Directory.Exists(folder));
        Directory.Delete(folder);
        Assert.Equal(2, _ran.Count);
        Assert.StartsWith($"capture --threshold 1ms --open -o {Path.Combine(folder, "late-")}", _ran[0], StringComparison.Ordinal);
        Assert.Equal("doctor", _ran[1]);
    }

    [Fact]
    public void What_was_printed_can_be_read_before_the_window_closes()
    {
        using var output = new StringWriter();
        using var input = new StringReader("\nnext");
        StartMenu.Wait(input, output);
        Assert.Equal("next", input.ReadLine());
        Assert.Contains("Press Enter", output.ToString(), StringComparison.Ordinal);
    }

    private string Analyzer(params string[] lines) => Show(AnalyzerMenu.Create(Ran, Opened, TextWriter.Null), lines);

    private static string Show(StartMenu menu, string[] lines)
    {
        using var output = new StringWriter { NewLine = "\n" };
        using var input = new StringReader(string.Concat(lines.Select(line => line + "\n")));
        menu.Show(input, output);
        return output.ToString();
    }

    private string? Opened(string page)
    {
        _opened.Add(page);
        return null;
    }

    private int Ran(string[] words)
    {
        _ran.Add(string.Join(' ', words));
        return ExitCode.Done;
    }
}
