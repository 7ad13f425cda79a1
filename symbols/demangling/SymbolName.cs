namespace Tracer.Symbols;

/// <summary>
/// Makes the decorated names readable that PDBs and exports of Windows carry: those of Microsoft's C++ (<c>?f@@YAHH@Z</c>) and those of
/// Rust's older scheme (<c>_ZN4core3fmt5write17h0123456789abcdefE</c>). Names may come from a hostile file: time and memory are bounded,
/// nothing is thrown, and what is no such name is given back as it is.
/// </summary>
/// <example>
/// <code>
/// SymbolName.Demangle("??$f@H@ns@@YAHH@Z", NameForm.Full);  // int __cdecl ns::f&lt;int&gt;(int)
/// SymbolName.Demangle("??$f@H@ns@@YAHH@Z");                 // ns::f&lt;int&gt;
/// SymbolName.Demangle("_ZN4core3fmt5write17h0123456789abcdefE"); // core::fmt::write
/// SymbolName.Demangle("DriverEntry");                       // DriverEntry
/// </code>
/// </example>
public static class SymbolName
{
    /// <summary>Longer names are not read. Microsoft's compiler ends at 4,096 letters and uses a hash for longer ones.</summary>
    public const int MaximumLength = 32_768;

    /// <summary>The readable name; the decorated one where it is none that is known.</summary>
    /// <param name="decorated">The name as it stands in a symbol table.</param>
    /// <param name="form">How much of it is wanted.</param>
    public static string Demangle(string decorated, NameForm form = NameForm.Short) =>
        TryDemangle(decorated, form, out string readable) ? readable : decorated;

    /// <summary>The readable name, and whether there is one.</summary>
    /// <param name="decorated">The name as it stands in a symbol table.</param>
    /// <param name="form">How much of it is wanted.</param>
    /// <param name="readable">The readable name; the decorated one if the result is false.</param>
    /// <returns>Whether it is a decorated name that could be read to its end.</returns>
    public static bool TryDemangle(string decorated, NameForm form, out string readable)
    {
        DemangledText? text = null;
        if (decorated is { Length: > 1 and <= MaximumLength })
        {
            text = decorated[0] == '?' ? MicrosoftDemangler.Demangle(decorated) : RustDemangler.Demangle(decorated);
        }

        readable = text is null ? decorated : form == NameForm.Full ? text.Value.Full : text.Value.Short;
        return text is not null;
    }
}

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
