namespace Tracer.Symbols;

/// <summary>How much of a name is wanted.</summary>
public enum NameForm
{
    /// <summary>
    /// Scopes, name and template arguments, which is what reports print: <c>ns::f&lt;int&gt;</c>. A function that something is local to is
    /// a scope like others.
    /// </summary>
    Short,

    /// <summary>All that the name says: <c>public: int __cdecl ns::H::f&lt;int&gt;(int) const</c>.</summary>
    Full,
}
