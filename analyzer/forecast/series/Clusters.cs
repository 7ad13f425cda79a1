namespace Tracer.Forecast;

/// <summary>Joins latencies that belong to one disturbance to clusters, of which only the longest latency counts.</summary>
internal static class Clusters
{
    /// <summary>
    /// The time without a latency above the threshold that ends a cluster, told by the latencies themselves: Ferro and Segers (2003)
    /// estimate from the times between them which part of these lies between clusters, and the longest such part of them does.
    /// </summary>
    /// <param name="times">Times of the latencies above the threshold, in order, at least two, in nanoseconds.</param>
    /// <param name="sessionOf">The session of each; what lies between sessions says nothing.</param>
    /// <returns>A cluster ends where the next latency is farther than this; 0 where each latency stands alone.</returns>
    public static long Interval(ReadOnlySpan<long> times, ReadOnlySpan<int> sessionOf)
    {
        var between = new List<long>(times.Length);
        for (int i = 1; i < times.Length; i++)
        {
            if (sessionOf[i] == sessionOf[i - 1])
            {
                between.Add(times[i] - times[i - 1]);
            }
        }

        between.Sort();
        double index = ExtremalIndex(between);
        int inside = (int)Math.Floor((1 - index) * between.Count);
        return inside <= 0 ? 0 : between[inside - 1];
    }

    /// <summary>The longest latency of each cluster, in order of time.</summary>
    /// <param name="peaks">Latencies above the threshold, in order of time.</param>
    /// <param name="intervalNs">A cluster ends where the next latency is farther than this from the last.</param>
    public static List<Cluster> Join(ReadOnlySpan<LatencyPeak> peaks, ReadOnlySpan<int> sessionOf, long intervalNs)
    {
        var clusters = new List<Cluster>();
        for (int i = 0; i < peaks.Length; i++)
        {
            bool joins = i > 0 && sessionOf[i] == sessionOf[i - 1] && peaks[i].TimeNs - peaks[i - 1].TimeNs <= intervalNs;
            if (!joins)
            {
                clusters.Add(new Cluster(peaks[i], 1));
            }
            else
            {
                Cluster open = clusters[^1];
                clusters[^1] = new Cluster(peaks[i].LatencyNs > open.Longest.LatencyNs ? peaks[i] : open.Longest, open.Size + 1);
            }
        }

        return clusters;
    }

    /// <summary>
    /// The part of latencies above a threshold that begins a cluster, 0 to 1 (Ferro and Segers 2003, their intervals estimator). Their
    /// times count whole waits; here time goes on, so the form for short times, which takes one wait off each, is not needed.
    /// </summary>
    private static double ExtremalIndex(List<long> between)
    {
        double sum = 0;
        double squares = 0;
        foreach (long time in between)
        {
            sum += time;
            squares += (double)time * time;
        }

        return between.Count == 0 || squares <= 0 ? 1 : Math.Min(1, 2 * sum * sum / (between.Count * squares));
    }
}

/// <summary>Latencies that belong to one disturbance.</summary>
internal readonly record struct Cluster(LatencyPeak Longest, int Size);
