namespace Tracer.Commands.Tests.Blame;

/// <summary>The stored blame that tests/windows/prove.ps1 compares Windows' output with is what this system prints.</summary>
public sealed class WindowsSampleTests
{
    [Fact]
    public void The_stored_blame_is_what_is_printed()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("blame", "samples/first.etl", "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/windows/first.blame.json", output);
    }
}
