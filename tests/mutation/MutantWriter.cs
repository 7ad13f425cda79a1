using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using static Microsoft.CodeAnalysis.CSharp.SyntaxFactory;

namespace Tracer.Mutation;

/// <summary>Writes every mutant of a file beside what it replaces: a number chooses which of them runs.</summary>
/// <param name="model">What the names of the file mean.</param>
/// <param name="file">Path of the file, from the root of the sources.</param>
/// <param name="tree">Its index among the sources.</param>
/// <param name="list">Takes the mutants.</param>
internal sealed class MutantWriter(SemanticModel model, string file, int tree, MutantList list) : CSharpSyntaxRewriter
{
    /// <summary>The annotation of what a mutant was written into.</summary>
    public const string OfMutant = "mutant";

    /// <summary>The annotation of a constant that became a property or a variable.</summary>
    public const string OfConstant = "constant";

    public override SyntaxNode? VisitAttributeList(AttributeListSyntax node) => node;

    public override SyntaxNode? VisitParameterList(ParameterListSyntax node) => node;

    public override SyntaxNode? VisitCaseSwitchLabel(CaseSwitchLabelSyntax node) => node;

    public override SyntaxNode? VisitConstantPattern(ConstantPatternSyntax node) => node;

    public override SyntaxNode? VisitRelationalPattern(RelationalPatternSyntax node) => node;

    public override SyntaxNode? VisitEnumMemberDeclaration(EnumMemberDeclarationSyntax node) => node;

    public override SyntaxNode? VisitFieldDeclaration(FieldDeclarationSyntax node)
    {
        if (!node.Modifiers.Any(SyntaxKind.ConstKeyword))
        {
            return base.VisitFieldDeclaration(node);
        }

        VariableDeclaratorSyntax variable = node.Declaration.Variables[0];
        if (model.GetDeclaredSymbol(variable) is not IFieldSymbol { HasConstantValue: true } field
            || ValueOf(variable, field.ConstantValue!, node.Declaration.Type) is not { } value)
        {
            return node;
        }

        IEnumerable<SyntaxToken> modifiers = node.Modifiers.Where(modifier => !modifier.IsKind(SyntaxKind.ConstKeyword));
        return PropertyDeclaration(node.Declaration.Type, variable.Identifier)
            .WithModifiers(TokenList(modifiers.Append(Token(SyntaxKind.StaticKeyword))))
            .WithExpressionBody(ArrowExpressionClause(value))
            .WithSemicolonToken(Token(SyntaxKind.SemicolonToken))
            .WithAdditionalAnnotations(value.GetAnnotations(OfMutant).Select(note => new SyntaxAnnotation(OfConstant, note.Data)));
    }

    public override SyntaxNode? VisitLocalDeclarationStatement(LocalDeclarationStatementSyntax node)
    {
        if (!node.IsConst)
        {
            return base.VisitLocalDeclarationStatement(node);
        }

        VariableDeclaratorSyntax variable = node.Declaration.Variables[0];
        if (model.GetDeclaredSymbol(variable) is not ILocalSymbol { HasConstantValue: true } local
            || ValueOf(variable, local.ConstantValue!, node.Declaration.Type) is not { } value)
        {
            return node;
        }

        VariableDeclaratorSyntax changed = variable.WithInitializer(EqualsValueClause(value))
            .WithAdditionalAnnotations(value.GetAnnotations(OfMutant).Select(note => new SyntaxAnnotation(OfConstant, note.Data)));
        return LocalDeclarationStatement(node.Declaration.WithVariables(SingletonSeparatedList(changed)));
    }

    public override SyntaxNode? VisitPropertyDeclaration(PropertyDeclarationSyntax node)
    {
        var visited = (PropertyDeclarationSyntax)base.VisitPropertyDeclaration(node)!;
        if (node.Initializer is not { Value: { } value } || model.GetConstantValue(value) is not { HasValue: true, Value: { } constant })
        {
            return visited;
        }

        bool isStatic = node.Modifiers.Any(SyntaxKind.StaticKeyword);
        string type = node.Type.ToString();
        ExpressionSyntax result = visited.Initializer!.Value;
        foreach (string other in OtherValues.Of(constant))
        {
            result = Either(node, $"{MutantList.Text(value)} -> {other}", ParseExpression($"unchecked(({type}){other})"), result, isStatic);
        }

        return visited.WithInitializer(EqualsValueClause(result));
    }

    public override SyntaxNode? VisitBinaryExpression(BinaryExpressionSyntax node)
    {
        var visited = (ExpressionSyntax)base.VisitBinaryExpression(node)!;
        if (OtherOperator(node) is not { } kind)
        {
            return visited;
        }

        if (Declares(node))
        {
            return node.IsKind(SyntaxKind.LogicalAndExpression) ? WithoutOperands(node, (BinaryExpressionSyntax)visited) : visited;
        }

        return Replaced(node, BinaryExpression(kind, node.Left, node.Right), visited);
    }

    public override SyntaxNode? VisitAssignmentExpression(AssignmentExpressionSyntax node)
    {
        var visited = (ExpressionSyntax)base.VisitAssignmentExpression(node)!;
        SyntaxKind kind = node.Kind() switch
        {
            SyntaxKind.AddAssignmentExpression => SyntaxKind.SubtractAssignmentExpression,
            SyntaxKind.SubtractAssignmentExpression => SyntaxKind.AddAssignmentExpression,
            _ => SyntaxKind.None,
        };
        if (kind == SyntaxKind.None || node.Parent is not ExpressionStatementSyntax || !IsNumber(node.Left) || Declares(node))
        {
            return visited;
        }

        ExpressionSyntax either = Replaced(node, AssignmentExpression(kind, node.Left, node.Right), visited);
        return either == visited
            ? visited
            : AssignmentExpression(SyntaxKind.SimpleAssignmentExpression, Discard(), either);
    }

    public override SyntaxNode? VisitPrefixUnaryExpression(PrefixUnaryExpressionSyntax node)
    {
        var visited = (ExpressionSyntax)base.VisitPrefixUnaryExpression(node)!;
        if (!node.IsKind(SyntaxKind.LogicalNotExpression))
        {
            return visited;
        }

        return Declares(node)
            ? Negated(node, visited, $"{MutantList.Text(node)} -> without !")
            : Replaced(node, node.Operand, visited);
    }

    public override SyntaxNode? VisitInvocationExpression(InvocationExpressionSyntax node)
    {
        var visited = (ExpressionSyntax)base.VisitInvocationExpression(node)!;
        if (node.ArgumentList.Arguments.Count != 2
            || node.Expression is not MemberAccessExpressionSyntax { Name: IdentifierNameSyntax name } access
            || name.Identifier.Text is not ("Max" or "Min")
            || model.GetSymbolInfo(node).Symbol is not IMethodSymbol { IsStatic: true, MethodKind: MethodKind.Ordinary }
            || Declares(node))
        {
            return visited;
        }

        IdentifierNameSyntax other = IdentifierName(name.Identifier.Text == "Max" ? "Min" : "Max");
        return Replaced(node, node.WithExpression(access.WithName(other)), visited);
    }

    public override SyntaxNode? VisitIsPatternExpression(IsPatternExpressionSyntax node) =>
        WithOtherPatterns(node, (ExpressionSyntax)base.VisitIsPatternExpression(node)!, node.Pattern);

    public override SyntaxNode? VisitSwitchExpression(SwitchExpressionSyntax node)
    {
        var result = (ExpressionSyntax)base.VisitSwitchExpression(node)!;
        foreach (SwitchExpressionArmSyntax arm in node.Arms)
        {
            result = WithOtherPatterns(node, result, arm.Pattern);
        }

        return result;
    }

    public override SyntaxNode? VisitIfStatement(IfStatementSyntax node)
    {
        int before = list.Count;
        var condition = (ExpressionSyntax)Visit(node.Condition)!;
        bool isPlain = list.Count == before;
        string text = MutantList.Text(node.Condition);
        if (IsExit(node.Statement))
        {
            if (list.Add(node.Condition, file, $"if ({text}) {ExitOf(node.Statement)} -> removed", false) is { } mutant)
            {
                condition = Noted(mutant, ParenthesizedExpression(BinaryExpression(
                    SyntaxKind.LogicalAndExpression,
                    PrefixUnaryExpression(SyntaxKind.LogicalNotExpression, IsOn(mutant)),
                    ParenthesizedExpression(condition.WithoutTrivia()))));
            }
        }
        else if (isPlain)
        {
            condition = Negated(node.Condition, condition, $"if ({text}) -> if not");
        }

        return node.Update(
            node.AttributeLists,
            node.IfKeyword,
            node.OpenParenToken,
            condition,
            node.CloseParenToken,
            (StatementSyntax)Visit(node.Statement)!,
            (ElseClauseSyntax?)Visit(node.Else));
    }

    private ExpressionSyntax? ValueOf(VariableDeclaratorSyntax variable, object constant, TypeSyntax type)
    {
        ExpressionSyntax initial = variable.Initializer!.Value;
        ExpressionSyntax result = ParenthesizedExpression(ParseExpression($"unchecked(({type})({initial}))"));
        bool isAny = false;
        foreach (string other in OtherValues.Of(constant))
        {
            string change = $"const {variable.Identifier.Text}: {MutantList.Text(initial)} -> {other}";
            if (list.Add(variable, file, change, false) is not { } mutant)
            {
                continue;
            }

            string value = $"unchecked(({type})({other}))";
            if (list.MustStayConstant(mutant))
            {
                mutant.Constant = new ConstantChange(tree, initial.SpanStart, initial.Span.Length, value);
                continue;
            }

            isAny = true;
            result = Choice(mutant, ParseExpression(value), result).WithAdditionalAnnotations(result.GetAnnotations(OfMutant));
        }

        return isAny ? result : null;
    }

    private ExpressionSyntax WithOtherPatterns(ExpressionSyntax node, ExpressionSyntax visited, PatternSyntax pattern)
    {
        if (Declares(node))
        {
            return visited;
        }

        foreach (PatternSyntax part in pattern.DescendantNodesAndSelf().OfType<PatternSyntax>().Where(part => part is not null))
        {
            if (PatternOperators.Other(part) is { } other)
            {
                string change = $"{MutantList.Text(node is SwitchExpressionSyntax ? pattern : node)}: {part} -> {MutantList.Text(other)}";
                visited = Either(part, change, node.ReplaceNode(part, other), visited, IsMadeOnce(node));
            }
        }

        return visited;
    }

    /// <summary>A condition whose parts declare names: each part by itself is left out, since nothing may be written twice.</summary>
    private ParenthesizedExpressionSyntax WithoutOperands(BinaryExpressionSyntax node, BinaryExpressionSyntax visited)
    {
        Mutant? left = list.Add(node, file, $"{MutantList.Text(node.Left)} && ... -> left out", IsMadeOnce(node));
        Mutant? right = list.Add(node, file, $"... && {MutantList.Text(node.Right)} -> left out", IsMadeOnce(node));
        ExpressionSyntax first = left is null ? visited.Left : OrOn(left, visited.Left);
        ExpressionSyntax second = right is null ? visited.Right : OrOn(right, visited.Right);
        return ParenthesizedExpression(BinaryExpression(SyntaxKind.LogicalAndExpression, first, second));
    }

    private static ExpressionSyntax OrOn(Mutant mutant, ExpressionSyntax operand) => Noted(mutant, ParenthesizedExpression(
        BinaryExpression(SyntaxKind.LogicalOrExpression, IsOn(mutant), ParenthesizedExpression(operand.WithoutTrivia()))));

    private ExpressionSyntax Negated(SyntaxNode place, ExpressionSyntax visited, string change) =>
        list.Add(place, file, change, IsMadeOnce(place)) is { } mutant
            ? Noted(mutant, ParenthesizedExpression(BinaryExpression(
                SyntaxKind.NotEqualsExpression, IsOn(mutant), ParenthesizedExpression(visited.WithoutTrivia()))))
            : visited;

    private ExpressionSyntax Replaced(ExpressionSyntax node, ExpressionSyntax other, ExpressionSyntax visited) =>
        Either(node, $"{MutantList.Text(node)} -> {MutantList.Text(other)}", other, visited, IsMadeOnce(node));

    private ExpressionSyntax Either(SyntaxNode place, string change, ExpressionSyntax other, ExpressionSyntax visited, bool isMadeOnce) =>
        list.Add(place, file, change, isMadeOnce) is { } mutant ? Choice(mutant, other, visited) : visited;

    private static ExpressionSyntax Choice(Mutant mutant, ExpressionSyntax other, ExpressionSyntax visited) =>
        Noted(mutant, ParenthesizedExpression(ConditionalExpression(
            IsOn(mutant), ParenthesizedExpression(other.WithoutTrivia()), ParenthesizedExpression(visited.WithoutTrivia()))));

    private static ExpressionSyntax Noted(Mutant mutant, ExpressionSyntax expression) => expression.WithAdditionalAnnotations(
        new SyntaxAnnotation(OfMutant, mutant.Id.ToString(CultureInfo.InvariantCulture)));

    private static ExpressionSyntax IsOn(Mutant mutant) => ParseExpression($"global::Tracer.Mutation.MutantSwitch.On({mutant.Id})");

    private SyntaxKind? OtherOperator(BinaryExpressionSyntax node) => node.Kind() switch
    {
        SyntaxKind.LessThanExpression => SyntaxKind.LessThanOrEqualExpression,
        SyntaxKind.LessThanOrEqualExpression => SyntaxKind.LessThanExpression,
        SyntaxKind.GreaterThanExpression => SyntaxKind.GreaterThanOrEqualExpression,
        SyntaxKind.GreaterThanOrEqualExpression => SyntaxKind.GreaterThanExpression,
        SyntaxKind.EqualsExpression => SyntaxKind.NotEqualsExpression,
        SyntaxKind.NotEqualsExpression => SyntaxKind.EqualsExpression,
        SyntaxKind.LogicalAndExpression => SyntaxKind.LogicalOrExpression,
        SyntaxKind.LogicalOrExpression => SyntaxKind.LogicalAndExpression,
        SyntaxKind.AddExpression when IsNumber(node.Left) && IsNumber(node.Right) => SyntaxKind.SubtractExpression,
        SyntaxKind.SubtractExpression when IsNumber(node.Left) && IsNumber(node.Right) => SyntaxKind.AddExpression,
        _ => null,
    };

    private bool IsNumber(ExpressionSyntax node) => model.GetTypeInfo(node).Type is { TypeKind: TypeKind.Struct } type
        && !model.GetConstantValue(node.Parent!).HasValue
        && type.SpecialType is not SpecialType.System_Char and not SpecialType.System_Boolean;

    private static IdentifierNameSyntax Discard() =>
        IdentifierName(Identifier(TriviaList(), SyntaxKind.UnderscoreToken, "_", "_", TriviaList()));

    private static bool Declares(SyntaxNode node) => node.DescendantNodesAndSelf().Any(part =>
        part is SingleVariableDesignationSyntax
        && part.Ancestors().TakeWhile(above => above != node).All(above => above is not AnonymousFunctionExpressionSyntax));

    /// <summary>A static field gets its value once per process, before any test chose a mutant.</summary>
    private static bool IsMadeOnce(SyntaxNode node) => node.Ancestors().Any(above =>
        (above is FieldDeclarationSyntax field && field.Modifiers.Any(SyntaxKind.StaticKeyword))
        || (above is PropertyDeclarationSyntax { Initializer: not null } property && property.Modifiers.Any(SyntaxKind.StaticKeyword)));

    private static bool IsExit(StatementSyntax statement) => ExitOf(statement).Length > 0;

    private static string ExitOf(StatementSyntax statement) => statement switch
    {
        BlockSyntax { Statements: [.., var last] } => ExitOf(last),
        ReturnStatementSyntax => "return",
        ContinueStatementSyntax => "continue",
        BreakStatementSyntax => "break",
        _ => "",
    };
}
