namespace Tracer.Forecast;

/// <summary>
/// Keeps the maximum and the number of waits of each block of time; blocks become twice as long when there would be too many.
/// </summary>
internal sealed class BlockRecording
{
    /// <summary>Length of a block at first, in nanoseconds: a second.</summary>
    public const long FirstLengthNs = 1_000_000_000;

    /// <summary>At most this many blocks: 18 hours by seconds; longer sessions have blocks of two seconds, four, ...</summary>
    public const int Most = 1 << 16;

    /// <summary>The last time that a session can have, so that sums of a few such times stay in range: about 70 years.</summary>
    public const long LastNs = long.MaxValue / 4;

    private long[] _maxima = new long[64];
    private long[] _waits = new long[64];

    public long LengthNs { get; private set; } = FirstLengthNs;

    /// <summary>The latest time added; 0 before any.</summary>
    public long LastTimeNs { get; private set; }

    public void Add(long timeNs, long latencyNs)
    {
        LastTimeNs = Math.Max(LastTimeNs, timeNs);
        long block = timeNs / LengthNs;
        while (block >= Most)
        {
            Halve();
            block = timeNs / LengthNs;
        }

        if (block >= _waits.Length)
        {
            int size = (int)Math.Min(Most, Math.Max(block + 1, _waits.Length * 2L));
            Array.Resize(ref _maxima, size);
            Array.Resize(ref _waits, size);
        }

        _waits[block]++;
        _maxima[block] = Math.Max(_maxima[block], latencyNs);
    }

    /// <summary>The blocks from the start to the end, those without a wait too.</summary>
    /// <param name="endNs">End of the session, at or behind <see cref="LastTimeNs"/>.</param>
    /// <param name="unobserved">What was not observed, in order and without overlap.</param>
    public LatencyBlock[] End(long endNs, List<(long FromNs, long ToNs)> unobserved)
    {
        while ((endNs - 1) / LengthNs >= Most || LastTimeNs / LengthNs >= Most)
        {
            Halve();
        }

        int count = (int)Math.Max((endNs + LengthNs - 1) / LengthNs, LastTimeNs / LengthNs + 1);
        var blocks = new LatencyBlock[count];
        int next = 0;
        for (int i = 0; i < count; i++)
        {
            long start = i * LengthNs;
            long end = Math.Max(start, Math.Min(start + LengthNs, endNs));
            long observed = end - start;
            while (next < unobserved.Count && unobserved[next].ToNs <= start)
            {
                next++;
            }

            for (int one = next; one < unobserved.Count && unobserved[one].FromNs < end; one++)
            {
                observed -= Math.Min(unobserved[one].ToNs, end) - Math.Max(unobserved[one].FromNs, start);
            }

            (long waits, long maximum) = i < _waits.Length ? (_waits[i], _maxima[i]) : (0, 0);
            blocks[i] = new LatencyBlock(start, observed, waits, maximum);
        }

        return blocks;
    }

    /// <summary>Joins each two blocks to one of twice the length.</summary>
    private void Halve()
    {
        int half = (_waits.Length + 1) / 2;
        for (int i = 0; i < half; i++)
        {
            int second = 2 * i + 1;
            bool has = second < _waits.Length;
            _waits[i] = _waits[2 * i] + (has ? _waits[second] : 0);
            _maxima[i] = Math.Max(_maxima[2 * i], has ? _maxima[second] : 0);
        }

        Array.Clear(_waits, half, _waits.Length - half);
        Array.Clear(_maxima, half, _maxima.Length - half);
        LengthNs *= 2;
    }
}
