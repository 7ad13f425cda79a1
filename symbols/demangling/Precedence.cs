namespace Tracer.Symbols;

/// <summary>How tightly an expression of C++ binds, the tightest first.</summary>
internal enum Precedence
{
    Primary,
    Postfix,
    Unary,
    Cast,
    MemberPointer,
    Multiplicative,
    Additive,
    Shift,
    Spaceship,
    Relational,
    Equality,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
    Conditional,
    Assignment,
    Comma,
    Lowest,
}
