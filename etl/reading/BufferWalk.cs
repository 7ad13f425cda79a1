using System.Globalization;

namespace Tracer.Etl.Reading;

/// <summary>
/// Goes from buffer to buffer through a trace, past damage: tells which buffers there are, counts what is odd, and finds the next good one
/// when a header makes no sense (etl-format 1, 2 and 12).
/// </summary>
internal sealed class BufferWalk
{
    private const int HeaderBytes = EtlBufferHeader.HeaderBytes;

    /// <summary>How far a search looks at first.</summary>
    private const int FirstLook = 4096;

    /// <summary>Enough behind a blank header to tell a buffer that was never written from one whose header was overwritten.</summary>
    private const int BlankBytes = 64;

    /// <summary>
    /// Bytes of buffers that may be decompressed just to learn where they end, beyond four for each byte of the input: a limit for input
    /// that is made to take long.
    /// </summary>
    private const long TrialBytes = 256 * 1024 * 1024;

    private readonly InputWindow _window;
    private readonly TraceHealth _health;
    private readonly BufferSequence _sequence = new();
    private readonly bool _withBodies;
    private readonly int _sessionBytes;
    private readonly bool _mayBeCompressed;

    /// <summary>Where the next buffer is; -1 where there is none.</summary>
    private long _next;

    /// <summary>Where a sound buffer ended last: uncompressed buffers stand at multiples of their size from there.</summary>
    private long _anchor;

    /// <summary>Where that buffer started.</summary>
    private long _measured;

    /// <summary>What the last search found, and from where on it searched: damage in a row is searched once.</summary>
    private long _found = -1;
    private long _searchedFrom = long.MaxValue;
    private long _tried;
    private byte[] _trial = [];

    /// <summary>Starts before the first buffer.</summary>
    /// <param name="window">The input.</param>
    /// <param name="header">What the first event says; null where it could not be read.</param>
    /// <param name="withBodies">Whether bodies will be looked at, or only headers.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="start">Where the first buffer starts; not 0 only where the start of a pipe is lost.</param>
    public BufferWalk(InputWindow window, EtlFileHeader? header, bool withBodies, TraceHealth health, long start)
    {
        _window = window;
        _health = health;
        _withBodies = withBodies;
        _next = start;
        _anchor = start;
        _mayBeCompressed = header is null || header.LayoutMajor >= 2 || header.Mode.HasFlag(EtlLogFileMode.Compressed);
        _sessionBytes = header is null ? 0 : SessionBytes(header.BufferBytes);
    }

    /// <summary>Is told of each buffer whose header makes sense, where losses are searched; null where they are not.</summary>
    public List<NumberedBuffer>? Numbered { get; init; }

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

    /// <summary>Gives the current buffer's header and events; valid until the next move.</summary>
    /// <param name="block">Takes what must be decompressed.</param>
    /// <param name="health">Is told of damage.</param>
    public ReadOnlySpan<byte> Data(ref byte[] block, TraceHealth health)
    {
        ReadOnlySpan<byte> stored = _window.Peek(Offset, StoredBytes);
        return stored.Length < HeaderBytes ? default : BufferDecompression.Data(Header, stored, ref block, Offset, health);
    }

    /// <summary>Whether the header could belong to a buffer; the reason why not, else null.</summary>
    public static string? Implausible(in EtlBufferHeader header)
    {
        if (header.BufferSize is < HeaderBytes or > BufferHeaderLayout.MaximumBufferBytes)
        {
            return string.Create(CultureInfo.InvariantCulture, $"its header gives a size of {header.BufferSize} bytes");
        }

        bool isStale = header is { FilledBytes: 0, WasFlushed: false, IsCompressed: false, CurrentOffset: >= HeaderBytes }
            && header.State <= BufferHeaderLayout.HighestState;
        if ((header.FilledBytes < HeaderBytes && !isStale)
            || header.FilledBytes > BufferHeaderLayout.MaximumBufferBytes
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
                PassFiller();
                continue;
            }

            Header = EtlBufferHeader.Read(head);
            if (Implausible(Header) is { } reason)
            {
                _health.AddDamage(new DamagedBuffer(Offset, reason));
                _next = Resynchronised();
                continue;
            }

            Measure();
            _sequence.Add(Header);
            CountLoss();
            Numbered?.Add(new NumberedBuffer(
                Offset,
                Header.SequenceNumber,
                _sequence.Part,
                Header.Cpu,
                Header.Flags,
                Header.IsHeaderBuffer,
                StoredBytes < (Header.IsCompressed ? Header.BufferSize : Header.FilledBytes)));
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

    private static bool HasSessionSize(ReadOnlySpan<byte> head, int bytes) =>
        head.Length >= HeaderBytes && EtlBufferHeader.Read(head) is var header && header.BufferSize == bytes && Implausible(header) is null;

    /// <summary>
    /// The size that every buffer of an uncompressed file has: the first event tells it, and so does the first buffer. Where they differ,
    /// the size at which a second buffer stands. In a compressed file it limits what a buffer holds, and the first buffer has another.
    /// </summary>
    private int SessionBytes(int toldByEvent)
    {
        bool isSize = toldByEvent is > HeaderBytes and <= BufferHeaderLayout.MaximumBufferBytes;
        if (_mayBeCompressed)
        {
            return isSize ? toldByEvent : 0;
        }

        ReadOnlySpan<byte> head = _window.Peek(_next, HeaderBytes);
        uint toldByBuffer = head.Length < HeaderBytes ? 0 : EtlBufferHeader.Read(head).BufferSize;
        if (toldByBuffer == toldByEvent
            || (isSize && HasSessionSize(BehindFirst(toldByEvent), toldByEvent))
            || toldByBuffer is <= HeaderBytes or > BufferHeaderLayout.MaximumBufferBytes
            || !HasSessionSize(BehindFirst((int)toldByBuffer), (int)toldByBuffer))
        {
            return isSize ? toldByEvent : 0;
        }

        return (int)toldByBuffer;
    }

    private ReadOnlySpan<byte> BehindFirst(int bytes)
    {
        ReadOnlySpan<byte> both = _window.Peek(_next, bytes + HeaderBytes);
        return both.Length > bytes ? both[bytes..] : default;
    }

    /// <summary>Goes past a header of zeros or ones: space that was never written, else a header that was overwritten.</summary>
    private void PassFiller()
    {
        ReadOnlySpan<byte> bytes = _window.Peek(Offset, HeaderBytes + BlankBytes);
        bool isUnused = bytes.IndexOfAnyExcept((byte)0, (byte)0xFF) < 0;
        if (isUnused)
        {
            _health.Add(HealthCounter.UnusedBuffers);
        }
        else
        {
            _health.AddDamage(new DamagedBuffer(Offset, "its header is blank, but not its data"));
        }

        _next = Resynchronised(isUnused);
    }

    /// <summary>Decides how long the current buffer is, and so where the next one starts.</summary>
    private void Measure()
    {
        int size = Header.IsCompressed ? (int)Header.BufferSize : RawSize();
        _next = Offset + size;
        StoredBytes = (int)Math.Min(size, Available(size));
        if (Header.IsCompressed)
        {
            FilledBytes = (int)Header.FilledBytes;
            MeasureCompressed(size);
            return;
        }

        _anchor = _next;
        _measured = Offset;
        if (Header.FilledBytes > size)
        {
            Damaged($"its header gives {Header.FilledBytes} bytes of data in {size}");
        }
        else if (Header.SavedOffset > Header.FilledBytes
            && Header.SavedOffset <= size
            && Header is { State: BufferHeaderLayout.FlushedState, BufferType: BufferHeaderLayout.GenericType })
        {
            Damaged($"its header gives {Header.FilledBytes} bytes of data and {Header.SavedOffset}");
        }

        FilledBytes = Header.DataEndWithin(size);
        if (FilledBytes > StoredBytes)
        {
            _health.Add(HealthCounter.TruncatedBytes, FilledBytes - StoredBytes);
            FilledBytes = StoredBytes;
        }
    }

    /// <summary>The size of an uncompressed buffer: what its header says, unless what surrounds it says otherwise.</summary>
    private int RawSize()
    {
        int size = (int)Header.BufferSize;
        if (size == _sessionBytes)
        {
            return size;
        }

        bool isUniform = _sessionBytes > 0 && !_mayBeCompressed;
        bool fits = IsBufferAt(size, orFiller: !isUniform);
        int likely;
        if (isUniform)
        {
            // Every buffer has the session's size; only the first may be smaller.
            if (fits && ((Header.IsHeaderBuffer && size < _sessionBytes) || !IsBufferAt(_sessionBytes)))
            {
                return size;
            }

            likely = _sessionBytes;
        }
        else if (fits)
        {
            return size;
        }
        else if (_sessionBytes > 0 && IsBufferAt(_sessionBytes))
        {
            likely = _sessionBytes;
        }
        else if (Header.FilledBytes > HeaderBytes && Header.FilledBytes < size && IsBufferAt((int)Header.FilledBytes, orFiller: false))
        {
            likely = (int)Header.FilledBytes; // As it is where a buffer would not get smaller by compression.
        }
        else
        {
            long found = FindBehind(HeaderBytes);
            if (found < 0 || found - Offset >= size)
            {
                return size; // The next one is what is damaged.
            }

            likely = (int)(found - Offset);
        }

        Damaged($"its header gives a size of {size} bytes, not {likely}");
        return likely;
    }

    private void MeasureCompressed(int size)
    {
        bool isWhole = StoredBytes == size;
        if (isWhole && IsBufferAt(size))
        {
            return;
        }

        // What follows is no buffer. Either this buffer's size is wrong, or it is right and the next one is damaged: the data tell.
        XpressEnd end = TryOut(size, out int used);
        if (end == XpressEnd.Complete && (used == size || used + sizeof(uint) == size))
        {
            return;
        }

        long found = FindBehind(end == XpressEnd.Complete ? used : HeaderBytes);
        if (found >= 0 || end == XpressEnd.Complete)
        {
            Damaged($"its header gives a size of {size} bytes, which is not where it ends");
            StoredBytes = (int)Math.Min(
                found < 0 ? Available(BufferHeaderLayout.MaximumBufferBytes) : found - Offset, BufferHeaderLayout.MaximumBufferBytes);
            _next = found;
        }
        else if (!isWhole)
        {
            _health.Add(HealthCounter.TruncatedBytes, size - StoredBytes);
        }
    }

    /// <summary>Decompresses the current buffer to see how many bytes that takes.</summary>
    private XpressEnd TryOut(int size, out int used)
    {
        used = 0;
        int wanted = (int)Header.FilledBytes - HeaderBytes;
        int look = (int)Math.Min(Available(BufferHeaderLayout.MaximumBufferBytes), Math.Max(size, HeaderBytes + wanted + (wanted / 8)));
        _tried += look;
        if (wanted < 0 || look < HeaderBytes || _tried > TrialBytes + (4 * Offset))
        {
            return XpressEnd.Damaged;
        }

        if (_trial.Length < wanted + XpressDecoder.Slack)
        {
            _trial = new byte[wanted + XpressDecoder.Slack];
        }

        ReadOnlySpan<byte> body = _window.Peek(Offset, look);
        XpressEnd end = XpressDecoder.Decode(body[Math.Min(HeaderBytes, body.Length)..], _trial, wanted, out int consumed, out _);
        used = HeaderBytes + consumed;
        return end;
    }

    private void Damaged(FormattableString reason) =>
        _health.AddDamage(new DamagedBuffer(Offset, FormattableString.Invariant(reason)));

    /// <summary>How many bytes the input still has from the current buffer on, as far as <paramref name="bytes"/>.</summary>
    private long Available(int bytes) =>
        _window.CanGoBack ? Math.Min(bytes, _window.Length - Offset) : _window.Peek(Offset, bytes).Length;

    /// <summary>Whether a buffer, filler, or the end of the input is so many bytes behind the current buffer's start.</summary>
    private bool IsBufferAt(int distance, bool orFiller = true)
    {
        ReadOnlySpan<byte> head;
        if (!_window.CanGoBack || (_withBodies && distance + HeaderBytes <= InputWindow.BlockBytes))
        {
            // One look at both, so that the window need not move back; a pipe's cannot.
            ReadOnlySpan<byte> both = _window.Peek(Offset, distance + HeaderBytes);
            if (both.Length < distance)
            {
                return false;
            }

            head = both[distance..];
        }
        else
        {
            if (Offset + distance > _window.Length)
            {
                return false;
            }

            head = _window.Peek(Offset + distance, HeaderBytes);
        }

        return head.IsEmpty || (IsFiller(head) ? orFiller : head.Length == HeaderBytes && IsLikely(EtlBufferHeader.Read(head)));
    }

    /// <summary>Where to go on behind a buffer whose header makes no sense; -1 where nothing is left.</summary>
    /// <param name="isUnused">
    /// Whether it was never written, so that neither need the next one be. Behind damage what looks so may be the end of a buffer that
    /// moved.
    /// </param>
    private long Resynchronised(bool isUnused = false)
    {
        if (_sessionBytes == 0 || _mayBeCompressed)
        {
            return FindBuffer(Offset + 1);
        }

        long aligned = Offset + _sessionBytes - ((Offset - _anchor) % _sessionBytes);
        if (IsBufferAt((int)(aligned - Offset), orFiller: isUnused))
        {
            return aligned;
        }

        // Neither is the next one: more damage in a row, or bytes are missing and all buffers behind have moved.
        if (_searchedFrom > Offset + 1 || (_found >= 0 && _found <= Offset))
        {
            // Where bytes are missing, the next one begins inside the space of the last one.
            _searchedFrom = _window.CanGoBack && _anchor == Offset ? _measured + HeaderBytes : Offset + 1;
            _found = FindBuffer(_searchedFrom);
        }

        return _window.CanGoBack && (_found < 0 || (_found - aligned) % _sessionBytes == 0) ? aligned : _found;
    }

    /// <summary>Looks for a buffer behind the current one, which stays in view: a pipe does not give it again.</summary>
    private long FindBehind(int distance)
    {
        if (_window.CanGoBack)
        {
            return FindBuffer(Offset + distance);
        }

        ReadOnlySpan<byte> bytes = _window.Peek(Offset, BufferHeaderLayout.MaximumBufferBytes);
        int at = FindWithin(bytes, distance);
        return at < 0 ? -1 : Offset + at;
    }

    /// <summary>Looks for the next place that is a buffer header beyond doubt.</summary>
    /// <param name="from">Where to begin.</param>
    /// <param name="limit">How many bytes to search at most.</param>
    /// <returns>Its offset; -1 where there is none.</returns>
    public long FindBuffer(long from, long limit = long.MaxValue)
    {
        // It is mostly near: a little is looked at first, then more.
        int look = FirstLook;
        for (long searched = 0; searched < limit;)
        {
            ReadOnlySpan<byte> bytes = _window.Peek(from, look);
            int at = FindWithin(bytes, 0);
            if (at >= 0)
            {
                return from + at;
            }

            if (bytes.Length < look)
            {
                return -1;
            }

            from += bytes.Length - HeaderBytes + 1;
            searched += bytes.Length;
            look = Math.Min(4 * look, InputWindow.BlockBytes);
        }

        return -1;
    }

    private int FindWithin(ReadOnlySpan<byte> bytes, int at)
    {
        for (; at + HeaderBytes <= bytes.Length; at++)
        {
            // The state's bytes rule out nearly every place.
            if (bytes[at + BufferHeaderLayout.State] is (byte)BufferHeaderLayout.FlushedState
                && bytes[at + BufferHeaderLayout.State + 1] == 0
                && IsBufferBeyondDoubt(EtlBufferHeader.Read(bytes[at..])))
            {
                return at;
            }
        }

        return -1;
    }

    /// <summary>
    /// Whether this could follow a buffer whose size is in question. Stricter than what is read where a buffer is known to start: to say no
    /// only costs a closer look.
    /// </summary>
    private bool IsLikely(in EtlBufferHeader header) =>
        header.State <= BufferHeaderLayout.HighestState
        && (header.SavedOffset == header.FilledBytes || header.State != BufferHeaderLayout.FlushedState || header.IsHeaderBuffer)
        && Implausible(header) is null
        && FitsSession(header);

    private bool FitsSession(in EtlBufferHeader header) =>
        _sessionBytes == 0 || (header.FilledBytes <= _sessionBytes && header.BufferSize <= _sessionBytes);

    private bool IsBufferBeyondDoubt(in EtlBufferHeader header) =>
        header.State == BufferHeaderLayout.FlushedState
        && header.ReferenceCount == 0
        && header.BufferType == BufferHeaderLayout.GenericType
        && header.FilledBytes > HeaderBytes
        && header.BufferSize > HeaderBytes
        && header.SavedOffset == header.FilledBytes
        && Implausible(header) is null
        && FitsSession(header);

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
