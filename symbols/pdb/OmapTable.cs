namespace Tracer.Symbols.Pdb;

/// <summary>
/// Where a tool that worked on the finished image moved its code: pairs in order of the first number.
/// <code>
/// 0  4  RVA in one image         4  4  RVA in the other; 0: not there
/// </code>
/// Unconfirmed: written after the documentation of IMAGEHLP's OMAP and microsoft-pdb; no real file with such streams was at hand.
/// </summary>
internal sealed class OmapTable
{
    private const int EntryBytes = 8;

    private readonly uint[] _from;
    private readonly uint[] _to;

    private OmapTable(uint[] from, uint[] to)
    {
        _from = from;
        _to = to;
    }

    public static OmapTable? Read(MsfStream? stream, DamageLog damage)
    {
        if (stream is null || stream.Length < EntryBytes)
        {
            return null;
        }

        uint[] from = new uint[(int)Math.Min(stream.Length / EntryBytes, Array.MaxLength)];
        uint[] to = new uint[from.Length];
        Span<byte> entry = stackalloc byte[EntryBytes];
        bool isSorted = true;
        for (int i = 0; i < from.Length && stream.TryRead((long)i * EntryBytes, entry); i++)
        {
            from[i] = LittleEndian.UInt32(entry, 0);
            to[i] = LittleEndian.UInt32(entry, sizeof(uint));
            isSorted &= i == 0 || from[i - 1] <= from[i];
        }

        if (!isSorted)
        {
            damage.Add(stream.FileOffset(0), "an address map (OMAP) is not in order of addresses: it was sorted");
            Array.Sort(from, to);
        }

        return new OmapTable(from, to);
    }

    /// <summary>The same code in the other image.</summary>
    /// <returns>false where it has none there.</returns>
    public bool TryMap(uint rva, out uint mapped)
    {
        int at = Array.BinarySearch(_from, rva);
        at = at < 0 ? ~at - 1 : at;
        mapped = at < 0 || _to[at] == 0 ? 0 : unchecked(_to[at] + (rva - _from[at]));
        return at >= 0 && _to[at] != 0 && mapped >= _to[at];
    }
}
