using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// docs/internals/architecture.md says which file to open for ten likely changes, and for some more: the files are found by the word that
/// one would look for, and the names are in them.
/// </summary>
public partial class TenChangesTests
{
    /// <summary>Files that have the word in their names: who looks for it reads no longer list.</summary>
    private const int MostFound = 2;

    /// <summary>Where one would look: what is shipped, and its documents.</summary>
    private static readonly string[] Folders =
        ["analyzer", "commandline", "contract", "docs", "etl", "kdriver", "symbols", "tracer", "viewer/src"];

    [Fact]
    public void Each_file_is_there_with_the_names_that_the_list_says()
    {
        List<Change> changes = Changes();
        Assert.True(changes.Count > 10, $"only {changes.Count} changes were understood");
        Assert.All(changes, change => Assert.Contains(change.Places, place => place.Names.Length > 0));
        List<string> gone = [];
        foreach (Change change in changes)
        {
            foreach ((string file, string[] names) in change.Places)
            {
                string path = Path.Combine(RepositoryFiles.Root, file);
                string text = File.Exists(path) ? File.ReadAllText(path) : string.Empty;
                gone.AddRange(names.Prepend(string.Empty).Where(name => text.Length == 0 || !Regex.IsMatch(text, $@"\b{name}\b"))
                    .Select(name => $"{change.What}: {file} {name}"));
            }
        }

        Assert.Empty(gone);
    }

    [Fact]
    public void The_first_guess_leads_there()
    {
        List<string> files = [.. Folders.SelectMany(Files)];
        Assert.True(files.Count > 1_000, $"only {files.Count} files were found");
        foreach (Change change in Changes())
        {
            Assert.NotEmpty(change.Guesses);
            foreach (string guess in change.Guesses)
            {
                string[] found = [.. files.Where(file => Path.GetFileName(file).Contains(guess, StringComparison.OrdinalIgnoreCase))];
                Assert.True(found.Length <= MostFound, $"{guess}: {string.Join(", ", found)}");
                Assert.True(
                    found.Intersect(change.Places.Select(place => place.File)).Any(),
                    $"{change.What}: who looks for {guess} finds {string.Join(", ", found)}");
            }
        }
    }

    private static IEnumerable<string> Files(string folder) =>
        Directory.EnumerateFiles(Path.Combine(RepositoryFiles.Root, folder), "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(RepositoryFiles.Root, path).Replace('\\', '/'))
            .Where(path => Source().IsMatch(path) && !path.Contains("/obj/", StringComparison.Ordinal));

    /// <summary>The rows of both tables.</summary>
    private static List<Change> Changes()
    {
        string text = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "internals", "architecture.md"));
        text = text[text.IndexOf("## Ten changes", StringComparison.Ordinal)..];
        text = text[..text.IndexOf("\n## ", 3, StringComparison.Ordinal)];
        return
        [
            .. text.Split('\n').Where(row => row.StartsWith("| ", StringComparison.Ordinal)).Select(row => row.Split('|'))
                .Where(cells => cells[1].Trim() != "change")
                .Select(cells => new Change(
                    cells[1].Trim(),
                    [.. Name().Matches(cells[2]).Select(name => name.Groups["name"].Value)],
                    [
                        .. Place().Matches(cells[3] + cells[4]).Select(place => (
                            place.Groups["file"].Value,
                            Name().Matches(place.Groups["names"].Value).Select(name => name.Groups["name"].Value).ToArray())),
                    ])),
        ];
    }

    [GeneratedRegex(@"`(?<file>[\w/.]+\.(cs|h|md|ts|txt))`(: (?<names>`\w+`(, `\w+`)*))?")]
    private static partial Regex Place();

    [GeneratedRegex(@"\.(cs|c|h|md|ts)$")]
    private static partial Regex Source();

    [GeneratedRegex(@"`(?<name>\w+)`")]
    private static partial Regex Name();

    private sealed record Change(string What, string[] Guesses, (string File, string[] Names)[] Places);
}
