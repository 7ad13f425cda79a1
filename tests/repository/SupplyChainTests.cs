using System.Text.Json;
using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>What others made is named exactly: packages by hash, actions by commit, all of it in the list of a release.</summary>
public partial class SupplyChainTests
{
    private static readonly string[] Product =
    [
        "analyzer", "analyzer/analysis", "analyzer/browser", "analyzer/shared", "commandline", "contract", "etl", "symbols", "tracer",
        "tracer/capture", "tracer/measure", "tracer/simulator",
    ];

    [Fact]
    public void Every_project_has_a_lock_file_with_a_hash_for_each_package()
    {
        foreach (string project in Projects())
        {
            string path = Path.Combine(Path.GetDirectoryName(project)!, "packages.lock.json");
            Assert.True(File.Exists(path), $"{path} is missing: dotnet restore writes it");
            foreach (JsonProperty package in PackagesIn(path))
            {
                Assert.Equal(64, Convert.FromBase64String(package.Value.GetProperty("contentHash").GetString()!).Length);
            }
        }
    }

    [Fact]
    public void The_list_of_a_release_has_every_package_of_the_product_once()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "sbom.sh is a script of a shell");
        using var sbom = JsonDocument.Parse(ChildProcess.Output(Path.Combine(RepositoryFiles.Root, "sbom.sh")));
        Assert.Equal("CycloneDX", sbom.RootElement.GetProperty("bomFormat").GetString());
        string[] listed = [.. sbom.RootElement.GetProperty("components").EnumerateArray()
            .Select(one => $"{one.GetProperty("name").GetString()} {one.GetProperty("version").GetString()}")];
        IEnumerable<string> locked = Product
            .SelectMany(folder => PackagesIn(Path.Combine(RepositoryFiles.Root, folder, "packages.lock.json")))
            .Select(package => $"{package.Name} {package.Value.GetProperty("resolved").GetString()}")
            .Concat(PackagesOfThePage());
        Assert.Equal(locked.Distinct().Order(StringComparer.Ordinal), listed.Order(StringComparer.Ordinal));
        string[] references = [.. sbom.RootElement.GetProperty("components").EnumerateArray()
            .Select(one => one.GetProperty("bom-ref").GetString()!)];
        Every.Item(
            sbom.RootElement.GetProperty("dependencies").EnumerateArray()
                .SelectMany(one => one.GetProperty("dependsOn").EnumerateArray()),
            needed => Assert.Contains(needed.GetString(), references));
    }

    /// <summary>What of the page of a report others made: its licence stands beside the bundle, its version in the lock file.</summary>
    private static string[] PackagesOfThePage()
    {
        using var locked = JsonDocument.Parse(File.ReadAllText(Path.Combine(RepositoryFiles.Root, "viewer", "package-lock.json")));
        JsonElement packages = locked.RootElement.GetProperty("packages");
        string[] listed = [.. File.ReadLines(Path.Combine(RepositoryFiles.Root, "viewer", "bundle", "licences.txt"))
            .Select(line => line.Split(' '))
            .Where(words => words is [var name, _, ['(', ..]] && packages.TryGetProperty("node_modules/" + name, out _))
            .Select(words => $"{words[0]} {words[1]}")];
        Every.Item(listed, one => Assert.Equal(
            one.Split(' ')[1], packages.GetProperty("node_modules/" + one.Split(' ')[0]).GetProperty("version").GetString()));
        return listed;
    }

    [Fact]
    public void Actions_are_named_by_commit()
    {
        string[] uses = [.. Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, ".github"), "*.yml", SearchOption.AllDirectories)
            .SelectMany(File.ReadLines)
            .Where(line => line.Contains("uses:", StringComparison.Ordinal))];
        Assert.NotEmpty(uses);
        Every.Item(uses, line => Assert.Matches(PinnedAction(), line));
    }

    private static IEnumerable<string> Projects() =>
        Directory.EnumerateFiles(RepositoryFiles.Root, "*.csproj", SearchOption.AllDirectories)
            .Where(path => !path.Contains("artifacts", StringComparison.Ordinal));

    private static IEnumerable<JsonProperty> PackagesIn(string path)
    {
        JsonElement root = JsonDocument.Parse(File.ReadAllBytes(path)).RootElement;
        return root.GetProperty("dependencies").EnumerateObject()
            .SelectMany(target => target.Value.EnumerateObject())
            .Where(package => package.Value.GetProperty("type").GetString() != "Project");
    }

    [GeneratedRegex(@"uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")]
    private static partial Regex PinnedAction();
}
