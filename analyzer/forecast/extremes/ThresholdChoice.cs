namespace Tracer.Forecast;

/// <param name="IntervalNs">A cluster ends where nothing is above the threshold for longer.</param>
/// <param name="Above">How many latencies are above it.</param>
/// <param name="Clusters">The clusters in order of time.</param>
/// <param name="Excesses">By how much the longest of each cluster is above the threshold, in ascending order.</param>
internal sealed record Tail(
    long ThresholdNs, long IntervalNs, int Above, List<Cluster> Clusters, double[] Excesses, GeneralizedPareto Pareto);

/// <summary>
/// Chooses the lowest threshold above which the longest latencies of the clusters look like the tail of one distribution.
/// </summary>
internal static class ThresholdChoice
{
    /// <summary>How many latencies lie above the candidates.</summary>
    private static readonly int[] Candidates = [500, 350, 250, 175, 120, 85, 65, ExtremeRules.LeastExcesses];

    /// <param name="refusal">Why there is no such threshold; null where there is one.</param>
    public static Tail? Choose(LatencySeries series, RandomNumbers random, out Refusal? refusal)
    {
        LatencyPeak[] byLength = [.. series.Peaks.OrderByDescending(peak => peak.LatencyNs)];
        refusal = null;
        int most = 0;
        (bool ties, bool misfits) = (false, false);
        foreach (int above in Candidates)
        {
            if (above >= byLength.Length || series.Waits < (long)above * ExtremeRules.LeastWaitsPerExcess)
            {
                continue;
            }

            Tail tail = Above(series, byLength[above].LatencyNs);
            most = Math.Max(most, tail.Clusters.Count);
            if (tail.Clusters.Count < ExtremeRules.LeastClusters)
            {
                continue;
            }

            if (HasTies(tail))
            {
                ties = true;
            }
            else if (AndersonDarling.Probability(tail.Excesses, tail.Pareto, random) > AndersonDarling.Least)
            {
                return tail;
            }
            else
            {
                misfits = true;
            }
        }

        bool onlyTies = ties && !misfits;
        refusal = misfits && TailTests.AreOfTwoKinds([.. byLength.Take(Candidates[0]).Select(peak => peak.LatencyNs)])
            ? new Refusal(RefusalReason.MixedTail, ExtremeRules.MixedSentence)
            : WhyNone(series, most, onlyTies);
        return null;
    }

    public static Tail Above(LatencySeries series, long thresholdNs)
    {
        LatencyPeak[] peaks = [.. series.Peaks.Where(peak => peak.LatencyNs > thresholdNs)];
        int[] sessions = SessionsOf(series, peaks);
        long interval = Clusters.Interval([.. peaks.Select(peak => peak.TimeNs)], sessions);
        List<Cluster> clusters = Clusters.Join(peaks, sessions, interval);
        double[] excesses = [.. clusters.Select(cluster => (double)(cluster.Longest.LatencyNs - thresholdNs)).Order()];
        GeneralizedPareto pareto = excesses.Length < 2 ? default : ParetoFit.MostLikely(excesses);
        return new Tail(thresholdNs, interval, peaks.Length, clusters, excesses, pareto);
    }

    /// <summary>The tail above the threshold that half as many latencies exceed; null where these are too few disturbances.</summary>
    public static Tail? Outer(LatencySeries series, Tail tail)
    {
        long[] above = [.. series.Peaks.Select(peak => peak.LatencyNs).Where(latency => latency > tail.ThresholdNs).OrderDescending()];
        Tail outer = Above(series, above[above.Length / 2]);
        return outer.Clusters.Count < ExtremeRules.LeastClusters ? null : outer;
    }

    public static int[] SessionsOf(LatencySeries series, LatencyPeak[] peaks)
    {
        int[] sessions = new int[peaks.Length];
        int session = 0;
        for (int i = 0; i < peaks.Length; i++)
        {
            while (session + 1 < series.Sessions.Count && peaks[i].TimeNs >= series.Sessions[session + 1].StartNs)
            {
                session++;
            }

            sessions[i] = session;
        }

        return sessions;
    }

    private static bool HasTies(Tail tail) =>
        tail.Excesses.Length - tail.Excesses.Distinct().Count() > ExtremeRules.MostTies * tail.Excesses.Length;

    private static Refusal WhyNone(LatencySeries series, int clusters, bool ties)
    {
        if (ties)
        {
            return new Refusal(RefusalReason.Ties, ExtremeRules.TiesSentence);
        }

        if (clusters == 0)
        {
            const int LeastWaits = ExtremeRules.LeastExcesses * ExtremeRules.LeastWaitsPerExcess;
            return series.Waits < LeastWaits
                ? new Refusal(
                    RefusalReason.TooShort, $"only {Counted.Of(series.Waits, "measurement")}; it takes {LeastWaits:N0}")
                : new Refusal(RefusalReason.Ties, ExtremeRules.TiesSentence);
        }

        return clusters < ExtremeRules.LeastClusters
            ? new Refusal(RefusalReason.FewClusters,
                $"the longest latencies come from only {Counted.Of(clusters, "disturbance")}; it takes {ExtremeRules.LeastClusters}")
            : new Refusal(RefusalReason.NoThreshold, "above no threshold do the latencies look like the tail of one distribution");
    }
}
