using System.Text;
using System.Text.RegularExpressions;

namespace Tracer.Analysis.Tests.Verdicts;

/// <summary>docs/generated/thresholds.md lists each number by which the analysis decides, with its reason, as sources have it.</summary>
public partial class ThresholdDocumentTests
{
    /// <summary>A library of its own beside the steps: its folders are its steps.</summary>
    private const string Forecast = "forecast";

    /// <summary>The steps that decide, in their order, and what they decide.</summary>
    private static readonly (string Step, string Decides)[] Steps =
    [
        ("verdicts", "what counts, and who is named in which order"),
        ("mechanisms", "what a part of an episode is called, how sure that is, and what speaks for it"),
        ("causes", "what a victim waited for"),
        ("owners", "whose code ran"),
        ("modules", "which part a module plays"),
        ("delays", "what is late"),
        ("latencies", "what `analyzer latency` measures and shows"),
        (Forecast, "what is forecast, and when that is refused ([forecast](../use/forecast.md))"),
        ("beats", "what keeps a beat"),
        ("machine", "what the machine did"),
        ("clocks", "whose clocks disagree"),
    ];

    [Fact]
    public void The_document_lists_the_thresholds_as_they_are() => GoldenText.AssertEqual("docs/generated/thresholds.md", Document());

    [Fact]
    public void Every_threshold_has_its_reason() => Every.Item(
        Steps.SelectMany(step => Files(step.Step)).SelectMany(Thresholds),
        one => Assert.True(one.Reason.Length > 10, $"{one.File} says nothing about {one.Name}"));

    private static string Document()
    {
        var text = new StringBuilder("""
            # Thresholds

            Written by a test from the sources in `analyzer/analysis` and `analyzer/forecast`; change them there and run
            `UPDATE_GOLDEN=1 dotnet test --project tests/analysis -c Release -- --filter-class '*ThresholdDocumentTests'`.

            Every number by which the analysis decides, with its reason. Those by which a culprit is named, whatever the mechanism, stand
            in `analyzer/analysis/mechanisms/CulpritThresholds.cs`, those of how sure it is in `CulpritConfidence.cs` beside it; those of
            one mechanism on its page there or with what finds it in `analyzer/analysis/causes`. Caps on memory and work are in
            [caps](caps.md) as well.
            Scenarios on both sides of a threshold are in `tests/scenarios`, named after the rule; [mutation](mutation.md) tells what
            would go unnoticed.

            """.ReplaceLineEndings("\n"));
        foreach ((string step, string decides) in Steps)
        {
            text.Append($"\n## {char.ToUpperInvariant(step[0])}{step[1..]}: {decides}\n\n")
                .Append("| file | threshold | value | why |\n|---|---|---|---|\n");
            foreach (Threshold one in Files(step).SelectMany(Thresholds))
            {
                text.Append($"| `{one.File}` | {one.Name} | {one.Value} | {one.Reason} |\n");
            }
        }

        return text.ToString();
    }

    private static IEnumerable<string> Files(string step) => step == Forecast
        ? Directory.GetDirectories(Path.Combine(RepositoryFiles.Root, "analyzer", step)).Where(folder => Path.GetFileName(folder) != "obj")
            .SelectMany(folder => Directory.GetFiles(folder, "*.cs")).Order(StringComparer.Ordinal)
        : Directory.GetFiles(Path.Combine(RepositoryFiles.Root, "analyzer", "analysis", step), "*.cs").Order(StringComparer.Ordinal);

    private static IEnumerable<Threshold> Thresholds(string path)
    {
        foreach (Match constant in Constant().Matches(File.ReadAllText(path).ReplaceLineEndings("\n")))
        {
            string joined = Blanks().Replace(Comment().Replace(constant.Groups["why"].Value, " "), " ");
            string reason = Reference().Replace(joined, "`${name}`");
            yield return new Threshold(
                Path.GetFileName(path),
                constant.Groups["name"].Value,
                constant.Groups["value"].Value,
                Blanks().Replace(Tag().Replace(reason, " "), " ").Trim().Replace("|", "\\|", StringComparison.Ordinal));
        }
    }

    private sealed record Threshold(string File, string Name, string Value, string Reason);

    [GeneratedRegex(
        @"(?<why>(^    ///[^\n]*\n)*)^    (private|internal|public|protected) const (?!string)\w+ (?<name>\w+) = (?<value>[^;]+);",
        RegexOptions.Multiline)]
    private static partial Regex Constant();

    [GeneratedRegex("<see cref=\"(?<name>[^\"]+)\"/>")]
    private static partial Regex Reference();

    [GeneratedRegex("^ *///", RegexOptions.Multiline)]
    private static partial Regex Comment();

    [GeneratedRegex("</?summary>")]
    private static partial Regex Tag();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
