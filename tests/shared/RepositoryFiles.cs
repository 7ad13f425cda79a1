namespace Tracer.Tests;

/// <summary>Where the files of the checkout are, and the material beside it that is no part of the product.</summary>
internal static class RepositoryFiles
{
    /// <summary>The folder that holds Tracer.sln.</summary>
    public static string Root { get; } = FindRoot();

    private static string CorpusFolder =>
        Environment.GetEnvironmentVariable("TRACER_CORPUS") ?? Path.Combine(Root, "..", "shared", "corpus");

    /// <summary>
    /// The real traces, from the variable TRACER_CORPUS or beside the checkout; the test is skipped where they are absent.
    /// </summary>
    public static string Corpus()
    {
        Assert.SkipUnless(Directory.Exists(CorpusFolder), $"the corpus of real traces is not here: {CorpusFolder} (set TRACER_CORPUS)");
        return CorpusFolder;
    }

    /// <summary>
    /// Names of the corpus files that fit a pattern, for a theory; where the corpus is absent one row, whose test then skips
    /// itself. Names in one of its folders begin with the folder's: "synthetic/".
    /// </summary>
    public static IEnumerable<string> InCorpus(string pattern, string folder = "") => Directory.Exists(CorpusFolder)
        ? Directory.EnumerateFiles(Path.Combine(CorpusFolder, folder), pattern)
            .Select(path => folder + Path.GetFileName(path)).Order(StringComparer.Ordinal)
        : ["(no corpus)"];

    /// <summary>The text of the contract, which stands beside the checkout; the test is skipped where it is absent.</summary>
    public static string ContractText()
    {
        string path = Path.Combine(Root, "..", "shared", "design.md");
        Assert.SkipUnless(File.Exists(path), $"the contract is not here: {path}");
        return File.ReadAllText(path);
    }

    private static string FindRoot()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Tracer.sln")))
            {
                return folder.FullName;
            }
        }

        throw new InvalidOperationException($"No folder above {AppContext.BaseDirectory} holds Tracer.sln.");
    }
}
