namespace Tracer.Symbols.Pdb;

/// <summary>
/// DEBUG_S_FILECHKSMS: the source files of a module; lines name them by their place in this part (cvinfo.h, LLVM "CodeView symbols"):
/// <code>
/// 0 4 place of the name in "/names"      4 1 n, bytes of the checksum      5 1 its kind      6 n checksum, then to a multiple of 4
/// </code>
/// </summary>
internal readonly record struct SourceFile(uint Place, uint Name)
{
    private const int FixedBytes = 6;
    private const int ChecksumBytesAt = 4;

    public static void AddAll(ReadOnlySpan<byte> part, List<SourceFile> to)
    {
        for (int at = 0; at + FixedBytes <= part.Length;)
        {
            to.Add(new((uint)at, LittleEndian.UInt32(part, at)));
            at = (at + FixedBytes + part[at + ChecksumBytesAt] + 3) & ~3;
        }
    }
}
