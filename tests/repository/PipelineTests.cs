using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>The folders of the analysis are the steps of the data's way, and each knows only the steps before it.</summary>
public partial class PipelineTests
{
    /// <summary>The steps in their order. The last, <c>.</c>, is the folder itself: the pages that put the steps together.</summary>
    private static readonly string[] Steps =
    [
        "beats", "contents", "facts", "trimming", "modules", "machine", "request", "delays", "owners", "causes", "mechanisms",
        "verdict", "report", "slices", "latencies", ".",
    ];

    private static readonly string Analysis = Path.Combine(RepositoryFiles.Root, "analyzer", "analysis");

    [Fact]
    public void Each_folder_is_a_step() => Assert.Equal(
        Steps.SkipLast(1).Order(StringComparer.Ordinal),
        Sources().Select(StepOf).Where(step => step != ".").Distinct().Order(StringComparer.Ordinal));

    [Fact]
    public void No_step_knows_a_later_one()
    {
        Dictionary<string, string> homes = [];
        Dictionary<string, string> texts = Sources().ToDictionary(path => path, path => Bare(File.ReadAllText(path)));
        foreach ((string path, string text) in texts)
        {
            foreach (Match declared in Declaration().Matches(text))
            {
                homes.Add(declared.Groups["name"].Value, StepOf(path));
            }
        }

        Assert.True(homes.Count > 200, $"only {homes.Count} types were found");
        List<string> upward = [];
        int uses = 0;
        foreach ((string path, string text) in texts)
        {
            int own = Array.IndexOf(Steps, StepOf(path));
            foreach (string name in Name().Matches(text).Select(match => match.Value).Distinct())
            {
                bool isOurs = homes.TryGetValue(name, out string? home);
                uses += isOurs ? 1 : 0;
                if (isOurs && Array.IndexOf(Steps, home) > own)
                {
                    upward.Add($"{Path.GetRelativePath(Analysis, path)} knows {name} of {home}");
                }
            }
        }

        Assert.True(uses > 1_000, $"only {uses} uses were found");
        Assert.Empty(upward);
    }

    private static string StepOf(string path) => Path.GetDirectoryName(Path.GetRelativePath(Analysis, path)) is { Length: > 0 } folder
        ? folder.Replace('\\', '/')
        : ".";

    private static string[] Sources() => Directory.GetFiles(Analysis, "*.cs", SearchOption.AllDirectories);

    /// <summary>Without comments, texts, and the members of other types, which may be called as one of ours is.</summary>
    private static string Bare(string source) => Noise().Replace(source, " ");

    [GeneratedRegex(@"//[^\n]*|""(\\.|[^""\\\n])*""|\.\s*\w+|\b\w+ \{ get|\b\w+ =>")]
    private static partial Regex Noise();

    [GeneratedRegex(
        @"^(public|internal) ((static|sealed|abstract|readonly|ref|partial|unsafe) )*"
            + @"(class|struct|record struct|record|enum|interface) (?<name>\w+)",
        RegexOptions.Multiline)]
    private static partial Regex Declaration();

    [GeneratedRegex(@"\b[A-Z]\w+\b")]
    private static partial Regex Name();
}
