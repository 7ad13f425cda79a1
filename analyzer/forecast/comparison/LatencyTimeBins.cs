namespace Tracer.Forecast;

/// <summary>
/// Keeps the latencies of one trace as histograms of bins of its time; bins become twice as long when there would be too many.
/// </summary>
/// <param name="startNs">When observation began, in nanoseconds of any clock; all other times are of the same.</param>
public sealed class LatencyTimeBins(long startNs)
{
    /// <summary>Length of a bin at first, in nanoseconds: an eighth of a second.</summary>
    public const long FirstLengthNs = 125_000_000;

    /// <summary>At most this many bins: memory stays bounded.</summary>
    private const int Most = 512;

    private HdrHistogram?[] _bins = new HdrHistogram?[Most];

    /// <summary>How long a bin is now: the first length, doubled some times.</summary>
    public long LengthNs { get; private set; } = FirstLengthNs;

    public void Add(long timeNs, long latencyNs)
    {
        long since = (long)Int128.Clamp((Int128)timeNs - startNs, 0, long.MaxValue / 4);
        while (since / LengthNs >= Most)
        {
            Halve();
        }

        HdrHistogram bin = _bins[since / LengthNs] ??= new HdrHistogram(HdrLayout.Latencies);
        bin.Record(Math.Clamp(latencyNs, 0, HdrLayout.Latencies.Highest));
    }

    /// <param name="blockNs">How long a block is: the length of a bin, doubled some times.</param>
    /// <param name="count">How many blocks there are; what lies behind belongs to the last.</param>
    public HdrHistogram[] Blocks(long blockNs, int count)
    {
        var blocks = new HdrHistogram[count];
        for (int i = 0; i < count; i++)
        {
            blocks[i] = new HdrHistogram(HdrLayout.Latencies);
        }

        for (int i = 0; i < Most; i++)
        {
            if (_bins[i] is { } bin)
            {
                blocks[Math.Min(count - 1, i * LengthNs / blockNs)].Add(bin);
            }
        }

        return blocks;
    }

    private void Halve()
    {
        var joined = new HdrHistogram?[Most];
        for (int i = 0; i < Most; i += 2)
        {
            joined[i / 2] = _bins[i];
            if (_bins[i + 1] is { } second)
            {
                if (joined[i / 2] is { } first)
                {
                    first.Add(second);
                }
                else
                {
                    joined[i / 2] = second;
                }
            }
        }

        _bins = joined;
        LengthNs *= 2;
    }
}
