namespace Tracer.Etl;

/// <summary>
/// The first buffer of a file: the header event, whose counts change until the end, and what stands behind it.
/// </summary>
internal sealed class HeaderBuffer
{
    // A header buffer among compressed ones is as small as its events allow, in steps of this.
    private const int CompressedFileStep = 512;

    private readonly bool _grows;
    private readonly bool _isWindows7;
    private readonly int _pointerBytes;
    private readonly EtlEventHeader _eventHeader;
    private readonly ushort _loggerId;
    private byte[] _bytes;
    private int _filledBytes;

    public HeaderBuffer(EtlFileHeader header, EtlWriterOptions options)
    {
        _grows = options.Compress;
        _isWindows7 = options.IsWindows7;
        _pointerBytes = header.PointerBytes;
        _loggerId = options.LoggerId;
        _eventHeader = EventHeaderOf(header, options);
        _bytes = _grows ? [] : new byte[header.BufferBytes];
        int payloadBytes = LogFileHeaderEvent.PayloadBytes(header, _pointerBytes);
        _filledBytes = EtlBufferHeader.HeaderBytes;
        int recordBytes = EventRecord.Measure(_eventHeader, payloadBytes);
        EventRecord.Write(Reserve(recordBytes), _eventHeader, new byte[payloadBytes]);
        _filledBytes = _isWindows7 ? EtlBufferHeader.HeaderBytes + recordBytes : _filledBytes;
    }

    public static EtlEventHeader EventHeaderOf(EtlFileHeader header, EtlWriterOptions options) => EtlEventHeader.System(
        LogFileHeaderEvent.HookId,
        LogFileHeaderEvent.Version,
        header.Clock.HeaderTicks,
        options.ProcessId,
        options.ThreadId,
        header.PointerBytes);

    public void Append(in EtlEventHeader header, ReadOnlySpan<byte> payload, ReadOnlySpan<EtlExtendedItem> items)
    {
        int bytes = EventRecord.Measure(header, payload.Length, items);
        EventRecord.WriteMeasured(Reserve(bytes), header, payload, items);
    }

    /// <summary>Gives the buffer's bytes with the header event's payload as it is now.</summary>
    public ReadOnlySpan<byte> Finish(EtlFileHeader header)
    {
        int payloadAt = EtlBufferHeader.HeaderBytes + EventHeaderLayout.HeaderBytes(_eventHeader.Kind);
        LogFileHeaderEvent.WritePayload(header, _pointerBytes, _bytes.AsSpan(payloadAt));
        BufferHeader().Write(_bytes);
        _bytes.AsSpan(_filledBytes).Fill(EtlBufferWriter.Filler);
        return _bytes;
    }

    private EtlBufferHeader BufferHeader()
    {
        if (_isWindows7)
        {
            return new EtlBufferHeader
            {
                BufferSize = (uint)_bytes.Length,
                ProcessorIndex = BufferHeaderLayout.Windows7Alignment,
                FilledBytes = (uint)_filledBytes,
                Flags = BufferHeaderLayout.FlushMarkerFlag,
                BufferType = BufferHeaderLayout.HeaderType,
            };
        }

        return new EtlBufferHeader
        {
            BufferSize = (uint)_bytes.Length,
            SavedOffset = (uint)_filledBytes,
            CurrentOffset = (uint)_filledBytes,
            LoggerId = _loggerId,
            State = BufferHeaderLayout.FlushedState,
            FilledBytes = (uint)_filledBytes,
            Flags = BufferHeaderLayout.ProcessorIndexFlag | BufferHeaderLayout.FlushMarkerFlag,
            BufferType = BufferHeaderLayout.HeaderType,
        };
    }

    private Span<byte> Reserve(int recordBytes)
    {
        int start = _filledBytes;
        int end = start + BufferHeaderLayout.Aligned(recordBytes);
        if (end > _bytes.Length)
        {
            int bytes = (end + CompressedFileStep - 1) / CompressedFileStep * CompressedFileStep;
            if (!_grows || bytes > BufferHeaderLayout.MaximumBufferBytes)
            {
                throw new ArgumentException($"A record of {recordBytes} bytes does not fit the header buffer.");
            }

            Array.Resize(ref _bytes, bytes);
        }

        _filledBytes = end;
        _bytes.AsSpan((start + recordBytes)..end).Clear();
        return _bytes.AsSpan(start, recordBytes);
    }
}
