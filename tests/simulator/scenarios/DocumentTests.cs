using System.Text.Json;
using Tracer.Simulator.Scenarios;

namespace Tracer.Simulator.Tests;

/// <summary>docs/generated/scenarios.md is written from the catalogue.</summary>
public class DocumentTests
{
    [Fact]
    public void The_document_lists_the_catalogue() => GoldenText.AssertEqual("docs/generated/scenarios.md", Document());

    private static string Document() =>
        """
        # Scenarios

        Written by a test from `tracer/simulator/scenarios/ScenarioCatalog.cs`; change it there and run
        `UPDATE_GOLDEN=1 dotnet test --project tests/simulator -c Release -- --filter-class '*DocumentTests'`.

        What an analysis should say of each scenario of `tracer simulate`. A name in angle brackets is invented by the seed.

        | scenario | verdict | kind | name | mechanism | seconds | CPUs |
        |---|---|---|---|---|---|---|

        """.ReplaceLineEndings("\n") + string.Concat(ScenarioCatalog.All.Select(Row));

    private static string Row(Scenario scenario) => string.Create(
        CultureInfo.InvariantCulture,
        $"| {scenario.Name} | {Word(scenario.Verdict)} | {Word(scenario.Kind)} "
        + $"| {(scenario.CulpritName is null ? "-" : $"`{scenario.CulpritName}`")} "
        + $"| {Word(scenario.Mechanism)} | {scenario.Duration.Nanoseconds / 1_000_000_000} | {scenario.Cpus} |\n");

    private static string Word(object? value) => value is null ? "-" : JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString()!);
}
