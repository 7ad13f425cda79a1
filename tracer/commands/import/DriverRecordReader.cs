using Tracer.Capture.Driver;

namespace Tracer.TracerCommand.Commands.Import;

/// <summary>
/// Reads the driver's records one after the other from a file (<c>kdriver/include/tracer_records.h</c>). Whatever is no record is passed
/// over eight bytes at a time, and counted; memory is one buffer.
/// </summary>
internal sealed class DriverRecordReader
{
    private const int BufferBytes = 4 * (ushort.MaxValue + 1);

    private readonly Stream _stream;
    private readonly byte[] _buffer = new byte[BufferBytes];
    private int _begin;
    private int _end;
    private bool _isAtEnd;

    public DriverRecordReader(Stream stream) => _stream = stream;

    /// <summary>Bytes so far that belong to no record.</summary>
    public long DamagedBytes { get; private set; }

    /// <summary>
    /// Gives the next record of a known type: whole, with the length that its type demands, and of a CPU that there may be. Records of
    /// unknown types are passed over by their size.
    /// </summary>
    /// <param name="record">The record; valid until the next call.</param>
    /// <returns>False at the end.</returns>
    public bool TryRead(out ReadOnlySpan<byte> record)
    {
        while (true)
        {
            Fill();
            ReadOnlySpan<byte> left = _buffer.AsSpan(_begin.._end);
            if (left.Length < DriverRecordShape.HeaderBytes)
            {
                DamagedBytes += left.Length;
                _begin = _end;
                record = default;
                return false;
            }

            if (!DriverRecordShape.TryMeasure(left, out int size, out bool isKnown))
            {
                DamagedBytes += DriverRecordShape.Step;
                _begin += DriverRecordShape.Step;
                continue;
            }

            _begin += size;
            if (isKnown)
            {
                record = left[..size];
                return true;
            }
        }
    }

    /// <summary>Has a whole record in the buffer, if there is one.</summary>
    private void Fill()
    {
        if (_isAtEnd || _end - _begin > ushort.MaxValue)
        {
            return;
        }

        _buffer.AsSpan(_begin.._end).CopyTo(_buffer);
        _end -= _begin;
        _begin = 0;
        while (_end < _buffer.Length)
        {
            int read = _stream.Read(_buffer, _end, _buffer.Length - _end);
            if (read == 0)
            {
                _isAtEnd = true;
                return;
            }

            _end += read;
        }
    }
}
