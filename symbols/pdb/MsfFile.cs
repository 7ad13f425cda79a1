using System.Buffers.Binary;

namespace Tracer.Symbols.Pdb;

/// <summary>
/// The directory of an MSF 7.0 file: which pages, in which order, each stream is made of.
/// <code>
/// superblock -> pages of page numbers -> directory:
///     0      4   number of streams n
///     4      4n  bytes of each stream; FFFFFFFF: none
///     4+4n   ..  page numbers of each stream, one stream after the other
/// </code>
/// A sound file uses no page twice. A stream that takes a page of an earlier one is left out as damaged, so all streams together are never
/// longer than the file, and whatever is made of them is bounded by it.
/// </summary>
internal sealed class MsfFile
{
    /// <summary>Modules number their streams by 16 bits, and no stream has a higher number.</summary>
    private const int MaximumStreams = 1 << 16;

    /// <summary>Stream 0 is the directory before the last write: of no use, and its pages may be free again.</summary>
    private const int OldDirectory = 0;

    private const uint NoStream = uint.MaxValue;

    private readonly MsfStream?[] _streams;

    private MsfFile(MsfStream?[] streams) => _streams = streams;

    /// <returns>null, and why, where the file is no container or one without a readable directory.</returns>
    public static MsfFile? Open(SymbolBytes file, DamageLog damage, out PdbFault? fault)
    {
        fault = MsfSuperBlock.TryRead(file, out MsfSuperBlock block);
        if (fault is not null)
        {
            return null;
        }

        uint[]? directory = ReadDirectory(file, block, out fault);
        return directory is null ? null : Streams(file, block, directory, damage, out fault);
    }

    /// <summary>A stream, if it is there, sound and not empty.</summary>
    public MsfStream? Stream(int number) => (uint)number < (uint)_streams.Length ? _streams[number] : null;

    private static uint[]? ReadDirectory(SymbolBytes file, MsfSuperBlock block, out PdbFault? fault)
    {
        int entries = (int)((block.DirectoryBytes + (uint)block.PageSize - 1) / (uint)block.PageSize);
        uint[]? pageNumbers = ReadPageNumbers(file, block, entries, out fault);
        if (pageNumbers is null)
        {
            return null;
        }

        var stream = new MsfStream(file, block.PageSize, pageNumbers, 0, entries, block.DirectoryBytes);
        uint[] directory = new uint[block.DirectoryBytes / sizeof(uint)];
        byte[] page = new byte[block.PageSize];
        for (int at = 0; at < directory.Length; at += page.Length / sizeof(uint))
        {
            Span<byte> part = page.AsSpan(0, Math.Min(page.Length, (directory.Length - at) * sizeof(uint)));
            if (!stream.TryRead((long)at * sizeof(uint), part))
            {
                fault = MsfSuperBlock.Damaged(stream.FileOffset((long)at * sizeof(uint)), "the directory of the container is cut off");
                return null;
            }

            Copy(part, directory.AsSpan(at));
        }

        return directory;
    }

    /// <summary>The page numbers of the directory, from pages whose own numbers end the superblock.</summary>
    private static uint[]? ReadPageNumbers(SymbolBytes file, MsfSuperBlock block, int entries, out PdbFault? fault)
    {
        uint[] numbers = new uint[entries];
        int inPage = block.PageSize / sizeof(uint);
        for (int at = 0; at < entries; at += inPage)
        {
            long place = MsfSuperBlock.Bytes + ((long)at / inPage * sizeof(uint));
            ReadOnlySpan<byte> number = place + sizeof(uint) <= block.PageSize ? file.At(place, sizeof(uint)) : default;
            int bytes = Math.Min(inPage, entries - at) * sizeof(uint);
            ReadOnlySpan<byte> part = number.Length < sizeof(uint)
                ? default
                : file.At(LittleEndian.UInt32(number, 0) * (long)block.PageSize, bytes);
            if (part.Length < bytes)
            {
                fault = MsfSuperBlock.Damaged(Math.Min(place, file.Length), "the page numbers of the directory lie outside the file");
                return null;
            }

            Copy(part, numbers.AsSpan(at));
        }

        fault = null;
        return numbers;
    }

    private static void Copy(ReadOnlySpan<byte> from, Span<uint> to)
    {
        for (int i = 0; i < from.Length / sizeof(uint); i++)
        {
            to[i] = BinaryPrimitives.ReadUInt32LittleEndian(from[(i * sizeof(uint))..]);
        }
    }

    private static MsfFile? Streams(SymbolBytes file, MsfSuperBlock block, uint[] directory, DamageLog damage, out PdbFault? fault)
    {
        fault = null;
        uint count = directory[0];
        if (count > MaximumStreams || count >= directory.Length)
        {
            fault = MsfSuperBlock.Damaged(0, $"a directory of {block.DirectoryBytes} bytes can't list {count} streams");
            return null;
        }

        var streams = new MsfStream?[count];
        var pages = new PageUse(file.Length, block);
        long at = 1 + count;
        for (int i = 0; i < streams.Length; i++)
        {
            uint length = directory[1 + i] == NoStream ? 0 : directory[1 + i];
            long used = ((long)length + block.PageSize - 1) / block.PageSize;
            if (used > directory.Length - at)
            {
                damage.Add(0, $"the directory ends in the page numbers of stream {i}; that and later streams are left out");
                break;
            }

            string? wrong = i == OldDirectory || length == 0 ? null : pages.Take(directory.AsSpan((int)at, (int)used));
            if (wrong is not null)
            {
                damage.Add(0, $"stream {i} is left out: {wrong}");
            }
            else if (length > 0 && i != OldDirectory)
            {
                streams[i] = new MsfStream(file, block.PageSize, directory, (int)at, (int)used, length);
            }

            at += used;
        }

        return new MsfFile(streams);
    }

    /// <summary>Which pages belong to a stream already.</summary>
    private sealed class PageUse
    {
        private readonly ulong[] _taken;
        private readonly long _count;

        public PageUse(long fileBytes, MsfSuperBlock block)
        {
            _count = Math.Min(block.PageCount, (fileBytes + block.PageSize - 1) / block.PageSize);
            _taken = new ulong[(_count + 63) / 64];
        }

        /// <summary>Takes the pages of a stream, or those before the first that can't be its.</summary>
        /// <returns>What is wrong with them; null where nothing is.</returns>
        public string? Take(ReadOnlySpan<uint> pages)
        {
            foreach (uint page in pages)
            {
                if (page == 0 || page >= _count)
                {
                    return $"page {page} is not in the file";
                }

                ulong bit = 1UL << (int)(page % 64);
                if ((_taken[page / 64] & bit) != 0)
                {
                    return $"page {page} is used twice";
                }

                _taken[page / 64] |= bit;
            }

            return null;
        }
    }
}
