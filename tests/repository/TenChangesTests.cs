using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>docs/internals/architecture.md says which file to open for ten likely changes; files and the names in them are there.</summary>
public partial class TenChangesTests
{
    [Fact]
    public void Each_file_is_there_with_the_names_that_the_list_says()
    {
        List<(string Change, string File, string[] Names)> places = [.. Places()];
        Assert.Equal(10, places.Select(place => place.Change).Distinct().Count());
        Assert.True(places.Count(place => place.Names.Length > 0) >= 10, "hardly a row names anything to look for");
        List<string> gone = [];
        foreach ((string change, string file, string[] names) in places)
        {
            string path = Path.Combine(RepositoryFiles.Root, file);
            string text = File.Exists(path) ? File.ReadAllText(path) : string.Empty;
            gone.AddRange(names.Prepend(string.Empty).Where(name => text.Length == 0 || !Regex.IsMatch(text, $@"\b{name}\b"))
                .Select(name => $"{change}: {file} {name}"));
        }

        Assert.Empty(gone);
    }

    /// <summary>The files of the second column, each with the names behind its colon.</summary>
    private static IEnumerable<(string Change, string File, string[] Names)> Places()
    {
        string text = File.ReadAllText(Path.Combine(RepositoryFiles.Root, "docs", "internals", "architecture.md"));
        text = text[text.IndexOf("## Ten changes", StringComparison.Ordinal)..];
        text = text[..text.IndexOf("\n## ", 3, StringComparison.Ordinal)];
        foreach (string row in text.Split('\n').Where(row => row.StartsWith("| ", StringComparison.Ordinal)).Skip(1))
        {
            string[] cells = row.Split('|');
            foreach (Match place in Place().Matches(cells[2] + cells[3]))
            {
                yield return (cells[1].Trim(), place.Groups["file"].Value,
                    [.. Name().Matches(place.Groups["names"].Value).Select(name => name.Groups["name"].Value)]);
            }
        }
    }

    [GeneratedRegex(@"`(?<file>[\w/.]+\.(cs|h|md|txt))`(: (?<names>`\w+`(, `\w+`)*))?")]
    private static partial Regex Place();

    [GeneratedRegex(@"`(?<name>\w+)`")]
    private static partial Regex Name();
}
