
namespace Tracer.Commands.Tests.Report;

/// <summary><c>analyzer report</c> of a folder: a page for each trace, and one that leads to them.</summary>
public sealed class ReportFolderTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-pages-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void Each_trace_has_a_page_and_the_index_leads_there()
    {
        string traces = Directory.CreateDirectory(At("traces")).FullName;
        File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"), Path.Combine(traces, "mon <1>.etl"));
        File.WriteAllText(Path.Combine(traces, "broken.etl"), "no trace");
        (int exitCode, string output, string error) = CommandRun.Analyzer("report", traces, "-o", At("pages") + "/");
        Assert.Equal(ExitCode.Failed, exitCode);
        Assert.Contains("broken.etl", error, StringComparison.Ordinal);
        Assert.Equal(["index.html", "mon <1>.etl.html"], Directory.GetFiles(At("pages")).Select(Path.GetFileName).Order());
        string index = File.ReadAllText(At("pages/index.html"));
        Assert.Contains("<a href=\"mon%20%3C1%3E.etl.html\">", index, StringComparison.Ordinal);
        Assert.Contains("mon &lt;1&gt;.etl</a>", index, StringComparison.Ordinal);
        Assert.Contains("gimoxowifi.sys", index, StringComparison.Ordinal);
        Assert.Contains("broken.etl", index, StringComparison.Ordinal);
        Assert.Contains("2 traces: 1 driver (gimoxowifi.sys 1), 1 not read.", output, StringComparison.Ordinal);
    }

    [Fact]
    public void Several_traces_need_a_folder()
    {
        File.WriteAllText(At("a.etl"), "one");
        File.WriteAllText(At("b.etl"), "other");
        (int exitCode, _, string error) = CommandRun.Analyzer("report", _folder, "-o", At("report.html"));
        Assert.Equal(ExitCode.WrongUsage, exitCode);
        Assert.Contains("is 2 traces: name a folder for their pages", error, StringComparison.Ordinal);
        Assert.False(File.Exists(At("report.html")));
    }

    private string At(string name) => Path.Combine(_folder, name);
}
