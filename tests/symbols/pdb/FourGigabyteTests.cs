namespace Tracer.Symbols.Tests.Pdb;

/// <summary>A stream as long as 32 bits can say, in a file that is made while it is read.</summary>
public class FourGigabyteTests
{
    private const int PageSize = 4096;
    private const uint RecordsLength = 0xFFFF_F000;
    private const uint RecordsAt = 0xFFFF_E000;
    private const int RecordsStream = 6;
    private const int PublicsStream = 7;

    [Fact]
    public void A_stream_of_four_gigabytes_is_read_at_its_end()
    {
        List<byte[]?> streams = HandMadeTests.Small().Streams();
        byte[] records = streams[RecordsStream]!;
        byte[] publics = streams[PublicsStream]!;
        for (int at = 28; at < publics.Length; at += sizeof(uint))
        {
            BitConverter.GetBytes(BitConverter.ToUInt32(publics, at) + RecordsAt).CopyTo(publics, at);
        }

        streams[RecordsStream] = null;
        var pdb = PdbFile.Open(new HugeBytes(streams, records), out PdbFault? fault);
        Assert.True(pdb is not null, fault?.Message);
        Assert.True(pdb.TryFind(HandMadePdb.TextRva + 0x21, out PdbSymbol symbol));
        Assert.Equal(("second", "?second@@YAXXZ"), (symbol.Function, symbol.Decorated));
        Assert.Empty(pdb.Damage);
    }

    /// <summary>
    /// Pages: superblock, two free page maps, all streams but one, directory and its map; then zeros, and the records near their end.
    /// </summary>
    private sealed class HugeBytes : SymbolBytes
    {
        private readonly byte[] _head;
        private readonly byte[] _records;
        private readonly long _recordsAt;

        public HugeBytes(List<byte[]?> streams, byte[] records)
        {
            _records = records;
            uint recordPages = RecordsLength / PageSize;
            int pages = 3 + streams.Sum(stream => Pages(stream?.Length ?? 0));
            int directoryBytes = sizeof(uint) * (1 + streams.Count + (pages - 3) + (int)recordPages);
            int directoryPages = Pages(directoryBytes);
            int first = pages + directoryPages + Pages(directoryPages * sizeof(uint));
            var head = new Wire().Add([.. "Microsoft C/C++ MSF 7.00\r\n\u001ADS\0\0\0"u8]).U32(PageSize).U32(1).U32(first + recordPages);
            head.U32(directoryBytes).U32(0);
            for (int i = pages + directoryPages; i < first; i++)
            {
                head.U32(i);
            }

            head.Add(new byte[(3 * PageSize) - head.Length]);
            var directory = new Wire().U32(streams.Count);
            streams.ForEach(stream => directory.U32(stream is null ? RecordsLength : stream.Length));
            foreach (byte[]? stream in streams)
            {
                int at = stream is null ? first : head.Length / PageSize;
                int count = stream is null ? (int)recordPages : Pages(stream.Length);
                directory.Add(MsfWriter.Bytes(Enumerable.Range(at, count).Select(page => (uint)page)));
                head.Add(stream ?? []).Add(new byte[(-head.Length) & (PageSize - 1)]);
            }

            head.Add(directory.ToArray()).Add(new byte[(-head.Length) & (PageSize - 1)]);
            head.Add(MsfWriter.Bytes(Enumerable.Range(pages, directoryPages).Select(page => (uint)page)));
            head.Add(new byte[(-head.Length) & (PageSize - 1)]);
            _head = head.ToArray();
            Assert.Equal(first * PageSize, _head.Length);
            _recordsAt = _head.Length + (long)RecordsAt;
            Length = _head.Length + (long)RecordsLength;
        }

        public override long Length { get; }

        public override ReadOnlySpan<byte> At(long offset, int length)
        {
            int given = (int)Math.Clamp(Length - offset, 0, length);
            if (offset + given <= _head.Length)
            {
                return _head.AsSpan((int)offset, given);
            }

            byte[] made = new byte[given];
            for (int i = 0; i < given; i++)
            {
                long at = offset + i - _recordsAt;
                made[i] = at >= 0 && at < _records.Length ? _records[at] : (byte)0;
            }

            return made;
        }

        private static int Pages(int bytes) => (bytes + PageSize - 1) / PageSize;
    }
}
