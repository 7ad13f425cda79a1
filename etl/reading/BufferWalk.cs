using System.Globalization;

namespace Tracer.Etl.Reading;

/// <summary>
/// Goes from buffer to buffer through a trace, past damage: tells which buffers there are, counts what is odd, and finds the next good one
/// when a header makes no sense (etl-format 1, 2 and 12).
/// </summary>
internal sealed class BufferWalk
{
    private const int HeaderBytes = EtlBufferHeader.HeaderBytes;

    private readonly InputWindow _window;
    private readonly TraceHealth _health;
    private readonly BufferSequence _sequence = new();
    private readonly bool _withBodies;
    private readonly int _sessionBytes;
    private readonly bool _mayBeCompressed;

    /// <summary>Where the next buffer is; -1 where there is none.</summary>
    private long _next;
    private byte[] _trial = [];

    /// <summary>Starts before the first buffer.</summary>
    /// <param name="window">The input.</param>
    /// <param name="header">What the first event says; null where it could not be read.</param>
    /// <param name="withBodies">Whether bodies will be looked at, or only headers.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="start">Where the first buffer starts; not 0 only where the start of the file is lost.</param>
    public BufferWalk(InputWindow window, EtlFileHeader? header, bool withBodies, TraceHealth health, long start)
    {
        _window = window;
        _health = health;
        _withBodies = withBodies;
        _next = start;
        _sessionBytes = header is { BufferBytes: >= HeaderBytes and <= BufferHeaderLayout.MaximumBufferBytes } ? header.BufferBytes : 0;
        _mayBeCompressed = header is null || header.LayoutMajor >= 2 || header.Mode.HasFlag(EtlLogFileMode.Compressed);
    }

    /// <summary>How many buffers were met so far, readable or not.</summary>
    public long Buffers { get; private set; }

    /// <summary>Header of the current buffer.</summary>
    public EtlBufferHeader Header { get; private set; }

    /// <summary>Where the current buffer starts in the file, in bytes.</summary>
    public long Offset { get; private set; }

    /// <summary>How many bytes of it the file holds, header included.</summary>
    public int StoredBytes { get; private set; }

    /// <summary>
    /// End of its data, header included: of an uncompressed buffer never beyond what is stored, of a compressed one in what
    /// decompression makes.
    /// </summary>
    public int FilledBytes { get; private set; }

    /// <summary>Whether the file ends inside this buffer.</summary>
    public bool IsTruncated { get; private set; }

    /// <summary>Gives the current buffer's header and events; valid until the next move.</summary>
    /// <param name="block">Takes what must be decompressed.</param>
    /// <param name="health">Is told of damage.</param>
    public ReadOnlySpan<byte> Data(ref byte[] block, TraceHealth health)
    {
        ReadOnlySpan<byte> stored = _window.Peek(Offset, StoredBytes);
        return BufferDecompression.Data(Header, stored, ref block, Offset, health);
    }

    /// <summary>Whether the header could belong to a buffer; the reason why not, else null.</summary>
    public static string? Implausible(in EtlBufferHeader header)
    {
        if (header.BufferSize is < HeaderBytes or > BufferHeaderLayout.MaximumBufferBytes)
        {
            return string.Create(CultureInfo.InvariantCulture, $"its header gives a size of {header.BufferSize} bytes");
        }

        if (header.FilledBytes is < HeaderBytes or > BufferHeaderLayout.MaximumBufferBytes
            || header.FilledBytes % BufferHeaderLayout.EventAlignment != 0)
        {
            return string.Create(CultureInfo.InvariantCulture, $"its header gives {header.FilledBytes} bytes of data");
        }

        return (header.Flags & ~BufferHeaderLayout.KnownFlags) != 0 || header.BufferType > BufferHeaderLayout.DebugInfoType
            ? string.Create(CultureInfo.InvariantCulture, $"its header has type {header.BufferType} and flags 0x{header.Flags:x}")
            : null;
    }

    /// <summary>Goes to the next buffer that holds events.</summary>
    /// <returns>False at the end of the input; then the sequence numbers have been added up too.</returns>
    public bool MoveNext()
    {
        while (true)
        {
            Offset = _next;
            ReadOnlySpan<byte> head = _next < 0 ? default : _window.Peek(Offset, HeaderBytes);
            if (head.Length < HeaderBytes || _next < 0)
            {
                if (_next >= 0 && !IsFiller(head))
                {
                    _health.Add(HealthCounter.TruncatedBytes, head.Length);
                }

                _health.Add(HealthCounter.SequenceGaps, _sequence.Missing);
                return false;
            }

            Buffers++;
            if (IsFiller(head))
            {
                _health.Add(HealthCounter.UnusedBuffers);
                _next = Resynchronised(Offset);
                continue;
            }

            Header = EtlBufferHeader.Read(head);
            if (Implausible(Header) is { } reason)
            {
                _health.AddDamage(new DamagedBuffer(Offset, reason));
                _next = Resynchronised(Offset);
                continue;
            }

            Measure();
            _sequence.Add(Header);
            CountLoss();
            if (!Header.HoldsEvents)
            {
                _health.Add(HealthCounter.OtherBuffers);
                continue;
            }

            return true;
        }
    }

    private static bool IsFiller(ReadOnlySpan<byte> bytes) =>
        bytes.IsEmpty || (bytes[0] is 0 or 0xFF && bytes.IndexOfAnyExcept(bytes[0]) < 0);

    /// <summary>Decides how long the current buffer is, and so where the next one starts.</summary>
    private void Measure()
    {
        int size = (int)Header.BufferSize;
        if (!Header.IsCompressed && _sessionBytes > 0 && size != _sessionBytes && !Header.IsHeaderBuffer && !IsBufferAt(size)
            && (IsBufferAt(_sessionBytes) || !_mayBeCompressed))
        {
            // Every buffer of an uncompressed file has the session's size: this header's size is what is wrong.
            _health.AddDamage(new DamagedBuffer(
                Offset, string.Create(CultureInfo.InvariantCulture, $"its header gives a size of {size} bytes, not {_sessionBytes}")));
            size = _sessionBytes;
        }

        _next = Offset + size;
        StoredBytes = (int)Math.Min(size, Available(size));
        IsTruncated = false;
        if (Header.IsCompressed)
        {
            FilledBytes = (int)Header.FilledBytes;
            MeasureCompressed(size);
            return;
        }

        if (Header.FilledBytes > size)
        {
            _health.AddDamage(new DamagedBuffer(
                Offset, string.Create(CultureInfo.InvariantCulture, $"its header gives {Header.FilledBytes} bytes of data in {size}")));
        }

        FilledBytes = Header.DataEndWithin(size);
        if (FilledBytes > StoredBytes)
        {
            IsTruncated = true;
            _health.Add(HealthCounter.TruncatedBytes, FilledBytes - StoredBytes);
            FilledBytes = StoredBytes;
        }
    }

    private void MeasureCompressed(int size)
    {
        bool complete = StoredBytes == size;
        if (complete && IsBufferAt(size))
        {
            return;
        }

        // What follows is no buffer. Either this buffer's size is wrong, or it is right and the next one is damaged: the data tell.
        int wanted = FilledBytes - HeaderBytes;
        if (_trial.Length < wanted + XpressDecoder.Slack)
        {
            _trial = new byte[wanted + XpressDecoder.Slack];
        }

        int look = (int)Math.Min(Available(BufferHeaderLayout.MaximumBufferBytes), Math.Max(size, HeaderBytes + wanted + (wanted / 8)));
        ReadOnlySpan<byte> body = _window.Peek(Offset, look);
        XpressEnd end = XpressDecoder.Decode(body[Math.Min(HeaderBytes, body.Length)..], _trial, wanted, out int consumed, out _);
        int used = HeaderBytes + consumed;
        if (end == XpressEnd.Complete && (used == size || used + sizeof(uint) == size))
        {
            return;
        }

        // In a pipe there is no way back to this buffer once the search has gone on; it was looked at, and is given up.
        long found = _window.CanGoBack ? FindBuffer(Offset + (end == XpressEnd.Complete ? used : HeaderBytes)) : -1;
        if (found >= 0)
        {
            _health.AddDamage(new DamagedBuffer(
                Offset,
                string.Create(CultureInfo.InvariantCulture, $"its header gives a size of {size} bytes, which is not where it ends")));
            StoredBytes = (int)Math.Min(found - Offset, BufferHeaderLayout.MaximumBufferBytes);
            _next = found;
        }
        else if (!complete)
        {
            IsTruncated = true;
            _health.Add(HealthCounter.TruncatedBytes, size - StoredBytes);
        }
    }

    /// <summary>How many bytes the input still has from the current buffer on, as far as <paramref name="bytes"/>.</summary>
    private long Available(int bytes) =>
        _window.CanGoBack ? Math.Min(bytes, _window.Length - Offset) : _window.Peek(Offset, bytes).Length;

    /// <summary>Whether a buffer, filler, or the end of the input is so many bytes behind the current buffer's start.</summary>
    private bool IsBufferAt(int distance)
    {
        ReadOnlySpan<byte> head;
        if (_withBodies)
        {
            // One look at both, so that the window need not move back.
            ReadOnlySpan<byte> both = _window.Peek(Offset, distance + HeaderBytes);
            head = both.Length > distance ? both[distance..] : default;
            if (both.Length < distance)
            {
                return false;
            }
        }
        else
        {
            if (Offset + distance > _window.Length)
            {
                return false;
            }

            head = _window.Peek(Offset + distance, HeaderBytes);
        }

        return head.Length < HeaderBytes || IsFiller(head) || Implausible(EtlBufferHeader.Read(head)) is null;
    }

    private long Resynchronised(long offset) => _sessionBytes > 0 && !_mayBeCompressed
        ? ((offset / _sessionBytes) + 1) * _sessionBytes
        : FindBuffer(offset + 1);

    /// <summary>Looks for the next place that is a buffer header beyond doubt.</summary>
    /// <param name="from">Where to begin.</param>
    /// <param name="limit">How many bytes to search at most.</param>
    /// <returns>Its offset; -1 where there is none.</returns>
    public long FindBuffer(long from, long limit = long.MaxValue)
    {
        for (long searched = 0; searched < limit;)
        {
            ReadOnlySpan<byte> bytes = _window.Peek(from, InputWindow.BlockBytes);
            for (int at = 0; at + HeaderBytes <= bytes.Length; at++)
            {
                // The state's bytes rule out nearly every place.
                if (bytes[at + BufferHeaderLayout.State] is (byte)BufferHeaderLayout.FlushedState
                    && bytes[at + BufferHeaderLayout.State + 1] == 0
                    && IsBufferBeyondDoubt(EtlBufferHeader.Read(bytes[at..])))
                {
                    return from + at;
                }
            }

            if (bytes.Length < InputWindow.BlockBytes)
            {
                return -1;
            }

            from += bytes.Length - HeaderBytes + 1;
            searched += bytes.Length;
        }

        return -1;
    }

    private bool IsBufferBeyondDoubt(in EtlBufferHeader header) =>
        Implausible(header) is null
        && header.State == BufferHeaderLayout.FlushedState
        && header.ReferenceCount == 0
        && header.BufferType == BufferHeaderLayout.GenericType
        && header.FilledBytes > HeaderBytes
        && header.BufferSize > HeaderBytes
        && header.SavedOffset == header.FilledBytes
        && (_sessionBytes == 0 || (header.FilledBytes <= _sessionBytes && header.BufferSize <= _sessionBytes));

    private void CountLoss()
    {
        if ((Header.Flags & BufferHeaderLayout.EventsLostFlag) != 0)
        {
            _health.Add(HealthCounter.BuffersMarkedEventsLost);
        }

        if ((Header.Flags & BufferHeaderLayout.BufferLostFlag) != 0)
        {
            _health.Add(HealthCounter.BuffersMarkedBufferLost);
        }
    }
}
