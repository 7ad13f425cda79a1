namespace Tracer.Analysis.Beats;

/// <summary>
/// Tests whether errors add up: whether successive phases are nearer to each other than the same phases in random order. The phases of a
/// beat are independent; those of a timer that is set anew after each event wander.
/// </summary>
/// <remarks>A permutation test of von Neumann's ratio, the mean square of successive differences.</remarks>
internal static class DriftTest
{
    /// <summary>The real order is compared with this many random orders: enough for a significance of one in a hundred.</summary>
    private const int Orders = 299;

    /// <summary>At most this many random orders may be as smooth as the real one if the phases wander: one in a hundred.</summary>
    private const int MostAsSmooth = 2;

    /// <param name="phases">Distances from the beat, in the order of time; the method reorders them.</param>
    /// <returns>True where hardly any random order is as smooth.</returns>
    public static bool Wanders(Span<double> phases)
    {
        double observed = Roughness(phases);
        var random = new SeededRandom((ulong)phases.Length);
        int asSmooth = 0;
        for (int tried = 0; tried < Orders && asSmooth <= MostAsSmooth; tried++)
        {
            random.Shuffle(phases);
            asSmooth += Roughness(phases) <= observed ? 1 : 0;
        }

        return asSmooth <= MostAsSmooth;
    }

    private static double Roughness(ReadOnlySpan<double> phases)
    {
        double sum = 0;
        for (int i = 1; i < phases.Length; i++)
        {
            double step = phases[i] - phases[i - 1];
            sum += step * step;
        }

        return sum;
    }
}
