namespace Tracer.Analysis.Machine;

/// <summary>
/// The net time of runs by bin of the trace's time, all of one length; bins become twice as long when there would be too many. In
/// ticks.
/// </summary>
/// <param name="fromTicks">When the first bin begins; what ran before counts there.</param>
/// <param name="firstTicks">How long a bin is at first; above 0.</param>
internal sealed class RunTimeBins(long fromTicks, long firstTicks)
{
    /// <summary>At most this many bins: memory stays bounded.</summary>
    private const int Most = 512;

    private readonly (long From, long Length) _first = (fromTicks, firstTicks);
    private long[] _net = new long[4];

    /// <summary>How long a bin is now: the first length, doubled some times.</summary>
    public long LengthTicks { get; private set; } = firstTicks;

    public ReadOnlySpan<long> Net => _net.AsSpan(0, Array.FindLastIndex(_net, net => net > 0) + 1);

    /// <summary>Bins of the same start without runs.</summary>
    public RunTimeBins Empty() => new(_first.From, _first.Length);

    public void Add(long startTicks, long netTicks)
    {
        long since = (long)Int128.Clamp((Int128)startTicks - _first.From, 0, long.MaxValue / 4);
        while (since / LengthTicks >= Most)
        {
            Double();
        }

        Put((int)(since / LengthTicks), netTicks);
    }

    /// <summary>Adds bins that began at the same time with the same length.</summary>
    public void Add(RunTimeBins others)
    {
        while (LengthTicks < others.LengthTicks)
        {
            Double();
        }

        for (int bin = 0; bin < others._net.Length; bin++)
        {
            if (others._net[bin] > 0)
            {
                Put((int)(bin * others.LengthTicks / LengthTicks), others._net[bin]);
            }
        }
    }

    private void Put(int bin, long netTicks)
    {
        if (bin >= _net.Length)
        {
            Array.Resize(ref _net, Math.Min(Most, Math.Max(2 * _net.Length, bin + 1)));
        }

        _net[bin] += netTicks;
    }

    private void Double()
    {
        for (int bin = 0; bin < _net.Length; bin++)
        {
            long net = _net[bin];
            _net[bin] = 0;
            _net[bin / 2] += net;
        }

        LengthTicks *= 2;
    }
}
