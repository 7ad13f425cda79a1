using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using static Microsoft.CodeAnalysis.CSharp.SyntaxFactory;

namespace Tracer.Mutation;

internal static class PatternOperators
{
    /// <summary>The pattern with its neighbour for an operator; null where it has none.</summary>
    public static PatternSyntax? Other(PatternSyntax pattern) => pattern switch
    {
        RelationalPatternSyntax relation => RelationalPattern(
            Token(relation.OperatorToken.Kind() switch
            {
                SyntaxKind.LessThanToken => SyntaxKind.LessThanEqualsToken,
                SyntaxKind.LessThanEqualsToken => SyntaxKind.LessThanToken,
                SyntaxKind.GreaterThanToken => SyntaxKind.GreaterThanEqualsToken,
                _ => SyntaxKind.GreaterThanToken,
            }),
            relation.Expression),
        BinaryPatternSyntax both when both.IsKind(SyntaxKind.AndPattern) => BinaryPattern(SyntaxKind.OrPattern, both.Left, both.Right),
        BinaryPatternSyntax any => BinaryPattern(SyntaxKind.AndPattern, any.Left, any.Right),
        UnaryPatternSyntax not => not.Pattern,
        _ => null,
    };
}
