using System.Collections.Concurrent;
using System.Xml.Linq;
using Tracer.Tests;

namespace Tracer.Repository.Tests.Arrows;

/// <summary>
/// What may know what: projects reference only what they may, the folders of a project can be put into an order in which each uses only
/// those before it, and the namespaces of types are the folders that they stand in.
/// </summary>
public sealed class ArrowTests
{
    /// <summary>The projects of the product, and what each may reference, by itself or through one that it references.</summary>
    private static readonly Dictionary<string, string[]> MayReference = new()
    {
        ["Tracer.Etl"] = [],
        ["Tracer.Symbols"] = [],
        ["Tracer.Contract"] = ["Tracer.Etl"],
        ["Tracer.CommandLine"] = ["Tracer.Contract", "Tracer.Etl"],
        ["Tracer.Analysis"] = ["Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["Tracer.Forecast"] = ["Tracer.Contract"],
        ["Tracer.AnalyzerShared"] =
        [
            "Tracer.Analysis", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Forecast", "Tracer.Symbols",
        ],
        ["Tracer.Browser"] = ["Tracer.AnalyzerShared"],
        ["analyzer"] =
        [
            "Tracer.Analysis", "Tracer.AnalyzerShared", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Forecast",
            "Tracer.Symbols",
        ],
        // Its truth owes nothing to the analysis.
        ["Tracer.Simulator"] = ["Tracer.Contract", "Tracer.Etl"],
        ["Tracer.Capture"] = ["Tracer.Analysis", "Tracer.Contract", "Tracer.Etl", "Tracer.Symbols"],
        ["Tracer.Measure"] = ["Tracer.Contract"],
        ["tracer"] =
        [
            "Tracer.Analysis", "Tracer.Capture", "Tracer.CommandLine", "Tracer.Contract", "Tracer.Etl", "Tracer.Measure",
            "Tracer.Simulator", "Tracer.Symbols",
        ],
    };

    /// <summary>Projects with one namespace for all their folders, and why.</summary>
    private static readonly Dictionary<string, string> WithOneNamespace = new()
    {
        ["Tracer.Contract"] = "one using in most files of the product, which would be up to five",
        ["Tracer.CommandLine"] = "likewise: what each command needs of it comes from all folders",
        ["Tracer.Forecast"] = "statistics, which other projects use through one folder",
    };

    /// <summary>Packages: what they offer at the top of their namespace stays there, in whatever folder it stands.</summary>
    private static readonly string[] Packages = ["Tracer.Etl", "Tracer.Symbols"];

    /// <summary>Sources that several projects compile, and that are therefore in a namespace of none.</summary>
    private static readonly string[] SharedSources = ["Tracer", "Tracer.Windows"];

    /// <summary>The steps of the data's way through the analysis. The last, <c>.</c>, are the pages that put the steps together.</summary>
    private static readonly string[] Steps =
    [
        "beats", "clocks", "contents", "facts", "modules", "machine", "request", "delays", "owners", "causes", "mechanisms", "verdicts",
        "report", "slicing", "latencies", ".",
    ];

    private static readonly string[] Built = [.. MayReference.Keys.Where(project => project != ReferenceTests.OutsideOfTheSolution)];

    private static readonly ConcurrentDictionary<string, (CompiledType[] Types, FolderArrows Folders)> Read = new();

    public static TheoryData<string> Projects => [.. MayReference.Keys];

    public static TheoryData<string> BuiltProjects => [.. Built];

    [Theory]
    [MemberData(nameof(Projects))]
    public void Projects_reference_what_they_may(string project) => Assert.Empty(
        XDocument.Load(PathOf(project)).Descendants("ProjectReference")
            .Select(reference => Path.GetFileNameWithoutExtension(reference.Attribute("Include")!.Value.Replace('\\', '/')))
            .Except(MayReference[project]));

    /// <summary>Nor what a project of theirs references in turn.</summary>
    [Theory]
    [MemberData(nameof(BuiltProjects))]
    public void Assemblies_use_what_their_projects_may(string project)
    {
        using FileStream assembly = Open(project);
        Assert.Empty(CompiledTypes.AssembliesOf(assembly).Where(MayReference.ContainsKey).Except(MayReference[project]));
    }

    [Theory]
    [MemberData(nameof(BuiltProjects))]
    public void Folders_form_no_cycle(string project)
    {
        FolderArrows folders = FoldersOf(project);
        Assert.NotEmpty(folders.Homes);
        Assert.Empty(folders.Scattered);
        Assert.Empty(FolderArrows.Cycles(folders.Arrows));
    }

    [Fact]
    public void No_step_of_the_analysis_uses_a_later_one()
    {
        FolderArrows folders = FoldersOf("Tracer.Analysis");
        Assert.Equal(Steps.Order(StringComparer.Ordinal), folders.Homes.Values.Distinct().Order(StringComparer.Ordinal));
        Assert.True(folders.Arrows.Count > 50, $"only {folders.Arrows.Count} arrows were found");
        Assert.Empty(FolderArrows.Upward(folders.Arrows, Steps));
    }

    /// <summary>A reader of untrusted files needs nothing of the writer; what both know stands in the folder above them.</summary>
    [Fact]
    public void The_reader_of_traces_does_not_use_the_writer()
    {
        FolderArrows folders = FoldersOf("Tracer.Etl");
        Assert.Contains("writing", folders.Homes.Values);
        Assert.DoesNotContain(folders.Arrows, arrow => arrow.To == "writing");
    }

    [Theory]
    [MemberData(nameof(BuiltProjects))]
    public void Namespaces_are_folders(string project)
    {
        string root = XDocument.Load(PathOf(project)).Descendants("RootNamespace").SingleOrDefault()?.Value ?? project;
        bool isOne = WithOneNamespace.ContainsKey(project);
        bool mayStandAbove = Packages.Contains(project);
        FolderArrows folders = FoldersOf(project);
        CompiledType[] types =
        [
            .. Read[project].Types.Where(type => folders.Homes.ContainsKey(type.FullName) && !SharedSources.Contains(type.Namespace)
                && type.FullName != ".Program"),
        ];
        Assert.NotEmpty(types);
        Assert.Empty(types.Where(type => !isOne || type.Namespace != root).Where(type => !mayStandAbove || type.Namespace != root)
            .Where(type => !IsNamespaceOf(type.Namespace, root, folders.Homes[type.FullName]))
            .Select(type => $"{type.FullName} stands in {folders.Homes[type.FullName]}"));
    }

    private static bool IsNamespaceOf(string space, string root, string folder) => string.Equals(
        space, folder == "." ? root : $"{root}.{folder.Replace('/', '.')}", StringComparison.OrdinalIgnoreCase);

    private static FolderArrows FoldersOf(string project) => Read.GetOrAdd(project, static project =>
    {
        using FileStream assembly = Open(project);
        CompiledType[] types = CompiledTypes.Read(assembly);
        string folder = Path.GetRelativePath(RepositoryFiles.Root, Path.GetDirectoryName(PathOf(project))!).Replace('\\', '/') + "/";
        return (types, new FolderArrows(
            types,
            file => InRepository(file) is { } path && path.StartsWith(folder, StringComparison.Ordinal)
                ? FolderOf(path[folder.Length..])
                : null,
            file => File.ReadAllText(Path.Combine(RepositoryFiles.Root, InRepository(file)!))));
    }).Folders;

    /// <summary>The path of a source as the compiler wrote it, from the root on; null where it is generated.</summary>
    private static string? InRepository(string file)
    {
        string path = file.Replace('\\', '/');
        string root = RepositoryFiles.Root.Replace('\\', '/').TrimEnd('/') + "/";
        // A Release build knows the root by this name: Directory.Build.props.
        string? inside = new[] { "/_/", root }.FirstOrDefault(start => path.StartsWith(start, StringComparison.Ordinal)) is { } found
            ? path[found.Length..]
            : null;
        return inside?.StartsWith("artifacts/", StringComparison.Ordinal) == true ? null : inside;
    }

    private static string FolderOf(string path) => path.LastIndexOf('/') is > 0 and int end ? path[..end] : ".";

    private static string PathOf(string project) => ReferenceTests.Projects()[project];

    private static FileStream Open(string project)
    {
        string own = AppContext.BaseDirectory.TrimEnd(Path.DirectorySeparatorChar);
        string path = Path.Combine(own, "..", "..", project, Path.GetFileName(own), project + ".dll");
        Assert.True(File.Exists(path), $"{path} is not there: build Tracer.sln");
        return File.OpenRead(path);
    }
}
