using System.Collections.Frozen;

namespace Tracer.Symbols;

/// <summary>How an operator takes its operands.</summary>
internal enum OperatorForm
{
    Prefix,
    Postfix,
    Binary,
    Subscript,
    Member,
    New,
    Delete,
    Call,
    Conditional,
    Cast,
    OfType,
    OfExpression,
    NameOnly,
}

/// <summary>An operator by its two letters ("5.1.3 Operator Encodings" of the ABI).</summary>
/// <param name="Form">How it takes its operands.</param>
/// <param name="Symbol">How it is written.</param>
/// <param name="Precedence">How tightly it binds.</param>
internal sealed record ItaniumOperator(OperatorForm Form, string Symbol, Precedence Precedence)
{
    private static readonly FrozenDictionary<string, ItaniumOperator> ByCode = new Dictionary<string, ItaniumOperator>
    {
        ["aN"] = new(OperatorForm.Binary, "&=", Precedence.Assignment),
        ["aS"] = new(OperatorForm.Binary, "=", Precedence.Assignment),
        ["aa"] = new(OperatorForm.Binary, "&&", Precedence.LogicalAnd),
        ["ad"] = new(OperatorForm.Prefix, "&", Precedence.Unary),
        ["an"] = new(OperatorForm.Binary, "&", Precedence.And),
        ["at"] = new(OperatorForm.OfType, "alignof ", Precedence.Unary),
        ["aw"] = new(OperatorForm.NameOnly, "co_await", Precedence.Primary),
        ["az"] = new(OperatorForm.OfExpression, "alignof ", Precedence.Unary),
        ["cc"] = new(OperatorForm.Cast, "const_cast", Precedence.Postfix),
        ["cl"] = new(OperatorForm.Call, "()", Precedence.Postfix),
        ["cm"] = new(OperatorForm.Binary, ",", Precedence.Comma),
        ["co"] = new(OperatorForm.Prefix, "~", Precedence.Unary),
        ["dV"] = new(OperatorForm.Binary, "/=", Precedence.Assignment),
        ["da"] = new(OperatorForm.Delete, "delete[]", Precedence.Unary),
        ["dc"] = new(OperatorForm.Cast, "dynamic_cast", Precedence.Postfix),
        ["de"] = new(OperatorForm.Prefix, "*", Precedence.Unary),
        ["dl"] = new(OperatorForm.Delete, "delete", Precedence.Unary),
        ["ds"] = new(OperatorForm.Member, ".*", Precedence.MemberPointer),
        ["dt"] = new(OperatorForm.Member, ".", Precedence.Postfix),
        ["dv"] = new(OperatorForm.Binary, "/", Precedence.Assignment),
        ["eO"] = new(OperatorForm.Binary, "^=", Precedence.Assignment),
        ["eo"] = new(OperatorForm.Binary, "^", Precedence.Xor),
        ["eq"] = new(OperatorForm.Binary, "==", Precedence.Equality),
        ["ge"] = new(OperatorForm.Binary, ">=", Precedence.Relational),
        ["gt"] = new(OperatorForm.Binary, ">", Precedence.Relational),
        ["ix"] = new(OperatorForm.Subscript, "[]", Precedence.Postfix),
        ["lS"] = new(OperatorForm.Binary, "<<=", Precedence.Assignment),
        ["le"] = new(OperatorForm.Binary, "<=", Precedence.Relational),
        ["ls"] = new(OperatorForm.Binary, "<<", Precedence.Shift),
        ["lt"] = new(OperatorForm.Binary, "<", Precedence.Relational),
        ["mI"] = new(OperatorForm.Binary, "-=", Precedence.Assignment),
        ["mL"] = new(OperatorForm.Binary, "*=", Precedence.Assignment),
        ["mi"] = new(OperatorForm.Binary, "-", Precedence.Additive),
        ["ml"] = new(OperatorForm.Binary, "*", Precedence.Multiplicative),
        ["mm"] = new(OperatorForm.Postfix, "--", Precedence.Postfix),
        ["na"] = new(OperatorForm.New, "new[]", Precedence.Unary),
        ["ne"] = new(OperatorForm.Binary, "!=", Precedence.Equality),
        ["ng"] = new(OperatorForm.Prefix, "-", Precedence.Unary),
        ["nt"] = new(OperatorForm.Prefix, "!", Precedence.Unary),
        ["nw"] = new(OperatorForm.New, "new", Precedence.Unary),
        ["oR"] = new(OperatorForm.Binary, "|=", Precedence.Assignment),
        ["oo"] = new(OperatorForm.Binary, "||", Precedence.LogicalOr),
        ["or"] = new(OperatorForm.Binary, "|", Precedence.Or),
        ["pL"] = new(OperatorForm.Binary, "+=", Precedence.Assignment),
        ["pl"] = new(OperatorForm.Binary, "+", Precedence.Additive),
        ["pm"] = new(OperatorForm.Member, "->*", Precedence.MemberPointer),
        ["pp"] = new(OperatorForm.Postfix, "++", Precedence.Postfix),
        ["ps"] = new(OperatorForm.Prefix, "+", Precedence.Unary),
        ["pt"] = new(OperatorForm.Member, "->", Precedence.Postfix),
        ["qu"] = new(OperatorForm.Conditional, "?", Precedence.Conditional),
        ["rM"] = new(OperatorForm.Binary, "%=", Precedence.Assignment),
        ["rS"] = new(OperatorForm.Binary, ">>=", Precedence.Assignment),
        ["rc"] = new(OperatorForm.Cast, "reinterpret_cast", Precedence.Postfix),
        ["rm"] = new(OperatorForm.Binary, "%", Precedence.Multiplicative),
        ["rs"] = new(OperatorForm.Binary, ">>", Precedence.Shift),
        ["sc"] = new(OperatorForm.Cast, "static_cast", Precedence.Postfix),
        ["ss"] = new(OperatorForm.Binary, "<=>", Precedence.Spaceship),
        ["st"] = new(OperatorForm.OfType, "sizeof ", Precedence.Unary),
        ["sz"] = new(OperatorForm.OfExpression, "sizeof ", Precedence.Unary),
        ["te"] = new(OperatorForm.OfExpression, "typeid ", Precedence.Postfix),
        ["ti"] = new(OperatorForm.OfType, "typeid ", Precedence.Postfix),
    }.ToFrozenDictionary();

    /// <summary>Whether there is a function of this name that a program can define.</summary>
    public bool IsName => Form is not (OperatorForm.Cast or OperatorForm.OfType or OperatorForm.OfExpression)
        && Symbol is not ("." or ".*");

    /// <summary>Its name as a function's.</summary>
    public string Name => (char.IsAsciiLetter(Symbol[0]) ? "operator " : "operator") + Symbol;

    /// <summary>The operator of a two-letter code; null if there is none.</summary>
    public static ItaniumOperator? Of(string code) => ByCode.GetValueOrDefault(code);
}
