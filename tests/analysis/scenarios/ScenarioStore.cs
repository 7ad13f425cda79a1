namespace Tracer.Analysis.Tests.Scenarios;

internal static class ScenarioStore
{
    /// <summary>The line behind which a scenario holds what its report says; a person reads it, UPDATE_GOLDEN=1 writes it.</summary>
    public const string ReportLine = "report # written by UPDATE_GOLDEN=1";

    public static string Folder { get; } = Path.Combine(RepositoryFiles.Root, "tests", "scenarios");

    public static IReadOnlyList<string> Names { get; } =
        [.. Directory.EnumerateFiles(Folder, "*.txt").Select(path => Path.GetFileNameWithoutExtension(path)).Order(StringComparer.Ordinal)];

    public static Scenario Read(string name)
    {
        (string written, string report) = Parts(name);
        return ScenarioText.Read(name, written) with { Report = report };
    }

    /// <summary>Where the whole report of a scenario is stored; few have one.</summary>
    public static string WholeReportOf(string name) => Path.Combine(Folder, name + ".expected.json");

    /// <summary>Puts a report below what a person wrote; others may read the scenario meanwhile.</summary>
    public static void WriteReport(string name, string report)
    {
        (string written, string before) = Parts(name);
        if (report != before)
        {
            string temporary = PathOf(name) + ".new";
            File.WriteAllText(temporary, $"{written.TrimEnd('\n')}\n\n{ReportLine}\n{report}");
            File.Move(temporary, PathOf(name), overwrite: true);
        }
    }

    private static (string Written, string Report) Parts(string name)
    {
        string[] parts = File.ReadAllText(PathOf(name)).Split($"\n{ReportLine}\n", 2);
        return (parts[0], parts.Length > 1 ? parts[1] : "");
    }

    private static string PathOf(string name) => Path.Combine(Folder, name + ".txt");
}
