using System.Globalization;
using System.Text.Json;
using Tracer.Tests;

namespace Tracer.Simulator.Tests;

/// <summary>The table of docs/use/simulating.md is the catalogue.</summary>
public class DocumentTests
{
    [Fact]
    public void The_table_of_scenarios_is_the_catalogue()
    {
        string[] lines = File.ReadAllLines(Path.Combine(RepositoryFiles.Root, "docs", "use", "simulating.md"));
        IEnumerable<string> table = lines.SkipWhile(line => !line.StartsWith("|---", StringComparison.Ordinal)).Skip(1);
        string[] rows = [.. table.TakeWhile(line => line.Length > 0)];
        Assert.Equal(ScenarioCatalog.All.Select(Row), rows);
    }

    private static string Row(Scenario scenario) => string.Create(
        CultureInfo.InvariantCulture,
        $"| {scenario.Name} | {Word(scenario.Verdict)} | {Word(scenario.Kind)} "
        + $"| {(scenario.CulpritName is null ? "-" : $"`{scenario.CulpritName}`")} "
        + $"| {Word(scenario.Mechanism)} | {scenario.Duration.Nanoseconds / 1_000_000_000} | {scenario.Cpus} |");

    private static string Word(object? value) => value is null ? "-" : JsonNamingPolicy.KebabCaseLower.ConvertName(value.ToString()!);
}
