namespace Tracer.Symbols;

/// <summary>
/// What the unwind table says about an address: in which function it lies, without any symbol. A compiler may split a function into
/// pieces (shrink-wrapped prologues, cold code); x64 tables tell the function of each piece, ARM64 tables do not, so there each piece is
/// a function by itself.
/// </summary>
/// <param name="Begin">RVA where the function begins: its first piece.</param>
/// <param name="End">RVA behind the first piece.</param>
/// <param name="PieceBegin">RVA where the piece that holds the address begins; the same as Begin in the first.</param>
/// <param name="PieceEnd">RVA behind that piece.</param>
public readonly record struct FunctionBounds(uint Begin, uint End, uint PieceBegin, uint PieceEnd)
{
    /// <summary>Whether the address lies in another piece than the function's first.</summary>
    public bool IsSplit => Begin != PieceBegin;
}
