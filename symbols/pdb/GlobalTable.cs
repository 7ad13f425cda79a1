namespace Tracer.Symbols.Pdb;

/// <summary>
/// Variables among the global symbols: records of the stream that public symbols are in, too (cvinfo.h: DATASYM32). Behind the kind:
/// <code>
/// 0 4 type      4 4 offset      8 2 section      10 .. name
/// </code>
/// Procedures are there only by reference to their modules, which are read for themselves.
/// </summary>
internal static class GlobalTable
{
    private const int OffsetAt = 4;
    private const int SectionAt = 8;
    private const int NameAt = 10;

    /// <summary>All variables that have an address, as they stand in the stream.</summary>
    public static IEnumerable<PdbVariable> Variables(MsfStream? records, SectionTable sections)
    {
        for (long at = 0; records is not null && TryNext(records, sections, ref at, out PdbVariable? variable);)
        {
            if (variable is { } found)
            {
                yield return found;
            }
        }
    }

    /// <returns>false at the end, and where a record says a length that can't be.</returns>
    private static bool TryNext(MsfStream records, SectionTable sections, ref long at, out PdbVariable? variable)
    {
        variable = null;
        Span<byte> head = stackalloc byte[SymbolWalk.FieldsAt];
        if (!records.TryRead(at, head))
        {
            return false;
        }

        int bytes = LittleEndian.UInt16(head, 0) + sizeof(ushort);
        ushort kind = LittleEndian.UInt16(head, sizeof(ushort));
        if (bytes < SymbolWalk.FieldsAt || at + bytes > records.Length)
        {
            return false;
        }

        if (kind is SymbolKinds.GlobalData or SymbolKinds.LocalData && bytes > SymbolWalk.FieldsAt + NameAt)
        {
            var scratch = default(MsfStream.Scratch);
            ReadOnlySpan<byte> fields = records.Take(at + SymbolWalk.FieldsAt, bytes - SymbolWalk.FieldsAt, ref scratch);
            if (!fields.IsEmpty
                && sections.TryRva(LittleEndian.UInt16(fields, SectionAt), LittleEndian.UInt32(fields, OffsetAt), out uint rva))
            {
                variable = new PdbVariable(LittleEndian.Text(fields[NameAt..]), rva, kind == SymbolKinds.LocalData);
            }

            scratch.Dispose();
        }

        at += bytes;
        return true;
    }
}
