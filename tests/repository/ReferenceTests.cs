using System.Text.RegularExpressions;
using System.Xml.Linq;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>References point one way, and the simulator's truth owes nothing to the analysis.</summary>
public partial class ReferenceTests
{
    private static readonly Dictionary<string, string[]> Allowed = new()
    {
        ["Tracer.Etl"] = [],
        ["Tracer.Symbols"] = [],
        ["Tracer.Contract"] = ["Tracer.Etl"],
        ["Tracer.CommandLine"] = ["Tracer.Contract"],
        ["Tracer.Analysis"] = ["Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["Tracer.Forecast"] = ["Tracer.Contract"],
        ["Tracer.AnalyzerParts"] =
        [
            "Tracer.Analysis", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Forecast", "Tracer.Symbols",
        ],
        ["Tracer.Browser"] = ["Tracer.AnalyzerParts"],
        ["analyzer"] =
        [
            "Tracer.Analysis", "Tracer.AnalyzerParts", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Forecast",
            "Tracer.Symbols",
        ],
        ["Tracer.Simulator"] = ["Tracer.Contract", "Tracer.Etl"],
        ["Tracer.Capture"] = ["Tracer.Analysis", "Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["Tracer.Measure"] = ["Tracer.Contract"],
        ["tracer"] =
        [
            "Tracer.Analysis", "Tracer.Capture", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Measure",
            "Tracer.Simulator",
        ],
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

    /// <summary>Its runtime is a large package that only <c>viewer/site.sh</c> needs: building the solution must not fetch it.</summary>
    private const string OutsideOfTheSolution = "Tracer.Browser";

    [Fact]
    public void Every_project_is_in_the_solution_and_every_library_has_tests()
    {
        string solution = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "Tracer.sln"));
        Dictionary<string, string> projects = Projects();
        Every.Item(
            projects.Keys,
            project => Assert.Equal(project != OutsideOfTheSolution, solution.Contains($"\"{project}\"", StringComparison.Ordinal)));
        Every.Item(Allowed.Keys, project => Assert.Contains(project, projects.Keys));

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

    /// <summary>A reader of untrusted files needs nothing of the writer; what both know stands in the folder above them.</summary>
    [Fact]
    public void The_reader_of_traces_does_not_name_the_writer()
    {
        string etl = Path.Combine(RepositoryFiles.Root, "etl");
        string[] ofWriter = [.. Sources(Path.Combine(etl, "writing"), SearchOption.TopDirectoryOnly).SelectMany(Code)
            .Select(line => Declaration().Match(line)).Where(match => match.Success).Select(match => match.Groups["name"].Value)];
        Assert.Contains("EtlWriter", ofWriter);
        Assert.Contains("KernelImage", ofWriter);

        var writer = new Regex($@"\b(?:{string.Join('|', ofWriter)})\b");
        Every.Item(
            Sources(etl, SearchOption.AllDirectories).Where(path => Path.GetFileName(Path.GetDirectoryName(path)) != "writing"),
            path => Assert.DoesNotContain(Code(path), writer.IsMatch));
    }

    /// <summary>The type that a line declares outside of any other.</summary>
    [GeneratedRegex(@"^(?:public|internal) .*\b(?:class|struct|enum|interface|record) (?<name>\w+)")]
    private static partial Regex Declaration();

    private static IEnumerable<string> Sources(string folder, SearchOption option) => Directory.EnumerateFiles(folder, "*.cs", option);

    private static IEnumerable<string> Code(string path) =>
        File.ReadLines(path).Where(line => !line.TrimStart().StartsWith("//", StringComparison.Ordinal));

    private static Dictionary<string, string> Projects() =>
        Directory.EnumerateFiles(RepositoryFiles.Root, "*.csproj", SearchOption.AllDirectories)
            .Where(path => !path.Contains("artifacts", StringComparison.Ordinal))
            .ToDictionary(path => Path.GetFileNameWithoutExtension(path));
}
