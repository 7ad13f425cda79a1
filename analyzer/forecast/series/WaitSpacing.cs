namespace Tracer.Forecast;

/// <summary>
/// How much of the observed time lies between waits that follow each other within a time: what was in longer intervals nobody saw.
/// </summary>
public sealed class WaitSpacing
{
    /// <summary>Times are told apart by a quarter of an octave: 25 % at most.</summary>
    private static readonly LogBuckets Layout = new(2);

    private readonly double[] _sums = new double[Layout.IndexOf(long.MaxValue) + 1];

    /// <summary>Takes the time from one wait to the next, in nanoseconds; one that began before the last tells nothing.</summary>
    internal void Add(long spacingNs)
    {
        if (spacingNs > 0)
        {
            _sums[Layout.IndexOf(spacingNs)] += spacingNs;
        }
    }

    internal void Add(WaitSpacing other)
    {
        for (int i = 0; i < _sums.Length; i++)
        {
            _sums[i] += other._sums[i];
        }
    }

    /// <summary>The part of the time, 0 to 1, in intervals that are about as short or shorter.</summary>
    public double Covered(double withinNs)
    {
        double all = _sums.Sum();
        int last = Layout.IndexOf((long)Math.Clamp(withinNs, 1, long.MaxValue / 2));
        return all <= 0 ? 0 : _sums.Take(last + 1).Sum() / all;
    }
}
