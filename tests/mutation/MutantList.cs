using System.Text.RegularExpressions;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Tracer.Mutation;

/// <summary>The mutants of a set of sources, in the order of the text: the same sources give the same numbers.</summary>
/// <param name="dropped">Numbers of those that do not compile.</param>
/// <param name="fixedConstants">Numbers of values whose constant must stay one: they need an assembly of their own.</param>
internal sealed partial class MutantList(HashSet<int> dropped, HashSet<int> fixedConstants)
{
    private const int LongestOperand = 70;

    private readonly Dictionary<string, int> _perKey = [];
    private int _next;

    public List<Mutant> All { get; } = [];

    public int Count => _next;

    /// <summary>Takes a change; null where it was found not to compile.</summary>
    public Mutant? Add(SyntaxNode place, string file, string change, bool needsOwnProcess)
    {
        int id = _next++;
        if (dropped.Contains(id))
        {
            return null;
        }

        string key = $"{Path.GetFileName(file)} | {MemberOf(place)} | {change}";
        int ordinal = _perKey[key] = _perKey.GetValueOrDefault(key) + 1;
        int line = place.GetLocation().GetLineSpan().StartLinePosition.Line + 1;
        var mutant = new Mutant(id, file, line, MemberOf(place), change, ordinal) { NeedsOwnProcess = needsOwnProcess };
        All.Add(mutant);
        return mutant;
    }

    public bool MustStayConstant(Mutant mutant) => fixedConstants.Contains(mutant.Id);

    /// <summary>A piece of source in one line.</summary>
    public static string Text(SyntaxNode node)
    {
        string text = Blanks().Replace(node.NormalizeWhitespace().ToString(), " ").Trim();
        return text.Length <= LongestOperand ? text : string.Concat("...", text.AsSpan(text.Length - LongestOperand));
    }

    private static string MemberOf(SyntaxNode place)
    {
        string? member = null;
        foreach (SyntaxNode node in place.AncestorsAndSelf())
        {
            switch (node)
            {
                case MethodDeclarationSyntax method:
                    member ??= method.Identifier.Text;
                    break;
                case ConstructorDeclarationSyntax:
                    member ??= "new";
                    break;
                case PropertyDeclarationSyntax property:
                    member ??= property.Identifier.Text;
                    break;
                case OperatorDeclarationSyntax or IndexerDeclarationSyntax or ConversionOperatorDeclarationSyntax:
                    member ??= "operator";
                    break;
                case VariableDeclaratorSyntax { Parent.Parent: FieldDeclarationSyntax } field:
                    member ??= field.Identifier.Text;
                    break;
                case BaseTypeDeclarationSyntax type:
                    return member is null ? type.Identifier.Text : $"{type.Identifier.Text}.{member}";
                default:
                    break;
            }
        }

        return member ?? "";
    }

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blanks();
}
