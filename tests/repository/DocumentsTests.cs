using System.Text.RegularExpressions;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// docs/README.md names every page below docs, each once; pages of docs/generated say what writes them; links to headings lead to one.
/// </summary>
public partial class DocumentsTests
{
    private static readonly string Docs = Path.Combine(RepositoryFiles.Root, "docs");

    [Fact]
    public void The_index_names_every_page_once()
    {
        string index = File.ReadAllText(Path.Combine(Docs, "README.md"));
        string[] pages = [.. Pages().Where(page => page != "README.md").Order(StringComparer.Ordinal)];
        Assert.NotEmpty(pages);
        string[] named = [.. IndexRow().Matches(index).Select(row => row.Groups["page"].Value).Order(StringComparer.Ordinal)];
        Assert.Equal(pages, named);
    }

    [Fact]
    public void Pages_stand_in_the_four_folders() => Assert.Equal(
        ["README.md", "generated", "internals", "reference", "use"],
        Directory.EnumerateFileSystemEntries(Docs).Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal));

    /// <summary>Whoever is told "see limits.md" finds one.</summary>
    [Fact]
    public void No_two_pages_have_one_name()
    {
        string[] pages = [.. Pages().Select(page => Path.GetFileName(page)!)];
        Assert.True(pages.Length > 30, $"only {pages.Length} pages were found");
        Assert.DoesNotContain(pages.CountBy(page => page), page => page.Value > 1);
    }

    /// <summary>In its first lines: the command that writes it, or the script, or that a test does.</summary>
    [Fact]
    public void A_generated_page_says_what_writes_it() => Every.Item(
        Directory.EnumerateFiles(Path.Combine(Docs, "generated"), "*.md"),
        path => Assert.Matches(Writer(), string.Join(' ', File.ReadLines(path).Take(16))));

    [Fact]
    public void Links_to_headings_lead_to_one()
    {
        string[] documents = [.. Pages().Select(page => Path.Combine(Docs, page)),
            .. Directory.EnumerateFiles(RepositoryFiles.Root, "*.md").Where(path => Path.GetFileName(path) != "CHANGELOG.md")];
        List<string> gone = [];
        int links = 0;
        foreach (string document in documents)
        {
            foreach (Match link in HeadingLink().Matches(File.ReadAllText(document)))
            {
                string target = link.Groups["page"].Value is { Length: > 0 } page
                    ? Path.Combine(Path.GetDirectoryName(document)!, page)
                    : document;
                links++;
                if (!File.Exists(target) || !Anchors(target).Contains(link.Groups["anchor"].Value))
                {
                    gone.Add($"{Path.GetRelativePath(RepositoryFiles.Root, document)}: {link.Value}");
                }
            }
        }

        Assert.True(links >= 10, $"only {links} links were found");
        Assert.Empty(gone);
    }

    private static IEnumerable<string> Pages() => Directory.EnumerateFiles(Docs, "*.md", SearchOption.AllDirectories)
        .Select(path => Path.GetRelativePath(Docs, path).Replace('\\', '/'));

    /// <summary>As the hosts of repositories make them of headings.</summary>
    private static HashSet<string> Anchors(string document) => [.. Heading().Matches(File.ReadAllText(document))
        .Select(heading => NoAnchor().Replace(heading.Groups["text"].Value.ToLowerInvariant(), "").Replace(' ', '-'))];

    [GeneratedRegex(@"^\| \[[^\]]+\]\((?<page>[^)#]+\.md)\) \|", RegexOptions.Multiline)]
    private static partial Regex IndexRow();

    [GeneratedRegex(@"(?:[Ww]ritten|Generated) by (?:`|a test|the tests)|writes this page")]
    private static partial Regex Writer();

    [GeneratedRegex(@"\]\((?<page>(?:[\w./-]+\.md)?)#(?<anchor>[\w-]+)\)")]
    private static partial Regex HeadingLink();

    [GeneratedRegex(@"^#+ (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NoAnchor();
}
