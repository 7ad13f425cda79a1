namespace Tracer.Symbols.Pdb;

/// <summary>
/// Streams 2 (types) and 4 (ids of functions), of which only the names of callees are wanted. The beginning:
/// <code>
///  0 4  version             8 4  first index          16 4  bytes of records          32 .. other parts of the hash stream
///  4 4  its bytes          12 4  index behind the last 20 2  stream of hashes         40 4  place of the index in that
///                                                                                     44 4  bytes of the index
/// </code>
/// Records have any length; the index, pairs of a type's index and its record's place, says where every few kilobytes of them begin.
/// Where there is none, one is made.
/// </summary>
internal sealed class TypeStream
{
    public const int TypesNumber = 2;
    public const int IdsNumber = 4;

    private const int HeaderBytes = 56;
    private const int HeaderBytesAt = 4;
    private const int FirstAt = 8;
    private const int EndAt = 12;
    private const int RecordBytesAt = 16;
    private const int HashStreamAt = 20;
    private const int IndexAt = 40;
    private const int IndexBytesAt = 44;
    private const int PairBytes = 8;
    private const int RecordsPerPair = 256;

    /// <summary>Linkers index every 8 KB of records, which have 4 bytes at least; longer ways come from damage.</summary>
    private const int MaximumSteps = 1 << 12;

    private readonly MsfStream _stream;
    private readonly uint _first;
    private readonly uint _end;
    private readonly StreamPart _records;
    private readonly Lazy<(uint[] Indexes, uint[] Places)> _index;

    private TypeStream(MsfStream stream, MsfFile file, ReadOnlySpan<byte> header)
    {
        _stream = stream;
        _first = LittleEndian.UInt32(header, FirstAt);
        _end = LittleEndian.UInt32(header, EndAt);
        long at = LittleEndian.UInt32(header, HeaderBytesAt);
        _records = new StreamPart(at, (uint)Math.Clamp(LittleEndian.UInt32(header, RecordBytesAt), 0, Math.Max(0, stream.Length - at)));
        MsfStream? hashes = file.Stream(LittleEndian.UInt16(header, HashStreamAt));
        var index = new StreamPart(LittleEndian.UInt32(header, IndexAt), LittleEndian.UInt32(header, IndexBytesAt));
        _index = new(() => ReadIndex(hashes, index) ?? MakeIndex());
    }

    public static TypeStream? Read(MsfFile file, int number)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        return file.Stream(number) is { } stream && stream.TryRead(0, header) ? new TypeStream(stream, file, header) : null;
    }

    /// <returns>false where there is none of that index.</returns>
    public bool TryRecord(uint index, ref MsfStream.Scratch scratch, out ushort kind, out ReadOnlySpan<byte> fields)
    {
        kind = 0;
        fields = default;
        if (index < _first || index >= _end)
        {
            return false;
        }

        (uint[] indexes, uint[] places) = _index.Value;
        int pair = Array.BinarySearch(indexes, index);
        pair = pair < 0 ? ~pair - 1 : pair;
        if (pair < 0 || index - indexes[pair] > MaximumSteps)
        {
            return false;
        }

        long at = places[pair];
        for (uint i = indexes[pair]; i < index; i++)
        {
            if (!TrySkip(ref at))
            {
                return false;
            }
        }

        return TryTake(at, ref scratch, out kind, out fields);
    }

    private bool TrySkip(ref long at)
    {
        Span<byte> length = stackalloc byte[sizeof(ushort)];
        if (at + sizeof(uint) > _records.Length || !_stream.TryRead(_records.Offset + at, length))
        {
            return false;
        }

        at += LittleEndian.UInt16(length, 0) + sizeof(ushort);
        return true;
    }

    private bool TryTake(long at, ref MsfStream.Scratch scratch, out ushort kind, out ReadOnlySpan<byte> fields)
    {
        kind = 0;
        fields = default;
        long end = at;
        if (!TrySkip(ref end) || end > _records.Length || end - at < sizeof(uint))
        {
            return false;
        }

        ReadOnlySpan<byte> record = _stream.Take(_records.Offset + at, (int)(end - at), ref scratch);
        if (record.IsEmpty)
        {
            return false;
        }

        kind = LittleEndian.UInt16(record, sizeof(ushort));
        fields = record[sizeof(uint)..];
        return true;
    }

    private (uint[] Indexes, uint[] Places)? ReadIndex(MsfStream? hashes, StreamPart part)
    {
        if (hashes is null || part.Length < PairBytes || part.End > hashes.Length)
        {
            return null;
        }

        uint[] indexes = new uint[part.Length / PairBytes];
        uint[] places = new uint[indexes.Length];
        for (int i = 0; i < indexes.Length; i++)
        {
            indexes[i] = hashes.UInt32(part.Offset + ((long)i * PairBytes));
            places[i] = hashes.UInt32(part.Offset + ((long)i * PairBytes) + sizeof(uint));
            if (i == 0 ? indexes[0] != _first || places[0] != 0 : indexes[i - 1] >= indexes[i] || places[i - 1] >= places[i])
            {
                return null;
            }

            if (i > 0 && indexes[i] - indexes[i - 1] > MaximumSteps)
            {
                return null;
            }
        }

        return _end - indexes[^1] > MaximumSteps ? null : (indexes, places);
    }

    private (uint[] Indexes, uint[] Places) MakeIndex()
    {
        List<uint> indexes = [];
        List<uint> places = [];
        long at = 0;
        for (uint i = _first; i < _end; i++)
        {
            if ((i - _first) % RecordsPerPair == 0)
            {
                indexes.Add(i);
                places.Add((uint)at);
            }

            if (!TrySkip(ref at))
            {
                break;
            }
        }

        return ([.. indexes], [.. places]);
    }
}
