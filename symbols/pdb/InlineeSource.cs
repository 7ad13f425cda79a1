namespace Tracer.Symbols.Pdb;

/// <summary>
/// DEBUG_S_INLINEELINES: where callees that were put into their callers begin (cvinfo.h: InlineeSourceLine, InlineeSourceLineEx):
/// <code>
/// 0  4  0, or 1: more files may follow each entry
/// 4  ..  entries:  0  4  id of the callee      4  4  place of its file among the checksums      8  4  its line
///                 12  4  n, only with 1       16  4n places of more files
/// </code>
/// </summary>
internal readonly record struct InlineeSource(uint Inlinee, uint File, uint Line)
{
    private const int EntryBytes = 12;
    private const int FileAt = 4;
    private const int LineAt = 8;
    private const uint HasMoreFiles = 1;

    public static void AddAll(ReadOnlySpan<byte> part, List<InlineeSource> to)
    {
        if (part.Length < sizeof(uint))
        {
            return;
        }

        bool isLong = LittleEndian.UInt32(part, 0) == HasMoreFiles;
        part = part[sizeof(uint)..];
        while (part.Length >= EntryBytes + (isLong ? sizeof(uint) : 0))
        {
            to.Add(new(LittleEndian.UInt32(part, 0), LittleEndian.UInt32(part, FileAt), LittleEndian.UInt32(part, LineAt)));
            long bytes = EntryBytes + (isLong ? sizeof(uint) + ((long)LittleEndian.UInt32(part, EntryBytes) * sizeof(uint)) : 0);
            if (bytes > part.Length)
            {
                return;
            }

            part = part[(int)bytes..];
        }
    }
}
