namespace Tracer.Symbols.Pdb;

/// <param name="Offset">Where it begins, in bytes from the beginning of the stream.</param>
/// <param name="Length">Bytes.</param>
internal readonly record struct StreamPart(long Offset, uint Length)
{
    public long End => Offset + Length;
}
