using System.Collections.Immutable;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Tracer.Rules;

/// <summary>
/// The rules of style that a build enforces. The SDK has them as IDE0005, IDE0011, IDE0040, IDE0065 and IDE0161, among a hundred others
/// that a build cannot leave out and that take as long as to compile.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StyleRules : DiagnosticAnalyzer
{
    private static readonly DiagnosticDescriptor UnusedUsing = Rule("TRACER1", "This using directive is not needed");
    private static readonly DiagnosticDescriptor NoBraces = Rule("TRACER2", "A statement of '{0}' stands in braces");
    private static readonly DiagnosticDescriptor NoAccessibility = Rule("TRACER3", "A member or type says who may use it");
    private static readonly DiagnosticDescriptor InnerUsing = Rule("TRACER4", "A using directive stands before the namespace");
    private static readonly DiagnosticDescriptor BlockNamespace = Rule("TRACER5", "A namespace is that of its file");

    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
        [UnusedUsing, NoBraces, NoAccessibility, InnerUsing, BlockNamespace];

    public override void Initialize(AnalysisContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSemanticModelAction(FindUnusedUsings);
        context.RegisterSyntaxTreeAction(tree => FindForms(tree.Tree.GetRoot(tree.CancellationToken), tree.ReportDiagnostic));
    }

    /// <summary>The compiler knows them, and tells nobody of itself.</summary>
    private static void FindUnusedUsings(SemanticModelAnalysisContext context)
    {
        foreach (Diagnostic one in context.SemanticModel.GetDiagnostics(null, context.CancellationToken))
        {
            if (one.Id == "CS8019")
            {
                context.ReportDiagnostic(Diagnostic.Create(UnusedUsing, one.Location));
            }
        }
    }

    private static void FindForms(SyntaxNode root, Action<Diagnostic> report)
    {
        foreach (SyntaxNode node in root.DescendantNodes())
        {
            if (node is StatementSyntax statement && IsEmbedded(statement) && !MayStandAlone(statement))
            {
                report(Diagnostic.Create(NoBraces, statement.GetLocation(), statement.Parent!.GetFirstToken().Text));
            }
            else if (node is MemberDeclarationSyntax member && LacksAccessibility(member))
            {
                report(Diagnostic.Create(NoAccessibility, member.GetLocation()));
            }
            else if (node is UsingDirectiveSyntax { Parent: BaseNamespaceDeclarationSyntax })
            {
                report(Diagnostic.Create(InnerUsing, node.GetLocation()));
            }
            else if (node is NamespaceDeclarationSyntax space)
            {
                report(Diagnostic.Create(BlockNamespace, space.Name.GetLocation()));
            }
        }
    }

    private static bool IsEmbedded(StatementSyntax statement) => statement.Parent switch
    {
        IfStatementSyntax or ElseClauseSyntax or CommonForEachStatementSyntax or ForStatementSyntax or WhileStatementSyntax
            or DoStatementSyntax or UsingStatementSyntax or LockStatementSyntax or FixedStatementSyntax => true,
        _ => false,
    };

    private static bool MayStandAlone(StatementSyntax statement) =>
        statement is BlockSyntax
        || (statement is IfStatementSyntax && statement.Parent is ElseClauseSyntax)
        || (statement is UsingStatementSyntax or LockStatementSyntax or FixedStatementSyntax
            && statement.Kind() == statement.Parent!.Kind());

    private static bool LacksAccessibility(MemberDeclarationSyntax member)
    {
        bool mayHaveOne = member is not (BaseNamespaceDeclarationSyntax or GlobalStatementSyntax or EnumMemberDeclarationSyntax
                or DestructorDeclarationSyntax or ExtensionBlockDeclarationSyntax)
            && member.Parent is not InterfaceDeclarationSyntax
            && ExplicitInterfaceOf(member) is null
            && !(member is ConstructorDeclarationSyntax && member.Modifiers.Any(SyntaxKind.StaticKeyword))
            && !(member is MethodDeclarationSyntax && member.Modifiers.Any(SyntaxKind.PartialKeyword))
            && !member.Modifiers.Any(SyntaxKind.FileKeyword);
        return mayHaveOne && !member.Modifiers.Any(modifier => modifier.Kind() is SyntaxKind.PublicKeyword or SyntaxKind.InternalKeyword
            or SyntaxKind.ProtectedKeyword or SyntaxKind.PrivateKeyword);
    }

    private static ExplicitInterfaceSpecifierSyntax? ExplicitInterfaceOf(MemberDeclarationSyntax member) => member switch
    {
        MethodDeclarationSyntax method => method.ExplicitInterfaceSpecifier,
        BasePropertyDeclarationSyntax property => property.ExplicitInterfaceSpecifier,
        OperatorDeclarationSyntax op => op.ExplicitInterfaceSpecifier,
        ConversionOperatorDeclarationSyntax conversion => conversion.ExplicitInterfaceSpecifier,
        _ => null,
    };

    private static DiagnosticDescriptor Rule(string id, string message) =>
        new(id, message, message, "Style", DiagnosticSeverity.Warning, isEnabledByDefault: true);
}
