using System.Buffers.Binary;

namespace Tracer.Etl;

/// <summary>
/// Writes one .etl file as Windows lays it out. The same calls give the same bytes. Memory is one buffer per CPU that
/// logs; nothing is allocated per event.
/// </summary>
/// <remarks>
/// Disposed before <see cref="Complete"/>, it leaves what a crash of the logging system leaves: all buffers that were full or ended, and
/// a header without end time and counts.
/// </remarks>
public sealed class EtlWriter : IEtlWriter
{
    private const byte WideLayoutMajor = 2;

    private readonly Stream _stream;
    private readonly bool _leaveOpen;
    private readonly EtlWriterOptions _options;
    private readonly HeaderBuffer _headerBuffer;
    private readonly StreamBuffer?[] _buffers;
    private readonly XpressEncoder? _encoder;
    private readonly byte[] _compressed;
    private readonly long _origin;

    private EtlFileHeader _header;
    private long _nextSequenceNumber = 1;
    private long _dataBuffers;
    private long _end;
    private long _lastBufferAt = -1;
    private ushort _lastBufferFlags;
    private bool _ended;

    private EtlWriter(Stream stream, bool leaveOpen, EtlFileHeader header, EtlWriterOptions options)
    {
        _stream = stream;
        _leaveOpen = leaveOpen;
        _options = options;
        _header = header;
        _headerBuffer = new HeaderBuffer(header, options);
        _buffers = new StreamBuffer?[header.ProcessorCount];
        _encoder = options.Compress ? new XpressEncoder() : null;
        _compressed = options.Compress ? new byte[header.BufferBytes] : [];
        _origin = stream.Position;
        stream.SetLength(_origin);
        WriteHeaderBuffer();
    }

    /// <summary>
    /// The header as it is written: mode and layout as the options require them, and what was lost so far. The end time and the buffers
    /// written are those of an unfinished file until <see cref="Complete"/>.
    /// </summary>
    public EtlFileHeader Header => _header;

    /// <summary>Creates a file, or replaces what it holds.</summary>
    /// <param name="path">The file.</param>
    /// <param name="header">What the header event is to say; end time and buffers written are the writer's.</param>
    /// <param name="options">How to store it; uncompressed and not a ring when left out.</param>
    /// <exception cref="ArgumentException">A header or an option breaks a rule of the format; no file was touched.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    /// <exception cref="UnauthorizedAccessException">The file may not be written.</exception>
    public static EtlWriter Create(string path, EtlFileHeader header, EtlWriterOptions? options = null)
    {
        options ??= new EtlWriterOptions();
        EtlFileHeader unfinished = Unfinished(header, options);
        var stream = new FileStream(path, FileMode.Create, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0);
        try
        {
            return new EtlWriter(stream, leaveOpen: false, unfinished, options);
        }
        catch
        {
            stream.Dispose();
            throw;
        }
    }

    /// <summary>Writes to a stream, from its current position on; what it holds from there is cut off.</summary>
    /// <param name="stream">The stream; it must be able to seek, since the header is finished last.</param>
    /// <param name="header">What the header event is to say; end time and buffers written are the writer's.</param>
    /// <param name="options">How to store it; uncompressed and not a ring when left out.</param>
    /// <param name="leaveOpen">Whether the stream stays open when the writer is disposed.</param>
    /// <exception cref="ArgumentException">
    /// The stream cannot seek, or a header or an option breaks a rule of the format; the stream was not touched.
    /// </exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public static EtlWriter Create(Stream stream, EtlFileHeader header, EtlWriterOptions? options = null, bool leaveOpen = false)
    {
        ArgumentNullException.ThrowIfNull(stream);
        if (!stream.CanSeek || !stream.CanWrite)
        {
            throw new ArgumentException("The header is finished last: the stream must be able to write and to seek.", nameof(stream));
        }

        options ??= new EtlWriterOptions();
        return new EtlWriter(stream, leaveOpen, Unfinished(header, options), options);
    }

    /// <summary>
    /// Writes an event into the header buffer, behind the header event, where Windows puts the group masks (hook 0x0005) and the like;
    /// Windows 7's merger puts them into the first buffer of CPU 0.
    /// </summary>
    /// <param name="header">Its header.</param>
    /// <param name="payload">Its data, behind the counters that the header announces.</param>
    /// <param name="items">Extended data items; EVENT_HEADER kinds only.</param>
    /// <exception cref="ArgumentException">The event has no place in the format, or the header buffer is full.</exception>
    /// <exception cref="InvalidOperationException">A data buffer has been written, or the file is complete.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public void WriteToHeaderBuffer(in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items = default)
    {
        ThrowIfEnded();
        if (_options.IsWindows7)
        {
            Write(0, header, payload, items);
            return;
        }

        if (_dataBuffers != 0)
        {
            throw new InvalidOperationException("The header buffer is closed by the first data buffer.");
        }

        _headerBuffer.Append(header, payload, items);
        WriteHeaderBuffer();
    }

    /// <inheritdoc/>
    public void Write(int cpu, in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items = default)
    {
        int bytes = EventRecord.Measure(header, payload.Length, items);
        StreamBuffer buffer = BufferWithRoom(cpu, bytes);
        EventRecord.WriteMeasured(buffer.Append(bytes), header, payload, items);
        if (header.Kind != EtlHeaderKind.Message || (header.MessageFields & EtlMessageFields.Time) != 0)
        {
            buffer.LastTicks = header.TimestampTicks;
        }
    }

    /// <inheritdoc/>
    public void WriteRecord(int cpu, ReadOnlySpan<byte> record)
    {
        if (!EventHeaderLayout.TryMeasure(record, out EtlHeaderKind kind, out int bytes) || bytes != record.Length)
        {
            throw new ArgumentException($"{record.Length} bytes are not a record of kind {kind} with {bytes} bytes.", nameof(record));
        }

        StreamBuffer buffer = BufferWithRoom(cpu, bytes);
        record.CopyTo(buffer.Append(bytes));
        buffer.LastTicks = EventHeaderLayout.TimeOf(record) ?? buffer.LastTicks;
    }

    /// <inheritdoc/>
    public void AddLostEvents(int cpu, uint events)
    {
        ArgumentOutOfRangeException.ThrowIfZero(events);
        BufferOf(cpu).LossFlags |= BufferHeaderLayout.EventsLostFlag;
        _header = _header with { EventsLost = Sum(_header.EventsLost, events) };
    }

    /// <inheritdoc/>
    public void AddLostBuffers(int cpu, uint buffers)
    {
        ArgumentOutOfRangeException.ThrowIfZero(buffers);
        StreamBuffer buffer = BufferOf(cpu);
        Store(buffer, BufferHeaderLayout.ProcessorIndexFlag);
        buffer.LossFlags |= BufferHeaderLayout.BufferLostFlag;
        _nextSequenceNumber += buffers;
        _header = _header with { BuffersLost = Sum(_header.BuffersLost, buffers) };
    }

    /// <inheritdoc/>
    public void EndBuffer(int cpu) => Store(BufferOf(cpu), BufferHeaderLayout.ProcessorIndexFlag);

    /// <summary>
    /// Ends the buffers of all CPUs, as a session does when it is flushed; the last of them has the flush marker.
    /// </summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public void Flush()
    {
        ThrowIfEnded();
        int last = Array.FindLastIndex(_buffers, buffer => buffer is { InUse: true });
        for (int cpu = 0; cpu <= last; cpu++)
        {
            if (_buffers[cpu] is { } buffer)
            {
                int marker = cpu == last ? BufferHeaderLayout.FlushMarkerFlag : 0;
                Store(buffer, (ushort)(BufferHeaderLayout.ProcessorIndexFlag | marker));
            }
        }

        if (last < 0 && _lastBufferAt >= 0)
        {
            MarkLastBuffer();
        }
    }

    /// <inheritdoc/>
    /// <remarks>A loss that no buffer of its CPU follows is told by an empty one.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The session would end before it starts.</exception>
    /// <exception cref="InvalidOperationException">The file is complete already.</exception>
    public void Complete(long endFileTime)
    {
        ThrowIfEnded();
        ArgumentOutOfRangeException.ThrowIfLessThan(endFileTime, _header.Clock.StartFileTime);
        long latest = _buffers.Max(static buffer => buffer?.LastTicks ?? 0);
        foreach (StreamBuffer? buffer in _buffers)
        {
            if (buffer is { InUse: false, LossFlags: not 0 })
            {
                // A CPU that logged nothing lost it at any time up to now.
                buffer.LastTicks = buffer.LastTicks == 0 ? latest : buffer.LastTicks;
                buffer.Take(_nextSequenceNumber++);
            }
        }

        Flush();
        _header = _header with { EndFileTime = endFileTime, BuffersWritten = (uint)Math.Min(uint.MaxValue, _dataBuffers + 1) };
        WriteHeaderBuffer();
        _stream.Flush();
        _ended = true;
    }

    /// <summary>Closes the file; without <see cref="Complete"/> it stays unfinished, as after a crash.</summary>
    public void Dispose()
    {
        _ended = true;
        if (!_leaveOpen)
        {
            _stream.Dispose();
        }
    }

    private static uint Sum(uint left, uint right) => (uint)Math.Min(uint.MaxValue, (ulong)left + right);

    /// <summary>The header of a file that is being written, with what the format requires of it.</summary>
    private static EtlFileHeader Unfinished(EtlFileHeader header, EtlWriterOptions options)
    {
        ArgumentNullException.ThrowIfNull(header);
        FileHeaderRules.Check(header, options);
        EtlLogFileMode mode = header.Mode & ~EtlLogFileMode.Compressed;
        mode |= options.Compress ? EtlLogFileMode.Compressed : EtlLogFileMode.None;
        uint maximumFileSize = header.MaximumFileSize;
        if (options.RingBuffers > 0)
        {
            mode = (mode & ~EtlLogFileMode.Sequential) | EtlLogFileMode.Circular;
            maximumFileSize = maximumFileSize != 0 ? maximumFileSize : FileHeaderRules.RingSize(header, options);
        }

        bool wide = FileHeaderRules.NeedsWideLayout(header, options) && header.LayoutMajor < WideLayoutMajor;
        return header with
        {
            Mode = mode,
            MaximumFileSize = maximumFileSize,
            LayoutMajor = wide ? WideLayoutMajor : header.LayoutMajor,
            LayoutMinor = wide ? (byte)0 : header.LayoutMinor,
            EndFileTime = 0,
            BuffersWritten = 1,
        };
    }

    private StreamBuffer BufferOf(int cpu)
    {
        ThrowIfEnded();
        if ((uint)cpu >= (uint)_buffers.Length)
        {
            throw new ArgumentOutOfRangeException(nameof(cpu), cpu, $"The file has {_buffers.Length} processors.");
        }

        return _buffers[cpu] ??= new StreamBuffer(cpu, _header.BufferBytes) { LastTicks = _header.Clock.HeaderTicks };
    }

    private StreamBuffer BufferWithRoom(int cpu, int recordBytes)
    {
        StreamBuffer buffer = BufferOf(cpu);
        if (recordBytes > _header.BufferBytes - EtlBufferHeader.HeaderBytes)
        {
            throw new ArgumentException($"A record of {recordBytes} bytes does not fit a buffer of {_header.BufferBytes}.");
        }

        if (buffer.InUse && !buffer.HasRoom(recordBytes))
        {
            Store(buffer, BufferHeaderLayout.ProcessorIndexFlag);
        }

        if (!buffer.InUse)
        {
            buffer.Take(_nextSequenceNumber++);
        }

        return buffer;
    }

    private void Store(StreamBuffer buffer, ushort flags)
    {
        if (!buffer.InUse)
        {
            return;
        }

        byte[] stored = buffer.Bytes;
        int storedBytes = _options.Compress ? buffer.FilledBytes : stored.Length;
        flags |= buffer.LossFlags;
        flags &= (ushort)(_options.IsWindows7 ? ~BufferHeaderLayout.ProcessorIndexFlag : ~0);
        if (_encoder is not null && TryCompress(buffer, out int compressedBytes))
        {
            stored = _compressed;
            storedBytes = compressedBytes;
            flags |= BufferHeaderLayout.CompressedFlag;
        }
        else
        {
            stored.AsSpan(buffer.FilledBytes).Fill(EtlBufferWriter.Filler);
        }

        new EtlBufferHeader
        {
            BufferSize = (uint)storedBytes,
            SavedOffset = (uint)buffer.FilledBytes,
            CurrentOffset = (uint)buffer.FilledBytes,
            TimeStamp = _options.IsWindows7 ? _header.Clock.FileTimeAt(buffer.LastTicks) ?? 0 : buffer.LastTicks,
            SequenceNumber = buffer.SequenceNumber,
            ProcessorIndex = (ushort)(_options.IsWindows7 ? BufferHeaderLayout.Windows7Alignment | buffer.Cpu : buffer.Cpu),
            LoggerId = _options.LoggerId,
            State = BufferHeaderLayout.FlushedState,
            FilledBytes = (uint)buffer.FilledBytes,
            Flags = flags,
            BufferType = BufferHeaderLayout.GenericType,
        }.Write(stored);
        long at = _options.RingBuffers == 0
            ? _end
            : _origin + (_header.BufferBytes * (1 + (_dataBuffers % _options.RingBuffers)));
        _stream.Position = at;
        _stream.Write(stored, 0, storedBytes);
        _end = at + storedBytes;
        _dataBuffers++;
        _lastBufferAt = at;
        _lastBufferFlags = flags;
        buffer.Release();
    }

    private bool TryCompress(StreamBuffer buffer, out int compressedBytes)
    {
        ReadOnlySpan<byte> events = buffer.Bytes.AsSpan(EtlBufferHeader.HeaderBytes..buffer.FilledBytes);
        int bytes = events.IsEmpty ? 0 : _encoder!.Encode(events, _compressed.AsSpan(EtlBufferHeader.HeaderBytes, events.Length - 1));
        compressedBytes = EtlBufferHeader.HeaderBytes + bytes;
        return bytes > 0;
    }

    private void MarkLastBuffer()
    {
        _lastBufferFlags |= BufferHeaderLayout.FlushMarkerFlag;
        Span<byte> flags = stackalloc byte[sizeof(ushort)];
        BinaryPrimitives.WriteUInt16LittleEndian(flags, _lastBufferFlags);
        _stream.Position = _lastBufferAt + BufferHeaderLayout.Flags;
        _stream.Write(flags);
    }

    private void WriteHeaderBuffer()
    {
        ReadOnlySpan<byte> bytes = _headerBuffer.Finish(_header);
        _stream.Position = _origin;
        _stream.Write(bytes);
        _end = Math.Max(_end, _origin + bytes.Length);
    }

    private void ThrowIfEnded()
    {
        if (_ended)
        {
            throw new InvalidOperationException("The file is complete: nothing can be written to it.");
        }
    }
}
