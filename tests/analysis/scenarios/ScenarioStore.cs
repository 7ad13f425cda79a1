using Tracer.Tests;

namespace Tracer.Analysis.Tests.Scenarios;

/// <summary>The scenarios of tests/scenarios.</summary>
internal static class ScenarioStore
{
    public static string Folder { get; } = Path.Combine(RepositoryFiles.Root, "tests", "scenarios");

    public static IReadOnlyList<string> Names { get; } =
        [.. Directory.EnumerateFiles(Folder, "*.txt").Select(path => Path.GetFileNameWithoutExtension(path)).Order(StringComparer.Ordinal)];

    public static Scenario Read(string name) => ScenarioText.Read(name, File.ReadAllText(Path.Combine(Folder, name + ".txt")));
}
