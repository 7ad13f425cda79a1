namespace Tracer.Etl.Reading;

/// <summary>
/// Adds up sequence numbers to tell how many buffers are missing. Numbers are given when a buffer is taken into use, so
/// file order is not their order; only the range and the count matter. They restart when a session appends to a file.
/// </summary>
internal sealed class BufferSequence
{
    /// <summary>A range so much wider than its buffers is a damaged number, not a gap.</summary>
    private const long WidestGap = 1_000_000;

    /// <summary>No session has more buffers in use when its first is full, or hardly.</summary>
    private const long FirstNumbers = 256;

    private long _lowest = long.MaxValue;
    private long _highest = long.MinValue;
    private long _count;
    private long _missingBefore;
    private long _highestAtFlush = long.MinValue;

    /// <summary>How many numbers are missing so far.</summary>
    public long Missing => _missingBefore + MissingHere;

    /// <summary>Which part of an appended file the last counted buffer stands in, from 0 on.</summary>
    public int Part { get; private set; }

    private long MissingHere
    {
        get
        {
            if (_count == 0)
            {
                return 0;
            }

            ulong range = unchecked((ulong)_highest - (ulong)_lowest);
            return range >= (ulong)(WidestGap + _count) || range + 1 < (ulong)_count ? 0 : (long)(range + 1 - (ulong)_count);
        }
    }

    public void Add(in EtlBufferHeader header)
    {
        if (header.IsHeaderBuffer)
        {
            return;
        }

        // A flush ends all buffers in use, so behind it come higher numbers; or low ones again, which start what was appended. They need
        // not begin with 1: another CPU's buffer may have been full first.
        if (header.SequenceNumber <= Math.Min(_highestAtFlush, FirstNumbers))
        {
            _highestAtFlush = long.MinValue;
            _missingBefore += MissingHere;
            Part++;
            (_lowest, _highest, _count) = (long.MaxValue, long.MinValue, 0);
        }

        _lowest = Math.Min(_lowest, header.SequenceNumber);
        _highest = Math.Max(_highest, header.SequenceNumber);
        _count++;
        if ((header.Flags & BufferHeaderLayout.FlushMarkerFlag) != 0)
        {
            _highestAtFlush = _highest;
        }
    }
}
