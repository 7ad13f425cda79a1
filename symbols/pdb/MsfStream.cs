using System.Buffers;

namespace Tracer.Symbols.Pdb;

/// <summary>
/// One stream of a PDB: pages of the file in the order that the directory gives, read where they are. Safe for several threads.
/// </summary>
internal sealed class MsfStream
{
    private readonly SymbolBytes _file;
    private readonly int _pageShift;
    private readonly uint[] _pages;
    private readonly int _first;
    private readonly int _count;

    /// <param name="file">The whole file.</param>
    /// <param name="pageSize">Bytes of a page: a power of two.</param>
    /// <param name="pages">Page numbers, of this stream and of others.</param>
    /// <param name="first">Where those of this stream begin.</param>
    /// <param name="count">How many are its.</param>
    /// <param name="length">Bytes of the stream: at most what the pages hold.</param>
    public MsfStream(SymbolBytes file, int pageSize, uint[] pages, int first, int count, uint length)
    {
        _file = file;
        _pageShift = System.Numerics.BitOperations.Log2((uint)pageSize);
        _pages = pages;
        _first = first;
        _count = count;
        Length = length;
    }

    public long Length { get; }

    private int PageSize => 1 << _pageShift;

    /// <summary>Where a byte of the stream is in the file; the end of its last page, or of the file, for places behind that.</summary>
    public long FileOffset(long offset)
    {
        int page = (int)Math.Clamp(offset >> _pageShift, 0, _count - 1);
        long inPage = offset - ((long)page << _pageShift);
        return Math.Min(((long)_pages[_first + page] << _pageShift) + Math.Clamp(inPage, 0, PageSize), _file.Length);
    }

    /// <summary>Copies some bytes.</summary>
    public bool TryRead(long offset, Span<byte> into)
    {
        if (offset < 0 || into.Length > Length - offset)
        {
            return false;
        }

        while (into.Length > 0)
        {
            int inPage = (int)(offset & (PageSize - 1));
            int wanted = Math.Min(into.Length, PageSize - inPage);
            ReadOnlySpan<byte> part = _file.At(((long)_pages[_first + (int)(offset >> _pageShift)] << _pageShift) + inPage, wanted);
            if (part.Length < wanted)
            {
                return false;
            }

            part.CopyTo(into);
            into = into[wanted..];
            offset += wanted;
        }

        return true;
    }

    /// <summary>A number of 32 bits; 0 where the stream has none there.</summary>
    public uint UInt32(long offset)
    {
        Span<byte> bytes = stackalloc byte[sizeof(uint)];
        return TryRead(offset, bytes) ? LittleEndian.UInt32(bytes, 0) : 0;
    }

    /// <summary>Some bytes, in place where their pages follow each other in the file, else copied.</summary>
    /// <param name="offset">Where they begin.</param>
    /// <param name="length">How many.</param>
    /// <param name="scratch">Holds a copy until it is used again or given back.</param>
    /// <returns>All of them, or none where the stream or the file ends before.</returns>
    public ReadOnlySpan<byte> Take(long offset, int length, ref Scratch scratch)
    {
        if (length <= 0 || offset < 0 || length > Length - offset)
        {
            return default;
        }

        int page = (int)(offset >> _pageShift);
        int last = (int)((offset + length - 1) >> _pageShift);
        for (int i = page; i < last; i++)
        {
            if (_pages[_first + i + 1] != _pages[_first + i] + 1)
            {
                Span<byte> copy = scratch.Of(length);
                return TryRead(offset, copy) ? copy : default;
            }
        }

        ReadOnlySpan<byte> bytes = _file.At(((long)_pages[_first + page] << _pageShift) + (offset & (PageSize - 1)), length);
        return bytes.Length == length ? bytes : default;
    }

    /// <summary>As <see cref="Take"/>, but what there is where the stream ends before.</summary>
    public ReadOnlySpan<byte> TakeUpTo(long offset, int length, ref Scratch scratch) =>
        Take(offset, (int)Math.Clamp(Length - offset, 0, length), ref scratch);

    /// <summary>A pooled array for bytes that are not in one piece in the file.</summary>
    internal struct Scratch : IDisposable
    {
        private byte[]? _rented;

        public Span<byte> Of(int length)
        {
            if (_rented is null || _rented.Length < length)
            {
                Dispose();
                _rented = ArrayPool<byte>.Shared.Rent(length);
            }

            return _rented.AsSpan(0, length);
        }

        public void Dispose()
        {
            if (_rented is not null)
            {
                ArrayPool<byte>.Shared.Return(_rented);
                _rented = null;
            }
        }
    }
}
