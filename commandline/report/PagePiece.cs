namespace Tracer.CommandLine;

/// <summary>A piece of a line of a <see cref="ReportPage"/>.</summary>
/// <param name="Text">The text.</param>
/// <param name="Ink">What it is.</param>
public readonly record struct PagePiece(string Text, Ink Ink = Ink.Plain)
{
    /// <summary>Ordinary text.</summary>
    public static implicit operator PagePiece(string text) => new(text);

    /// <inheritdoc cref="op_Implicit(string)"/>
    public static PagePiece FromString(string text) => new(text);
}
