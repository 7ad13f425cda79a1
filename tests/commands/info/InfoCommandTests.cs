namespace Tracer.Commands.Tests.Info;

/// <summary><c>analyzer info</c> on the sample, against stored text.</summary>
[Trait("Speed", "slow")]
public sealed class InfoCommandTests
{
    private static string Sample => Path.Combine(RepositoryFiles.Root, "samples", "first.etl");

    [Fact]
    public void Info_is_as_stored()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", Sample);
        Assert.Equal((0, ""), (exitCode, error));
        GoldenText.AssertEqual("tests/commands/golden/reports/info-first.txt", output.Replace(Sample, "samples/first.etl"));
    }

    [Fact]
    public void Info_as_json_is_as_stored_and_follows_the_schema()
    {
        (int exitCode, string output, string error) = CommandRun.Analyzer("info", Sample, "--format", "json");
        Assert.Equal((0, ""), (exitCode, error));
        InfoReport report = ReportJson.Read<InfoReport>(System.Text.Encoding.UTF8.GetBytes(output));
        Assert.Equal(6907, report.Trace.Events);
        Assert.Contains(report.Classes, one => one is { Name: "ReadyThread", Unconfirmed: true });
        Assert.Contains(report.Classes, one => one is { Name: "Dpc", Unconfirmed: false });
        GoldenText.AssertEqual("tests/commands/golden/reports/info-first.json", output.Replace(Sample, "samples/first.etl"));
    }
}
