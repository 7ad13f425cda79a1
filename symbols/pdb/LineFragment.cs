namespace Tracer.Symbols.Pdb;

/// <summary>
/// DEBUG_S_LINES: the lines of one stretch of code, mostly a function (cvinfo.h: CV_DebugSLinesHeader_t):
/// <code>
/// 0  4  offset       4  2  section       6  2  flags: 1 columns follow the lines       8  4  bytes of code       12 ..  blocks
/// </code>
/// A block is what comes of one file:
/// <code>
/// 0  4  place of the file among the checksums
/// 4  4  n, lines
/// 8  4  bytes of the block
/// 12 8n lines:  0  4  bytes from the begin of the code      4  4  line (24 bits), lines to its end (7), is a statement (1)
///    4n columns, where there are some
/// </code>
/// </summary>
/// <param name="Start">RVA of the code.</param>
/// <param name="Length">Bytes of the code.</param>
/// <param name="Position">Where the blocks are, in bytes from the beginning of the module's C13 lines.</param>
/// <param name="Bytes">Bytes of the blocks.</param>
internal readonly record struct LineFragment(uint Start, uint Length, int Position, int Bytes)
{
    private const int SectionAt = 4;
    private const int LengthAt = 8;
    private const int BlocksAt = 12;
    private const int BlockHeaderBytes = 12;
    private const int BlockLinesAt = 4;
    private const int BlockBytesAt = 8;
    private const int LineBytes = 8;
    private const uint LineMask = 0x00FF_FFFF;

    public static bool TryRead(ReadOnlySpan<byte> part, int position, SectionTable sections, out LineFragment fragment)
    {
        fragment = default;
        if (part.Length < BlocksAt
            || !sections.TryRva(LittleEndian.UInt16(part, SectionAt), LittleEndian.UInt32(part, 0), out uint start))
        {
            return false;
        }

        fragment = new LineFragment(start, LittleEndian.UInt32(part, LengthAt), position + BlocksAt, part.Length - BlocksAt);
        return true;
    }

    /// <summary>The lines, in order of their addresses; those at one address as they were written.</summary>
    /// <param name="blocks">What <see cref="Position"/> and <see cref="Bytes"/> say.</param>
    public LineRow[] Rows(ReadOnlySpan<byte> blocks)
    {
        List<LineRow> rows = [];
        bool isSorted = true;
        while (blocks.Length >= BlockHeaderBytes)
        {
            uint file = LittleEndian.UInt32(blocks, 0);
            uint bytes = LittleEndian.UInt32(blocks, BlockBytesAt);
            if (bytes < BlockHeaderBytes || bytes > blocks.Length)
            {
                break;
            }

            uint lines = Math.Min(LittleEndian.UInt32(blocks, BlockLinesAt), (bytes - BlockHeaderBytes) / LineBytes);
            for (int i = 0; i < lines; i++)
            {
                int at = BlockHeaderBytes + (i * LineBytes);
                uint rva = unchecked(Start + LittleEndian.UInt32(blocks, at));
                isSorted &= rows.Count == 0 || rows[^1].Rva <= rva;
                rows.Add(new LineRow(rva, LittleEndian.UInt32(blocks, at + sizeof(uint)) & LineMask, file));
            }

            blocks = blocks[(int)bytes..];
        }

        return isSorted ? [.. rows] : [.. rows.OrderBy(row => row.Rva)];
    }
}

/// <summary>Code from an address on, to the next row, comes from this line.</summary>
/// <param name="Rva">The address.</param>
/// <param name="Line">The line, from 1, or one of the marks below.</param>
/// <param name="File">Place of the file among the module's checksums.</param>
internal readonly record struct LineRow(uint Rva, uint Line, uint File)
{
    /// <summary>Compilers mark code without a line so: "always step into" and "never step into" (cvinfo.h).</summary>
    private const uint AlwaysStepInto = 0xFEEFEE;

    private const uint NeverStepInto = 0xF00F00;

    public bool HasLine => Line is not (0 or AlwaysStepInto or NeverStepInto);
}
