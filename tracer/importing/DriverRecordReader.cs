using System.Runtime.InteropServices;
using Tracer.Contract;

namespace Tracer.TracerCommand;

/// <summary>
/// Reads the driver's records one after the other from what the test kernel wrote (<c>kdriver/include/tracer_records.h</c>). Whatever is
/// no record is passed over eight bytes at a time, and counted; memory is one buffer.
/// </summary>
internal sealed class DriverRecordReader
{
    private const int HeaderBytes = 8;
    private const int Step = 8;
    private const int BufferBytes = 4 * (ushort.MaxValue + 1);

    private readonly Stream _stream;
    private readonly byte[] _buffer = new byte[BufferBytes];
    private int _begin;
    private int _end;
    private bool _isAtEnd;

    /// <summary>Starts at the stream's position.</summary>
    /// <param name="stream">The records.</param>
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
            if (left.Length < HeaderBytes)
            {
                DamagedBytes += left.Length;
                _begin = _end;
                record = default;
                return false;
            }

            DriverRecordHeader header = MemoryMarshal.Read<DriverRecordHeader>(left);
            bool isKnown = Enum.IsDefined(header.Type);
            if (header.Size % Step != 0 || header.Size < HeaderBytes || header.Size > left.Length || header.Type == 0
                || (isKnown && !IsSound(header, left[..header.Size])))
            {
                DamagedBytes += Step;
                _begin += Step;
                continue;
            }

            _begin += header.Size;
            if (isKnown)
            {
                record = left[..header.Size];
                return true;
            }
        }
    }

    private static bool IsSound(in DriverRecordHeader header, ReadOnlySpan<byte> record)
    {
        const int MostCpus = 64;
        int callersAt = Marshal.SizeOf<PitSampleRecord>() - (DriverAbi.MaxCallers * sizeof(ulong));
        const int CallerCountAt = 43;
        int bytes = header.Type switch
        {
            DriverRecordType.Start => Marshal.SizeOf<StartRecord>(),
            DriverRecordType.ClockSync => Marshal.SizeOf<ClockSyncRecord>(),
            DriverRecordType.Wakeup => Marshal.SizeOf<WakeupRecord>(),
            DriverRecordType.EpisodeBegin => Marshal.SizeOf<EpisodeBeginRecord>(),
            DriverRecordType.EpisodeEnd => Marshal.SizeOf<EpisodeEndRecord>(),
            DriverRecordType.Stop => Marshal.SizeOf<StopRecord>(),
            DriverRecordType.Module => Marshal.SizeOf<ModuleRecord>(),
            _ when record.Length >= callersAt && record[CallerCountAt] <= DriverAbi.MaxCallers =>
                callersAt + (sizeof(ulong) * record[CallerCountAt]),
            _ => -1,
        };
        return header.Cpu < MostCpus && record.Length == bytes;
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
