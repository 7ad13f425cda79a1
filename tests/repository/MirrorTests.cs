using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// Tests stand in the folder of what they test: each folder of tests has the name of one of the product, and the tests of a page stand in
/// the folder of that page.
/// </summary>
public sealed class MirrorTests
{
    /// <summary>Folders of the product, where their tests are, and the folders there that only tests have.</summary>
    private static readonly (string Product, string Tests, string[] Own)[] Mirrors =
    [
        ("analyzer/analysis", "tests/analysis", ["properties", "scenarios", "simulated"]),
        ("analyzer/commands", "tests/commands",
        [
            "common", "emptiness", "fleet/goldens", "fleet/made", "fuzzing", "golden", "output", "shared", "text",
        ]),
        ("analyzer/common", "tests/commands/common", []),
        ("analyzer/shared", "tests/commands/shared", []),
        ("analyzer/forecast", "tests/forecast", ["made"]),
        ("tracer/simulator", "tests/simulator", []),
        ("tracer/measure", "tests/measure", ["driver", "model"]),
        ("tracer/capture", "tests/capture", ["commands", "common", "endtoend", "fake", "sessions/headers", "windows"]),
        ("tracer/commands", "tests/capture/commands", []),
        ("tracer/common", "tests/capture/common", []),
        ("contract", "tests/contract", ["golden"]),
        ("symbols", "tests/symbols", []),
        ("etl", "tests/etl", ["conformance", "samples"]),
    ];

    public static TheoryData<string> Tests => [.. Mirrors.Select(mirror => mirror.Tests)];

    [Theory]
    [MemberData(nameof(Tests))]
    public void Folders_of_tests_have_names_of_the_product(string tests)
    {
        (string product, _, string[] own) = Mirrors.Single(mirror => mirror.Tests == tests);
        HashSet<string> folders = [.. Below(product).SelectMany(WithThoseAbove)];
        Assert.NotEmpty(folders);
        string[] others = [.. Below(tests).Where(folder => folder.Length > 0 && !folders.Contains(folder))];
        Assert.DoesNotContain(others, folder => !Array.Exists(own, one => IsIn(folder, one)));
        string[] files = [.. Below(tests, "*")];
        Assert.All(own, one => Assert.Contains(files, folder => IsIn(folder, one)));
    }

    [Theory]
    [MemberData(nameof(Tests))]
    public void Tests_of_a_page_stand_in_its_folder(string tests)
    {
        string product = Mirrors.Single(mirror => mirror.Tests == tests).Product;
        ILookup<string, string> folders = Files(product).ToLookup(path => NameOf(path), path => FolderOf(path, product));
        Assert.Empty(
            from path in Files(tests)
            let name = NameOf(path)
            where name.EndsWith("Tests", StringComparison.Ordinal)
            let homes = folders[name[..^"Tests".Length]].ToArray()
            where homes.Length == 1 && homes[0] != FolderOf(path, tests)
            select $"{path} belongs to {tests}/{homes[0]}");
    }

    /// <summary>
    /// All tests of the commands of <c>tracer</c> stand together, but those that measure, which need the model of a machine.
    /// </summary>
    [Fact]
    public void Tests_of_a_command_of_tracer_stand_with_the_others()
    {
        const string Commands = "tracer/commands";
        ILookup<string, string> folders = Files(Commands).ToLookup(path => NameOf(path), path => FolderOf(path, Commands));
        string[] tests =
        [
            .. from path in Files("tests")
               let name = NameOf(path)
               where name.EndsWith("Tests", StringComparison.Ordinal) && folders[name[..^"Tests".Length]].Any(home => home != "measure")
               select path,
        ];
        Assert.True(tests.Length > 5, $"only {tests.Length} tests of commands were found");
        Assert.All(tests, path => Assert.StartsWith("tests/capture/commands/", path, StringComparison.Ordinal));
    }

    private static bool IsIn(string folder, string one) => folder == one || folder.StartsWith(one + "/", StringComparison.Ordinal);

    private static IEnumerable<string> WithThoseAbove(string folder)
    {
        for (string at = folder; at.Length > 0; at = Path.GetDirectoryName(at)!.Replace('\\', '/'))
        {
            yield return at;
        }
    }

    private static IEnumerable<string> Below(string folder, string files = "*.cs") =>
        Files(folder, files).Select(path => FolderOf(path, folder)).Distinct();

    private static string[] Files(string folder, string files = "*.cs") =>
        ChildProcess.Output("git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", $"{folder}/{files}")
            .Split('\n', StringSplitOptions.RemoveEmptyEntries);

    private static string NameOf(string path) => Path.GetFileNameWithoutExtension(path);

    private static string FolderOf(string path, string below) =>
        Path.GetDirectoryName(path)!.Replace('\\', '/')[below.Length..].TrimStart('/');
}
