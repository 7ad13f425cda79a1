using System.Xml.Linq;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>What is built, tested and published.</summary>
public class ReferenceTests
{
    /// <summary>Its runtime is a large package that only <c>viewer/viewer.sh</c> needs: building the solution must not fetch it.</summary>
    internal const string OutsideOfTheSolution = "Tracer.Browser";

    [Fact]
    public void Every_project_is_in_the_solution_and_every_library_has_tests()
    {
        string solution = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "Tracer.sln"));
        Dictionary<string, string> projects = Projects();
        Every.Item(
            projects.Keys,
            project => Assert.Equal(project != OutsideOfTheSolution, solution.Contains($"\"{project}\"", StringComparison.Ordinal)));

        string[] tested = [.. projects.Keys.Where(project => project.EndsWith(".Tests", StringComparison.Ordinal))];
        string[] libraries = ["Etl", "Symbols", "Contract", "Analysis", "Forecast", "Simulator", "Capture", "Measure", "Commands"];
        foreach (string library in libraries)
        {
            Assert.Contains($"Tracer.{library}.Tests", tested);
        }
    }

    /// <summary>Published packages must not need a project that is not published.</summary>
    [Fact]
    public void Only_what_the_contract_names_is_packed() => Assert.Equal(
        ["Tracer.Etl", "Tracer.Symbols", "analyzer", "tracer"],
        Projects().Where(project => XDocument.Load(project.Value).Descendants("IsPackable").Any(packed => packed.Value == "true"))
            .Select(project => project.Key).Order(StringComparer.Ordinal));

    /// <summary>Every project and its file.</summary>
    internal static Dictionary<string, string> Projects() =>
        Directory.EnumerateFiles(RepositoryFiles.Root, "*.csproj", SearchOption.AllDirectories)
            .Where(path => !path.Contains("artifacts", StringComparison.Ordinal))
            .ToDictionary(path => Path.GetFileNameWithoutExtension(path));
}
