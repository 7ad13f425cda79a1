using Tracer.Analysis.Modules;
using Tracer.AnalyzerCommand.Commands.Blame;

namespace Tracer.Commands.Tests.Blame;

/// <summary>
/// <c>analyzer blame --style xperf</c> beside genuine texts of <c>xperf -a dpcisr</c>, line by line. What they tell is printed again; and a
/// trace with the histograms of one is written, and read.
/// </summary>
public sealed class GenuineXperfTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("tracer-test-").FullName;

    public static TheoryData<string> Texts =>
        [.. RepositoryFiles.InCorpus("*.dpcisr.txt", "win11/"), "handwritten"];

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [MemberData(nameof(Texts))]
    public void What_a_text_tells_is_printed_as_it_is(string name)
    {
        string text = Text(name);
        using var output = new StringWriter();
        XperfText.Write(DpcIsrText.Read(text), output);

        // The text's own times are rounded, and so its percentages may be of a little more or less.
        const double LastDigit = 0.0101;
        Assert.Null(DpcIsrText.FirstDifference(text, output.ToString(), (line, one, other) =>
            line.Contains('.', StringComparison.Ordinal) && one < 100.01 && Math.Abs(one - other) <= LastDigit));
    }

    /// <summary>
    /// Histograms do not tell which CPU ran which length, nor when: the times of a cell differ by what that leaves open, counts by nothing.
    /// </summary>
    [Theory]
    [InlineData("handwritten")]
    [InlineData("win11/baseline.dpcisr.txt")]
    public void A_trace_of_its_histograms_gives_the_text(string name)
    {
        string text = Text(name);
        LevelUsage usage = DpcIsrText.Read(text);
        var trace = new UsageTrace(usage);
        (int exitCode, string output, string error) =
            CommandRun.Analyzer("blame", trace.WriteTo(Path.Combine(_folder, "t.etl")), "--style", "xperf");
        Assert.Equal((0, ""), (exitCode, error));
        Assert.Null(DpcIsrText.FirstDifference(text, output, (line, one, other) =>
            !line.Contains("Total", StringComparison.Ordinal) && !line.StartsWith("Elapsed", StringComparison.Ordinal)
            && Math.Abs(one - other) <= Math.Max(2, 0.02 * one)));
    }

    private static string Text(string name) => File.ReadAllText(name == "handwritten"
        ? Path.Combine(RepositoryFiles.Root, "tests", "commands", "blame", "dpcisr.txt")
        : Path.Combine(RepositoryFiles.Corpus(), name));
}
