namespace Tracer.Symbols;

/// <summary>
/// Reads one decorated name of Microsoft's C++ ABI. No published grammar exists: what is known comes from compilers, from undname and
/// from LLVM's MicrosoftMangle documentation.
/// </summary>
/// <remarks>
/// <code>
/// ?f@H@ns@@YAHH@Z
///  ^ ^ ^  ^^^^^^ no exception specification ("Z")
///  | | |  |||| + parameters: int, end
///  | | |  |||+ returns int
///  | | |  ||+ __cdecl
///  | | |  |+ a free function
///  name, then its scopes from the innermost out, ended by "@"
/// </code>
/// </remarks>
internal sealed class MicrosoftDemangler
{
    private readonly MicrosoftCursor _cursor;

    private MicrosoftDemangler(string text)
    {
        _cursor = new MicrosoftCursor(text);
        Literals = new MicrosoftLiterals(_cursor);
        Names = new MicrosoftNames(_cursor, this);
        Symbols = new MicrosoftSymbols(_cursor, this);
        Templates = new MicrosoftTemplates(_cursor, this);
        Types = new MicrosoftTypes(_cursor, this);
    }

    public MicrosoftLiterals Literals { get; }

    public MicrosoftNames Names { get; }

    public MicrosoftSymbols Symbols { get; }

    public MicrosoftTemplates Templates { get; }

    public MicrosoftTypes Types { get; }

    /// <summary>Both forms of the name; null if it is none that is known.</summary>
    public static DemangledText? Demangle(string decorated)
    {
        // A linker's or optimizer's suffix, such as ".cold" or ".llvm.123", is no part of the name. In string literals a dot is encoded.
        int suffix = decorated.IndexOf('.');
        var demangler = new MicrosoftDemangler(suffix > 0 ? decorated[..suffix] : decorated);
        DemangledText symbol = demangler.Symbols.Symbol();
        return demangler._cursor.HasFailed || demangler._cursor.At < demangler._cursor.Text.Length
            ? null
            : suffix > 0 ? new DemangledText($"{symbol.Full} ({decorated[suffix..]})", symbol.Short) : symbol;
    }
}
