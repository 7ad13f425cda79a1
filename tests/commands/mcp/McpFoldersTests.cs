using System.Text.Json;
using Tracer.AnalyzerCommand.Commands.Mcp.Answers;
using Tracer.AnalyzerCommand.Commands.Mcp.Tools;
using Tracer.AnalyzerCommand.Commands.Mcp.Traces;
using Tracer.Commands.Tests.Mcp.Tools;

namespace Tracer.Commands.Tests.Mcp;

/// <summary>A client of <c>analyzer mcp</c> reads in the folders that it was started with, and nowhere else.</summary>
public sealed class McpFoldersTests : IDisposable
{
    private static readonly string Sample = Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    private readonly string _outer = CanonicalPath.Of(Directory.CreateTempSubdirectory("tracer-test-").FullName);
    private readonly string _folder;

    public McpFoldersTests()
    {
        _folder = Directory.CreateDirectory(Path.Combine(_outer, "traces")).FullName;
        Directory.CreateDirectory(Path.Combine(_folder, "inner"));
        Directory.CreateDirectory(Path.Combine(_outer, "traces-of-others"));
        File.Copy(Sample, Path.Combine(_folder, "inner", "a.etl"));
        File.Copy(Sample, Path.Combine(_outer, "secret.etl"));
        File.Copy(Sample, Path.Combine(_outer, "traces-of-others", "b.etl"));
    }

    public void Dispose() => Directory.Delete(_outer, recursive: true);

    [Theory]
    [InlineData("../secret.etl")]
    [InlineData("inner/../../secret.etl")]
    [InlineData("inner\\..\\..\\secret.etl")]
    [InlineData("OUTER/secret.etl")]
    [InlineData("OUTER/traces-of-others/b.etl")]
    [InlineData("OUTER/traces/../secret.etl")]
    [InlineData("file:///OUTER/secret.etl")]
    [InlineData("FILE:secret.etl")]
    [InlineData("http://example.com/secret.etl")]
    [InlineData("//server/share/secret.etl")]
    [InlineData("\\\\server\\share\\secret.etl")]
    [InlineData("\\\\.\\PhysicalDrive0")]
    [InlineData("\\\\?\\C:\\secret.etl")]
    [InlineData("/dev/zero")]
    [InlineData("/proc/self/environ")]
    [InlineData("-")]
    [InlineData("")]
    [InlineData("inner")]
    [InlineData("inner/a.etl\u0000")]
    [InlineData("in\nner/a.etl")]
    [InlineData("~/secret.etl")]
    [InlineData("*")]
    public void Nothing_outside_is_read(string path)
    {
        foreach ((string tool, string name) in new[] { ("blame", "trace"), ("dump", "trace"), ("symbols", "file") })
        {
            string given = JsonSerializer.Serialize(path.Replace("OUTER", _outer, StringComparison.Ordinal));
            string problem = McpAnswers.Problem(_folder, tool, $"{{\"{name}\":{given}}}");
            Assert.DoesNotContain("internal error", problem, StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_link_that_leads_out_is_not_followed()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links need a right on Windows");
        File.CreateSymbolicLink(Path.Combine(_folder, "out.etl"), Path.Combine(_outer, "secret.etl"));
        File.CreateSymbolicLink(Path.Combine(_folder, "relative.etl"), "../secret.etl");
        Directory.CreateSymbolicLink(Path.Combine(_folder, "others"), Path.Combine(_outer, "traces-of-others"));
        File.CreateSymbolicLink(Path.Combine(_folder, "round.etl"), "round.etl");
        File.CreateSymbolicLink(Path.Combine(_folder, "inside.etl"), "inner/a.etl");
        foreach (string path in new[] { "out.etl", "relative.etl", "others/b.etl", "round.etl", Path.Combine(_folder, "out.etl") })
        {
            McpAnswers.Problem(_folder, "blame", $"{{\"trace\":\"{path}\"}}");
        }

        Assert.Contains("leads out", McpAnswers.Problem(_folder, "blame", "{\"trace\":\"out.etl\"}"), StringComparison.Ordinal);
        Assert.Contains("leads out", McpAnswers.Problem(
            _folder, "symbols", "{\"file\":\"inner/a.etl\",\"symbols\":\"others\"}"), StringComparison.Ordinal);
        Assert.False(McpAnswers.Ask(_folder, "blame", "{\"trace\":\"inside.etl\"}").TryGetProperty("isError", out _));
        // What is listed is what may be read.
        TraceFile listed = Assert.Single(TraceFolders.Of([_folder]).List(out _));
        Assert.Equal("inner/a.etl", listed.Name);
    }

    [Fact]
    public void Symbols_beside_a_trace_are_not_read_through_a_link_that_leads_out()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "links need a right on Windows");
        string from = Path.Combine(RepositoryFiles.Root, "samples", "with-symbols");
        File.Copy(Path.Combine(from, "nic.etl"), Path.Combine(_folder, "nic.etl"));
        File.Copy(Path.Combine(from, "nic.pdb"), Path.Combine(_outer, "nic.pdb"));
        string NamesOf() => (string)McpToolTests.Answer(new SymbolsTool(McpToolTests.Traces(_folder)), "{\"file\":\"nic.etl\"}")
            .Data["modules"]!.AsArray().Single(module => (string)module!["name"]! == "nic.sys")!["names"]!;
        string link = Path.Combine(_folder, "nic.pdb");
        File.CreateSymbolicLink(link, Path.Combine(_outer, "nic.pdb"));
        Assert.Equal("none", NamesOf());
        File.Delete(link);
        File.Copy(Path.Combine(from, "nic.pdb"), link);
        Assert.Equal("pdb", NamesOf());
    }

    [Fact]
    public void A_pipe_in_a_folder_does_not_hold_the_server_up()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "Windows has no pipes in folders");
        Assert.Equal(0, ChildProcess.Run("mkfifo", Path.Combine(_folder, "pipe.etl")).ExitCode);
        Assert.Contains("not an ordinary file", McpAnswers.Problem(_folder, "blame", "{\"trace\":\"pipe.etl\"}"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_trace_that_two_folders_have_is_named_by_its_whole_path()
    {
        string other = Directory.CreateDirectory(Path.Combine(_outer, "more", "inner")).Parent!.FullName;
        File.Copy(Sample, Path.Combine(other, "inner", "a.etl"));
        var folders = TraceFolders.Of([_folder, other]);
        ToolProblem problem = Assert.Throws<ToolProblem>(() => folders.Find("inner/a.etl"));
        Assert.Contains("is in 2 folders; write the whole path", problem.Message, StringComparison.Ordinal);
        string[] names = [.. folders.List(out _).Select(one => one.Name)];
        Assert.Equal([Path.Combine(other, "inner", "a.etl"), Path.Combine(_folder, "inner", "a.etl")], names);
        Every.Item(names, name => Assert.Equal(name, folders.Find(name).Name));
    }

    [Fact]
    public void A_folder_that_is_not_there_ends_the_command()
    {
        string none = Path.Combine(_outer, "none");
        Assert.Equal(
            (ExitCode.Failed, "", $"analyzer: mcp: there is no folder {none}; name one that holds traces\n"),
            CommandRun.Analyzer("mcp", _folder, none));
        Assert.Equal(
            (ExitCode.Failed, "", $"analyzer: mcp: {Sample} is a file; name the folder that it is in\n"),
            CommandRun.Analyzer("mcp", Sample));
    }

    [Fact]
    public void Wrong_usage_serves_nobody()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("mcp");
        Assert.Equal((ExitCode.WrongUsage, ""), (exitCode, output));
        Assert.Contains("FOLDER", error, StringComparison.Ordinal);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("mcp", _folder, "--symbol-sever").ExitCode);
        Assert.Equal(ExitCode.WrongUsage, CommandRun.Analyzer("mcp", _folder, "--symbols", " ").ExitCode);
    }
}
