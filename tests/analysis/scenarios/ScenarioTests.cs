namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Each scenario of tests/scenarios says what its author expects, and below that what its report last said.</summary>
public class ScenarioTests
{
    /// <summary>How many scenarios keep their whole report, as tracer.blame/1.</summary>
    private const int WholeReports = 10;

    public static TheoryData<string> Names => [.. ScenarioStore.Names];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_scenario_gives_the_report_that_its_meaning_asks_for(string name)
    {
        Scenario scenario = ScenarioStore.Read(name);
        BlameReport report = ScenarioFile.Report(ScenarioFile.Write(scenario), name + ".etl", scenario.Request);
        scenario.Expected.AssertHolds(report);
        string text = ReportText.Of(report);
        if (Environment.GetEnvironmentVariable("UPDATE_GOLDEN") == "1")
        {
            ScenarioStore.WriteReport(name, text);
        }
        else
        {
            Assert.Equal(scenario.Report, text);
        }

        if (File.Exists(ScenarioStore.WholeReportOf(name)))
        {
            GoldenText.AssertEqual($"tests/scenarios/{name}.expected.json", ScenarioFile.Json(report));
        }
    }

    [Fact]
    public void Ten_scenarios_keep_their_whole_report()
    {
        string[] stored =
        [
            .. Directory.EnumerateFiles(ScenarioStore.Folder, "*.expected.json")
                .Select(path => Path.GetFileName(path)[..^".expected.json".Length]),
        ];
        Assert.Equal(WholeReports, stored.Length);
        Assert.All(stored, name => Assert.Contains(name, ScenarioStore.Names));
    }
}
