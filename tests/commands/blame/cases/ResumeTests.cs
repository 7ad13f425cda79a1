using System.Text;
using Tracer.AnalyzerCommand.Commands.Blame.Cases;
using Tracer.CommandLine;

namespace Tracer.Commands.Tests.Blame.Cases;

/// <summary>A file of cases that two runs would write, or whose run was killed anywhere.</summary>
public sealed class ResumeTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-resume-").FullName;

    private string Cases => Path.Combine(_folder, "cases.jsonl");

    private string Paths => Cases + ".paths";

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public void A_second_run_ends_with_a_sentence_and_leaves_the_file_as_it_was()
    {
        string[] traces = Traces();
        using (GrowingFile.Lock(Cases))
        {
            (int exitCode, _, string error) = Run(traces);
            Assert.Equal(ExitCode.Failed, exitCode);
            Assert.Equal(
                $"analyzer: {Cases} is being written by another run: wait until that has ended, or write to another file\n", error);
            Assert.False(File.Exists(Cases));
        }

        Assert.Equal(ExitCode.Failed, Run(traces).ExitCode); // One of them is no trace.
        Assert.Equal(3, File.ReadAllLines(Cases).Length);
        Assert.Equal([Cases, Paths], Directory.GetFiles(_folder, "cases*").Order(StringComparer.Ordinal));
    }

    [Fact]
    public void A_lock_that_a_killed_run_left_bars_nobody()
    {
        File.WriteAllText(Cases + ".lock", "");
        Run(Traces());
        Assert.Equal(3, File.ReadAllLines(Cases).Length);
    }

    [Fact]
    public void Killed_at_any_byte_and_gone_on_with_it_is_the_same_file()
    {
        string[] traces = Traces();
        Run(traces);
        byte[] cases = File.ReadAllBytes(Cases);
        byte[] paths = File.ReadAllBytes(Paths);

        // As they are written: a line of cases, then its place.
        List<(int Cases, int Paths)> states = [];
        (int case0, int path0) = (0, 0);
        for (int line = 0; line < traces.Length; line++)
        {
            int case1 = Array.IndexOf(cases, (byte)'\n', case0) + 1;
            int path1 = Array.IndexOf(paths, (byte)'\n', path0) + 1;
            states.AddRange(Few(case0, case1).Select(at => (at, path0)));
            states.AddRange(Few(path0, path1).Select(at => (case1, at)));
            (case0, path0) = (case1, path1);
        }

        Assert.Equal((cases.Length, paths.Length), (case0, path0));
        foreach ((int atCases, int atPaths) in states)
        {
            File.WriteAllBytes(Cases, cases[..atCases]);
            File.WriteAllBytes(Paths, paths[..atPaths]);
            Run(traces);
            Assert.True(cases.AsSpan().SequenceEqual(File.ReadAllBytes(Cases)), $"killed behind {atCases} and {atPaths} bytes");
            Assert.True(paths.AsSpan().SequenceEqual(File.ReadAllBytes(Paths)), $"killed behind {atCases} and {atPaths} bytes");
        }

        // The first bytes, the last ones, and some between; by default the middle and the end, which is where the next begins.
        static IEnumerable<int> Few(int from, int to) =>
            (Selection.IsAll ? [from, from + 1, (from + to) / 2, to - 1, to] : new[] { (from + to) / 2, to }).Distinct();
    }

    [Fact]
    public void Cases_whose_list_of_places_is_gone_stay()
    {
        string[] traces = Traces();
        Run(traces);
        string before = File.ReadAllText(Cases);
        File.Delete(Paths);
        Run(traces);
        Assert.StartsWith(before, File.ReadAllText(Cases));
    }

    [Theory]
    [InlineData("no.etl", "no.etl is no trace: no.etl has nothing", "the trace is no trace: a file has nothing")]
    [InlineData("t", "t: the trace is short", "the trace: the trace is short")]
    [InlineData("trace", "Could not find file 'trace'.", "Could not find file 'the trace'.")]
    [InlineData("/a b/x.etl", "/a b/x.etl: is empty", "the trace: is empty")]
    [InlineData("x.zip", "x.zip holds 2 traces (secret/one.etl, two.etl): which?", "the trace holds 2 traces (a file, a file): which?")]
    public void A_message_of_a_case_has_no_name_and_stays_a_sentence(string path, string message, string told)
    {
        Assert.Equal(told, CaseOfTrace.WithoutPath(message, path));
    }

    private string[] Traces()
    {
        string[] traces = [.. Enumerable.Range(0, 3).Select(i => Path.Combine(_folder, $"{i}.etl"))];
        File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "first.etl"), traces[0]);
        File.WriteAllBytes(traces[1], Encoding.ASCII.GetBytes("no trace"));
        File.Copy(Path.Combine(RepositoryFiles.Root, "samples", "nic-behind-ndis.etl"), traces[2]);
        return traces;
    }

    private (int ExitCode, string Output, string Error) Run(string[] traces) =>
        CommandRun.Analyzer(["blame", .. traces, "--format", "cases", "--jobs", "1", "--resume", "-o", Cases]);
}
