namespace Tracer.Analysis;

/// <summary>
/// Asks whether errors add up: whether phases that follow each other are nearer to each other than phases in another order. Those of a beat
/// know nothing of each other; those of a timer that is set anew after each of its events wander.
/// </summary>
/// <remarks>A permutation test of von Neumann's ratio, the mean square of successive differences.</remarks>
internal static class DriftTest
{
    /// <summary>So many random orders of the remainders are compared with the real one: enough for a chance of one in a hundred.</summary>
    private const int Orders = 299;

    /// <summary>So many of them may be as smooth: one in a hundred.</summary>
    private const int MostAsSmooth = 2;

    /// <summary>Whether the phases wander.</summary>
    /// <param name="phases">Distances from the beat, by time; their order is changed.</param>
    /// <returns>True where hardly any other order is as smooth.</returns>
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
