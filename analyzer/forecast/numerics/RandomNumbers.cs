namespace Tracer.Forecast;

/// <summary>
/// Random numbers from a fixed seed, so that the same latencies always give the same forecast.
/// </summary>
internal sealed class RandomNumbers(ulong seed)
{
    private SplitMix64 _bits = new(seed);

    /// <summary>A number above 0 and below 1, all equally likely.</summary>
    public double Uniform() => ((_bits.NextBits() >> 11) + 0.5) / (1UL << 53);

    /// <summary>A whole number from 0 to below a limit.</summary>
    public int Below(int limit) => (int)(Uniform() * limit);

    /// <summary>A number of the exponential distribution of mean 1.</summary>
    public double Exponential() => -Math.Log(Uniform());

    /// <summary>A number of the normal distribution of mean 0 and deviation 1 (Box and Muller).</summary>
    public double Normal() => Math.Sqrt(2 * Exponential()) * Math.Cos(2 * Math.PI * Uniform());

    /// <param name="mean">Its mean; from 100 on the rounded normal distribution stands for it.</param>
    public int Poisson(double mean)
    {
        const double Large = 100;
        if (mean >= Large)
        {
            return (int)Math.Max(0, Math.Round(mean + Math.Sqrt(mean) * Normal()));
        }

        int events = 0;
        for (double time = Exponential(); time < mean; time += Exponential())
        {
            events++;
        }

        return events;
    }

    /// <summary>Brings numbers or other things into an order by chance, all equally likely (Fisher and Yates).</summary>
    public void Shuffle<T>(Span<T> all)
    {
        for (int i = all.Length - 1; i > 0; i--)
        {
            int other = Below(i + 1);
            (all[i], all[other]) = (all[other], all[i]);
        }
    }
}
