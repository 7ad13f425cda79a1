using System.Xml.Linq;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>References point one way, and the simulator's truth owes nothing to the analysis.</summary>
public class ReferenceTests
{
    private static readonly Dictionary<string, string[]> Allowed = new()
    {
        ["Tracer.Etl"] = [],
        ["Tracer.Symbols"] = [],
        ["Tracer.Contract"] = ["Tracer.Etl"],
        ["Tracer.CommandLine"] = ["Tracer.Contract"],
        ["Tracer.Analysis"] = ["Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["analyzer"] = ["Tracer.Analysis", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["Tracer.Simulator"] = ["Tracer.Contract", "Tracer.Etl"],
        ["Tracer.Capture"] = ["Tracer.Analysis", "Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["tracer"] = ["Tracer.Analysis", "Tracer.Capture", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Simulator"],
    };

    [Fact]
    public void Each_project_references_what_it_may()
    {
        foreach ((string project, string path) in Projects().Where(project => Allowed.ContainsKey(project.Key)))
        {
            string[] references = [.. XDocument.Load(path).Descendants("ProjectReference")
                .Select(reference => Path.GetFileNameWithoutExtension(reference.Attribute("Include")!.Value.Replace('\\', '/')))];
            Assert.Empty(references.Except(Allowed[project]).Select(reference => $"{project} references {reference}"));
        }
    }

    [Fact]
    public void Every_project_is_in_the_solution_and_every_library_has_tests()
    {
        string solution = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "Tracer.sln"));
        Dictionary<string, string> projects = Projects();
        Every.Item(projects.Keys, project => Assert.Contains($"\"{project}\"", solution));
        Every.Item(Allowed.Keys, project => Assert.Contains(project, projects.Keys));

        string[] tested = [.. projects.Keys.Where(project => project.EndsWith(".Tests", StringComparison.Ordinal))];
        foreach (string library in new[] { "Etl", "Symbols", "Contract", "Analysis", "Simulator", "Capture", "Commands" })
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

    private static Dictionary<string, string> Projects() =>
        Directory.EnumerateFiles(RepositoryFiles.Root, "*.csproj", SearchOption.AllDirectories)
            .Where(path => !path.Contains("artifacts", StringComparison.Ordinal))
            .ToDictionary(path => Path.GetFileNameWithoutExtension(path));
}
