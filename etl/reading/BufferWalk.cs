namespace Tracer.Etl.Reading;

/// <summary>
/// Goes from buffer to buffer through a trace, past damage: tells which buffers there are, counts what is odd, and finds the next good one
/// when a header makes no sense.
/// </summary>
internal sealed class BufferWalk
{
    private const int HeaderBytes = EtlBufferHeader.HeaderBytes;

    /// <summary>Enough behind a blank header to tell a buffer that was never written from one whose header was overwritten.</summary>
    private const int BlankBytes = 64;

    /// <summary>
    /// Bytes that may be read and made to learn just where compressed buffers end, beyond four for each byte of the input: a limit for
    /// input that is made to take long.
    /// </summary>
    private const long TrialBytes = 64 * 1024 * 1024;

    /// <summary>
    /// Bytes that may become of all compressed buffers, beyond <see cref="ExpansionOfAByte"/> for each byte of the file. Real traces
    /// shrink to a fifth, and single buffers to a fiftieth; a match of XPRESS can stand for any length.
    /// </summary>
    private const long FreeExpansionBytes = 256 * 1024 * 1024;
    private const int ExpansionOfAByte = 256;

    private readonly InputWindow _window;
    private readonly TraceHealth _health;
    private readonly BufferSequence _sequence = new();
    private readonly BlankSpace _blanks = new();
    private readonly BufferRules _rules;
    private readonly BufferSearch _search;
    private readonly EtlFileHeader? _header;
    private readonly bool _mayBeCompressed;

    /// <summary>Where the next buffer is; -1 where there is none.</summary>
    private long _next;

    /// <summary>Where a sound buffer ended last: uncompressed buffers stand at multiples of their size from there.</summary>
    private long _anchor;

    private long _measured;

    private long _tried;
    private long _expanded;
    private long _blankBuffers;
    private long _unreadable;
    private bool _isEnded;
    private byte[] _trial = [];

    /// <summary>Starts before the first buffer.</summary>
    /// <param name="window">The input.</param>
    /// <param name="header">What the first event says; null where it could not be read.</param>
    /// <param name="health">Is told what is odd.</param>
    /// <param name="start">Where the first buffer starts; not 0 only where the start of a pipe is lost.</param>
    public BufferWalk(InputWindow window, EtlFileHeader? header, TraceHealth health, long start)
    {
        _window = window;
        _health = health;
        _header = header;
        _next = start;
        _anchor = start;
        _mayBeCompressed = header is null || header.LayoutMajor >= 2 || header.Mode.HasFlag(EtlLogFileMode.Compressed);
        _rules = new BufferRules(header is null ? 0 : SessionBytes(header.BufferBytes));
        _search = new BufferSearch(window, _rules, health);
    }

    /// <summary>Is told of each buffer whose header makes sense, where losses are searched; null where they are not.</summary>
    public List<NumberedBuffer>? Numbered { get; init; }

    /// <summary>How many buffers were met so far, readable or not.</summary>
    public long Buffers { get; private set; }

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

    /// <summary>Goes to the next buffer that holds events.</summary>
    /// <returns>False at the end of the input; then what only the whole file tells has been counted too.</returns>
    public bool MoveNext()
    {
        while (true)
        {
            Offset = _next;
            ReadOnlySpan<byte> head = _next < 0 ? default : _window.Peek(Offset, HeaderBytes);
            if (head.Length < HeaderBytes)
            {
                End(head);
                return false;
            }

            Buffers++;
            if (IsFiller(head))
            {
                PassFiller();
                continue;
            }

            Header = EtlBufferHeader.Read(head);
            if (BufferRules.Implausible(Header) is { } reason || Unconfirmed(out reason))
            {
                AddUnreadable(reason);
                _next = Resynchronised();
                continue;
            }

            Measure();
            _blanks.PassBuffer();
            if (IsExpansionTooLarge())
            {
                AddUnreadable(string.Create(CultureInfo.InvariantCulture, $"its {StoredBytes} bytes would become {FilledBytes}, and ")
                    + "the buffers before it have become as much as is allowed for a file of this size");
                continue;
            }

            _sequence.Add(Header);
            CountMarks();
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
        head.Length >= HeaderBytes && EtlBufferHeader.Read(head) is var header && header.BufferSize == bytes
        && BufferRules.Implausible(header) is null;

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

    private void End(ReadOnlySpan<byte> rest)
    {
        if (_isEnded)
        {
            return;
        }

        _isEnded = true;
        if (!IsFiller(rest))
        {
            _health.Add(HealthCounter.TruncatedBytes, rest.Length);
        }

        _health.Add(HealthCounter.SequenceGaps, _sequence.Missing);
        bool isCounted = _header is { EndFileTime: not 0, BuffersWritten: not 0 } && !_header.Mode.HasFlag(EtlLogFileMode.Buffering);
        long? missing = isCounted ? _header!.BuffersWritten - (Buffers - _blankBuffers) : null;
        _blanks.Judge(missing, Math.Max(0, _sequence.Missing - _unreadable), _health);
    }

    private void AddUnreadable(string reason)
    {
        _unreadable++;
        _health.AddDamage(new DamagedBuffer(Offset, reason));
    }

    /// <summary>Whether the header has flags or a type that are not known, and nothing else tells that it is one.</summary>
    private bool Unconfirmed(out string reason)
    {
        reason = "";
        if (BufferRules.HasKnownMarks(Header) || Header.BufferSize == _rules.SessionBytes
            || IsBufferAt((int)Header.BufferSize, orFiller: false))
        {
            return false;
        }

        reason = string.Create(CultureInfo.InvariantCulture, $"its header has type {Header.BufferType} and flags 0x{Header.Flags:x}");
        return true;
    }

    /// <summary>Goes past a header of zeros or ones: a blank buffer, else a header that was overwritten.</summary>
    private void PassFiller()
    {
        ReadOnlySpan<byte> bytes = _window.Peek(Offset, HeaderBytes + BlankBytes);
        bool isBlank = bytes.IndexOfAnyExcept((byte)0, (byte)0xFF) < 0;
        if (!isBlank)
        {
            AddUnreadable("its header is blank, but not its data");
        }

        _next = Resynchronised(isBlank);
        if (isBlank)
        {
            _blankBuffers++;
            _blanks.Add(Offset, _next - Offset);
        }
    }

    private bool IsExpansionTooLarge()
    {
        if (!Header.IsCompressed)
        {
            return false;
        }

        _expanded += FilledBytes;
        return _expanded > FreeExpansionBytes + (ExpansionOfAByte * (Offset + StoredBytes));
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
            && Header is { State: BufferHeaderLayout.FlushedState, BufferType: BufferHeaderLayout.GenericType }
            && IsEventAt(BufferHeaderLayout.Aligned((int)Header.FilledBytes), (int)Header.SavedOffset))
        {
            // It was saved with more, and there is more.
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
        if (size == _rules.SessionBytes)
        {
            return size;
        }

        bool isUniform = _rules.SessionBytes > 0 && !_mayBeCompressed;
        bool fits = IsBufferAt(size, orFiller: !isUniform);
        int likely;
        if (isUniform)
        {
            // Every buffer has the session's size, as far as is known, and only the first may be smaller; but what stands behind decides.
            if (fits && ((Header.IsHeaderBuffer && size < _rules.SessionBytes) || !IsBufferAt(_rules.SessionBytes, orFiller: false)))
            {
                return size;
            }

            likely = _rules.SessionBytes;
        }
        else if (fits)
        {
            return size;
        }
        else if (_rules.SessionBytes > 0 && IsBufferAt(_rules.SessionBytes))
        {
            likely = _rules.SessionBytes;
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
        if (end == XpressEnd.Complete && used <= size && BufferDecompression.IsUsedUp(_window.Peek(Offset, size)[used..]))
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
        _tried += look + Math.Max(0, wanted);
        if (wanted < 0 || look < HeaderBytes || _tried > TrialBytes + (4 * Offset))
        {
            return XpressEnd.Damaged;
        }

        _health.AddWork(look + wanted);

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

    /// <summary>Whether an event starts at a place of the current buffer and ends at another or before it.</summary>
    private bool IsEventAt(int at, int end)
    {
        ReadOnlySpan<byte> bytes = _window.Peek(Offset, end);
        return at < bytes.Length && EventHeaderLayout.TryMeasure(bytes[at..], out _, out _);
    }

    /// <summary>Whether a buffer, filler, or the end of the input is so many bytes behind the current buffer's start.</summary>
    private bool IsBufferAt(int distance, bool orFiller = true)
    {
        ReadOnlySpan<byte> head;
        if (_window.CanGoBack)
        {
            if (Offset + distance > _window.Length)
            {
                return false;
            }

            head = _window.Glance(Offset + distance, HeaderBytes);
        }
        else
        {
            ReadOnlySpan<byte> both = _window.Peek(Offset, distance + HeaderBytes);
            if (both.Length < distance)
            {
                return false;
            }

            head = both[distance..];
        }

        return head.IsEmpty || (IsFiller(head) ? orFiller : head.Length == HeaderBytes && _rules.IsLikely(EtlBufferHeader.Read(head)));
    }

    /// <summary>Where to go on behind a buffer whose header makes no sense; -1 where nothing is left.</summary>
    /// <param name="isBlank">
    /// Whether it is blank, so that the next one may be, too. Behind damage what looks so may be the end of a buffer that moved.
    /// </param>
    private long Resynchronised(bool isBlank = false)
    {
        int sessionBytes = _rules.SessionBytes;
        if (sessionBytes == 0 || _mayBeCompressed)
        {
            return _search.Find(Offset + 1);
        }

        long aligned = Offset + sessionBytes - ((Offset - _anchor) % sessionBytes);
        if (IsBufferAt((int)(aligned - Offset), orFiller: isBlank))
        {
            return aligned;
        }

        // Neither is the next one: more damage in a row, or bytes are missing and all buffers behind have moved. Where bytes are missing,
        // the next one begins inside the space of the last one.
        long found = _search.Find(_window.CanGoBack && _anchor == Offset ? _measured + HeaderBytes : Offset + 1);
        return _window.CanGoBack && (found < 0 || (found - aligned) % sessionBytes == 0) ? aligned : found;
    }

    /// <summary>Looks for a buffer behind the current one, which stays in view: a pipe does not give it again.</summary>
    private long FindBehind(int distance) =>
        _window.CanGoBack ? _search.Find(Offset + distance) : _search.FindInView(Offset, distance);

    private void CountMarks()
    {
        if (!BufferRules.HasKnownMarks(Header))
        {
            _health.Add(HealthCounter.UnknownBufferMarks);
        }

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
