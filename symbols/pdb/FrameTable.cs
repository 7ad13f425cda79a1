namespace Tracer.Symbols.Pdb;

/// <summary>
/// Where functions of 32-bit x86 begin and how long they are, from the data that unwinds their frames. It stays in a PDB whose private
/// symbols were taken out.
/// <code>
/// FRAMEDATA, 32 bytes:  0  4  RVA      4  4  bytes      28  4  flags: 4 the function begins here
/// FPO_DATA,  16 bytes:  0  4  RVA      4  4  bytes
/// </code>
/// FPO_DATA is unconfirmed: no real file with it was at hand.
/// </summary>
internal sealed class FrameTable
{
    private const int FrameBytes = 32;
    private const int FpoBytes = 16;
    private const int LengthAt = 4;
    private const int FlagsAt = 28;
    private const uint BeginsFunction = 4;

    private readonly uint[] _starts;
    private readonly uint[] _lengths;

    private FrameTable(uint[] starts, uint[] lengths)
    {
        _starts = starts;
        _lengths = lengths;
    }

    /// <summary>Reads what there is of both kinds.</summary>
    public static FrameTable Read(MsfStream? newFpo, MsfStream? fpo)
    {
        List<uint> starts = [];
        List<uint> lengths = [];
        Add(newFpo, FrameBytes, starts, lengths);
        Add(fpo, FpoBytes, starts, lengths);
        uint[] sortedStarts = [.. starts];
        uint[] sortedLengths = [.. lengths];
        Array.Sort(sortedStarts, sortedLengths);
        return new FrameTable(sortedStarts, sortedLengths);
    }

    public uint? Length(uint rva)
    {
        int at = Array.BinarySearch(_starts, rva);
        return at < 0 ? null : _lengths[at];
    }

    private static void Add(MsfStream? stream, int recordBytes, List<uint> starts, List<uint> lengths)
    {
        Span<byte> record = stackalloc byte[FrameBytes];
        record = record[..recordBytes];
        for (long at = 0; stream is not null && stream.TryRead(at, record); at += recordBytes)
        {
            uint length = LittleEndian.UInt32(record, LengthAt);
            bool begins = recordBytes == FpoBytes || (LittleEndian.UInt32(record, FlagsAt) & BeginsFunction) != 0;
            if (begins && length > 0)
            {
                starts.Add(LittleEndian.UInt32(record, 0));
                lengths.Add(length);
            }
        }
    }
}
