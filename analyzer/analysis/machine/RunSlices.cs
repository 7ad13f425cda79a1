namespace Tracer.Analysis.Machine;

/// <summary>
/// The net time of runs by slice of the trace's time, all of one length; slices become twice as long when there would be too many. In
/// ticks.
/// </summary>
/// <param name="fromTicks">When the first slice begins; what ran before counts there.</param>
/// <param name="firstTicks">How long a slice is at first; above 0.</param>
internal sealed class RunSlices(long fromTicks, long firstTicks)
{
    /// <summary>At most this many slices: memory stays bounded.</summary>
    private const int Most = 512;

    private readonly (long From, long Length) _first = (fromTicks, firstTicks);
    private long[] _net = new long[4];

    /// <summary>How long a slice is now: the first length, doubled some times.</summary>
    public long LengthTicks { get; private set; } = firstTicks;

    /// <summary>The net time of each slice up to the last that has any.</summary>
    public ReadOnlySpan<long> Net => _net.AsSpan(0, Array.FindLastIndex(_net, net => net > 0) + 1);

    /// <summary>Slices of the same start without runs.</summary>
    public RunSlices Empty() => new(_first.From, _first.Length);

    public void Add(long startTicks, long netTicks)
    {
        long since = (long)Int128.Clamp((Int128)startTicks - _first.From, 0, long.MaxValue / 4);
        while (since / LengthTicks >= Most)
        {
            Double();
        }

        Put((int)(since / LengthTicks), netTicks);
    }

    /// <summary>Adds slices that began at the same time with the same length.</summary>
    public void Add(RunSlices others)
    {
        while (LengthTicks < others.LengthTicks)
        {
            Double();
        }

        for (int slice = 0; slice < others._net.Length; slice++)
        {
            if (others._net[slice] > 0)
            {
                Put((int)(slice * others.LengthTicks / LengthTicks), others._net[slice]);
            }
        }
    }

    private void Put(int slice, long netTicks)
    {
        if (slice >= _net.Length)
        {
            Array.Resize(ref _net, Math.Min(Most, Math.Max(2 * _net.Length, slice + 1)));
        }

        _net[slice] += netTicks;
    }

    private void Double()
    {
        for (int slice = 0; slice < _net.Length; slice++)
        {
            long net = _net[slice];
            _net[slice] = 0;
            _net[slice / 2] += net;
        }

        LengthTicks *= 2;
    }
}
