using System.Text;
using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Tracer.Tests;

namespace Tracer.Repository.Tests;

/// <summary>
/// Every sentence that the commands can print stands in one stored text, by file, with {} for what is filled in: it is there to be read as
/// a native speaker would, and a change of it is a change that a reviewer sees. Some mistakes are found without a reader.
/// </summary>
public sealed partial class SentenceTests
{
    private static readonly string[] Folders = ["analyzer", "commandline", "contract", "etl", "symbols", "tracer"];

    /// <summary>Folders of these that print nothing for users: what is only in the simulator's own documents.</summary>
    private static readonly string[] Silent = ["tracer/simulator/", "/obj/", "/bin/"];

    private static readonly Lazy<IReadOnlyList<(string File, string Text)>> All = new(() => [.. Read()]);

    [Fact]
    public void Every_sentence_is_stored()
    {
        var text = new StringBuilder();
        foreach (IGrouping<string, (string File, string Text)> file in All.Value.GroupBy(one => one.File))
        {
            text.Append("# ").Append(file.Key).Append('\n');
            foreach ((_, string sentence) in file)
            {
                text.Append(sentence.Replace("\n", "\\n", StringComparison.Ordinal)).Append('\n');
            }

            text.Append('\n');
        }

        Assert.True(All.Value.Count > 500, $"only {All.Value.Count} sentences were found");
        GoldenText.AssertEqual("tests/repository/sentences.txt", text.ToString());
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
    public void No_sentence_has_a_phrase_that_readers_stumbled_over(string phrase) =>
        Assert.DoesNotContain(All.Value, one => one.Text.Contains(phrase, StringComparison.Ordinal));

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

    [GeneratedRegex(@"\{n\} (?:of \{n\} )?(?:more |other |such |late )?"
        + "(?:times|samples|episodes|runs|wake-ups|stops|events|buffers|stretches|records)\\b")]
    private static partial Regex PluralBehindNumber();
}
