namespace Tracer.Analysis.Beats;

/// <summary>Random numbers that are the same in every run on every runtime.</summary>
internal struct SeededRandom
{
    private SplitMix64 _bits;
    private double _spare;

    public SeededRandom(ulong seed)
    {
        _bits = new SplitMix64(seed);
        _spare = double.NaN;
    }

    /// <summary>A number from 0 up to, but not including, 1.</summary>
    public double NextDouble() => SplitMix64.Fraction(_bits.NextBits());

    /// <summary>A whole number from 0 up to, but not including, the limit.</summary>
    /// <param name="limit">The limit, positive.</param>
    public int NextBelow(int limit) => (int)(NextDouble() * limit);

    /// <summary>A number of the normal distribution with mean 0 and standard deviation 1.</summary>
    public double NextNormal()
    {
        if (!double.IsNaN(_spare))
        {
            double spare = _spare;
            _spare = double.NaN;
            return spare;
        }

        double length = Math.Sqrt(-2 * Math.Log(1 - NextDouble()));
        (double sin, double cos) = Math.SinCos(2 * Math.PI * NextDouble());
        _spare = length * sin;
        return length * cos;
    }

    /// <summary>Shuffles items; each order is equally likely.</summary>
    /// <param name="things">The items, reordered in place.</param>
    public void Shuffle(Span<double> things)
    {
        for (int i = things.Length - 1; i > 0; i--)
        {
            int other = NextBelow(i + 1);
            (things[i], things[other]) = (things[other], things[i]);
        }
    }
}
