namespace Tracer.Symbols;

/// <summary>Why a place gave no file.</summary>
public enum SymbolMiss
{
    /// <summary>It does not have one of this name, or none under this identity.</summary>
    NotThere,

    /// <summary>It has one of this name that belongs to another build.</summary>
    WrongId,

    /// <summary>It has one that is damaged, cut off or of another format.</summary>
    Damaged,

    /// <summary>It has one that is compressed in a way that is not read.</summary>
    Compressed,

    /// <summary>It has only a pointer that is not followed, or a message.</summary>
    Pointer,

    /// <summary>It may not be asked, or can't be used.</summary>
    NotAsked,

    /// <summary>It can't be read or written.</summary>
    Unreadable,

    /// <summary>The server did not give it: it refused, failed or gave an answer that is not accepted.</summary>
    Server,
}

/// <summary>One place that was looked at in vain.</summary>
/// <param name="Place">The folder, file or address.</param>
/// <param name="Miss">Why it gave nothing.</param>
/// <param name="Text">The same in words, as the end of a sentence that begins with the place.</param>
public sealed record SymbolAttempt(string Place, SymbolMiss Miss, string Text)
{
    /// <summary>The sentence: <c>C:\symbols does not have nic.pdb.</c></summary>
    public override string ToString() => $"{Place} {Text}.";
}

/// <summary>What is wrong with a file.</summary>
internal sealed record SymbolProblem(SymbolMiss Miss, string Text);
