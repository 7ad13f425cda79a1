using Tracer.Contract;
using Tracer.Tests;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>Each scenario of tests/scenarios says what its author expects, and its whole report was looked at once.</summary>
public class ScenarioTests
{
    public static TheoryData<string> Names => [.. ScenarioStore.Names];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_scenario_gives_the_report_that_its_meaning_asks_for(string name)
    {
        Scenario scenario = ScenarioStore.Read(name);
        BlameReport report = ScenarioFile.Report(ScenarioFile.Write(scenario), name + ".etl", scenario.Request);
        scenario.Expected.AssertHolds(report);
        GoldenText.AssertEqual($"tests/scenarios/{name}.expected.json", ScenarioFile.Json(report));
    }

    [Fact]
    public void Every_stored_report_has_its_scenario() => Assert.Equal(
        ScenarioStore.Names,
        Directory.EnumerateFiles(ScenarioStore.Folder, "*.expected.json")
            .Select(path => Path.GetFileName(path)[..^".expected.json".Length]).Order(StringComparer.Ordinal));
}
