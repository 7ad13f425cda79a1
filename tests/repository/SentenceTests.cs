using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// Rules for every sentence that the commands can print: some mistakes are found without a reader. For a reader,
/// <c>dotnet test --project tests/repository -c Release -- --explicit only --filter-class '*SentenceTests'</c> writes them all to
/// artifacts/sentences.txt, by file, with {} for what is filled in.
/// </summary>
public sealed partial class SentenceTests
{
    /// <summary>There are about 3,000: with far fewer the sources were not found, and no rule would see anything.</summary>
    private const int LeastSentences = 2_000;

    private static readonly string[] Folders = ["analyzer", "commandline", "contract", "etl", "symbols", "tracer"];

    /// <summary>Folders of these that print nothing for users: what is only in the simulator's own documents.</summary>
    private static readonly string[] Silent = ["tracer/simulator/", "/obj/", "/bin/"];

    private static readonly Lazy<IReadOnlyList<(string File, string Text)>> All = new(() => [.. Read()]);

    [Fact]
    public void Sentences_are_found_in_the_sources()
    {
        Assert.InRange(All.Value.Count, LeastSentences, int.MaxValue);
        Assert.Contains(All.Value, one => one.Text.StartsWith("Not recorded, so not judged: record ", StringComparison.Ordinal));
    }

    [Fact(Explicit = true)]
    public void All_sentences_are_written_for_a_reader()
    {
        Assert.InRange(All.Value.Count, LeastSentences, int.MaxValue);
        string folder = Directory.CreateDirectory(Path.Combine(RepositoryFiles.Root, "artifacts")).FullName;
        File.WriteAllLines(Path.Combine(folder, "sentences.txt"), All.Value.GroupBy(one => one.File).SelectMany(file => (string[])[
            $"# {file.Key}", .. file.Select(one => one.Text.Replace("\n", "\\n", StringComparison.Ordinal)), ""]));
    }

    /// <summary>A number that is filled in may be 1, so that a plural behind it needs a helper that knows.</summary>
    [Fact]
    public void No_plural_stands_behind_a_number_that_may_be_one() =>
        Assert.DoesNotContain(All.Value, one => PluralBehindNumber().IsMatch(one.Text));

    [Theory]
    [InlineData("can't raise IRQL")]
    [InlineData("1 times")]
    [InlineData("idle thread say ")]
    [InlineData(" , ")]
    [InlineData("  more")]
    [InlineData(" a ISR")]
    [InlineData(" a unknown")]
    [InlineData(" an DPC")]
    [InlineData("which itself")]
    [InlineData("victims' place")]
    [InlineData("so that nobody")]
    [InlineData(" in the place of ")]
    [InlineData(" tells of no ")]
    [InlineData(" is none of ")]
    public void No_sentence_has_a_phrase_that_readers_stumbled_over(string phrase) =>
        Assert.DoesNotContain(All.Value, one => one.Text.Contains(phrase, StringComparison.Ordinal));

    /// <summary>Nobody says "'5x' is no duration": it is not one.</summary>
    [Fact]
    public void What_is_filled_in_is_never_said_to_be_no_such_thing() =>
        Assert.DoesNotContain(All.Value, one => IsNoSuchThing().IsMatch(one.Text));

    private static IEnumerable<(string File, string Text)> Read()
    {
        foreach (string path in Folders.Select(folder => Path.Combine(RepositoryFiles.Root, folder))
            .SelectMany(folder => Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories))
            .Select(path => Path.GetRelativePath(RepositoryFiles.Root, path).Replace('\\', '/'))
            .Where(path => !Silent.Any(path.Contains)).Order(StringComparer.Ordinal))
        {
            SyntaxNode root = CSharpSyntaxTree.ParseText(File.ReadAllText(Path.Combine(RepositoryFiles.Root, path))).GetRoot();
            IEnumerable<string> texts = root.DescendantNodes().OfType<ExpressionSyntax>().Where(IsWhole).Select(TextOf);
            foreach (string text in texts.Where(IsSentence).Distinct())
            {
                yield return (path, text);
            }
        }
    }

    /// <summary>Whether an expression is a text, and no part of a longer one.</summary>
    private static bool IsWhole(ExpressionSyntax node) => IsText(node) && !(node.Parent is BinaryExpressionSyntax sum && IsText(sum));

    private static bool IsText(SyntaxNode node) => node switch
    {
        LiteralExpressionSyntax literal => literal.IsKind(SyntaxKind.StringLiteralExpression),
        InterpolatedStringExpressionSyntax => true,
        BinaryExpressionSyntax sum => sum.IsKind(SyntaxKind.AddExpression) && (IsText(sum.Left) || IsText(sum.Right)),
        _ => false,
    };

    private static string TextOf(SyntaxNode node) => node switch
    {
        LiteralExpressionSyntax literal => literal.Token.ValueText,
        InterpolatedStringExpressionSyntax filled => string.Concat(filled.Contents.Select(part => part switch
        {
            InterpolatedStringTextSyntax text => text.TextToken.ValueText,
            InterpolationSyntax { FormatClause.FormatStringToken.ValueText: "N0" } => "{n}",
            _ => "{}",
        })),
        BinaryExpressionSyntax sum when IsText(sum) => TextOf(sum.Left) + TextOf(sum.Right),
        _ => "{}",
    };

    /// <summary>Two words in a row that are letters: no format, no path, no pattern.</summary>
    private static bool IsSentence(string text) => TwoWords().IsMatch(text);

    [GeneratedRegex(@"(?:^|[ (])[A-Za-z][a-z']+,? [a-z'{][a-z'}]*")]
    private static partial Regex TwoWords();

    [GeneratedRegex(@"\{\}['""]? (?:is|are) no (?!longer|known)")]
    private static partial Regex IsNoSuchThing();

    [GeneratedRegex(@"\{n\} (?:of \{n\} )?(?:more |other |such |late )?"
        + "(?:times|samples|episodes|runs|wake-ups|stops|events|buffers|stretches|records)\\b")]
    private static partial Regex PluralBehindNumber();
}
