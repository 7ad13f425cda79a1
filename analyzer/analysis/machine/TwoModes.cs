namespace Tracer.Analysis;

/// <summary>
/// Two peaks in the run times of a routine: most likely two code paths. They must lie apart by a factor of two at least, with a valley
/// between them that chance does not explain: if the valley were no valley, as many runs would fall into it as into the lower peak, and so
/// few of them would come about less than once in 100,000 times.
/// </summary>
/// <param name="ShortRuns">Runs of the shorter mode.</param>
/// <param name="ShortTicks">Their median.</param>
/// <param name="LongRuns">Runs of the longer mode.</param>
/// <param name="LongTicks">Their median.</param>
internal sealed record TwoModes(long ShortRuns, long ShortTicks, long LongRuns, long LongTicks)
{
    /// <summary>Fewer runs show no two modes.</summary>
    private const int FewestRuns = 30;

    /// <summary>The rarer mode has such a part of the runs: less is a tail.</summary>
    private const double LeastShare = 0.05;

    /// <summary>Each mode has so many runs, however few there are in all.</summary>
    private const int FewestOfMode = 5;

    /// <summary>The longer mode takes so many times as long: less is one mode that is broad.</summary>
    private const double LeastFactor = 2;

    /// <summary>The gap between the modes is no chance where runs spread evenly leave it empty with less probability.</summary>
    private const double MostChance = 1e-5;

    /// <summary>Shorter times, in ticks, are whole numbers too far apart for a scale of powers.</summary>
    private const int Coarse = 8;

    /// <summary>Half octaves between 0.5 and <see cref="Coarse"/> ticks: over so many windows what is shorter is spread.</summary>
    private const int CoarseWindows = 8;

    /// <summary>Times are counted in so many bins an octave.</summary>
    private const int BinsOfOctave = 4;

    /// <summary>Looks for them.</summary>
    /// <param name="counts">The run times.</param>
    /// <returns>Null where there is one mode, or too little to tell.</returns>
    public static TwoModes? Of(DurationCounts counts)
    {
        if (counts.Count < FewestRuns)
        {
            return null;
        }

        long coarse = 0;
        long[] bins = new long[BinsOfOctave * 64];
        int used = 0;
        foreach ((long least, long most, long count) in counts.Buckets)
        {
            int bin = BinOf(least, most);
            if (bin < 0)
            {
                coarse += count;
            }
            else
            {
                bins[bin] += count;
                used = bin + 1;
            }
        }

        return Valley(bins.AsSpan(0, used), coarse / CoarseWindows) is { } valley ? Split(counts, valley) : null;
    }

    /// <summary>A quarter of an octave; -1 for what is too short.</summary>
    private static int BinOf(long leastTicks, long mostTicks)
    {
        double middle = (leastTicks + (double)mostTicks) / 2;
        return middle < Coarse ? -1 : (int)(Math.Log2(middle / Coarse) * BinsOfOctave);
    }

    /// <summary>
    /// The valley that is deepest below the lower of the peaks on its sides, as the bin in its middle; windows are half an octave wide.
    /// </summary>
    private static int? Valley(ReadOnlySpan<long> bins, long coarse)
    {
        int windows = bins.Length - 1;
        if (windows < 1)
        {
            return null;
        }

        long[] right = new long[windows + 3];
        for (int i = windows - 1; i >= 0; i--)
        {
            right[i] = Math.Max(right[i + 1], bins[i] + bins[i + 1]);
        }

        (int From, int To)? best = null;
        double bestDepth = 0;
        long left = coarse;
        for (int i = 0; i < windows; i++)
        {
            left = i >= 2 ? Math.Max(left, bins[i - 2] + bins[i - 1]) : left;
            long valley = bins[i] + bins[i + 1];
            long peak = Math.Min(left, right[i + 2]);
            if (!IsBelow(valley, peak))
            {
                continue;
            }

            double depth = peak / (valley + 1.0);
            if (depth > bestDepth)
            {
                bestDepth = depth;
                best = (i, i);
            }
            else if (depth == bestDepth && best is { } known && known.To == i - 1)
            {
                best = (known.From, i);
            }
        }

        return best is { } found ? ((found.From + found.To) / 2) + 1 : null;
    }

    /// <summary>Whether a window has so few of a valley's and a peak's runs that this is no chance.</summary>
    private static bool IsBelow(long valley, long peak)
    {
        const int CertainlyEnough = 300;
        long all = valley + peak;
        if (valley > peak / 2 || peak == 0)
        {
            return false;
        }

        if (all >= CertainlyEnough)
        {
            return true;
        }

        double chance = 0;
        double term = Math.Pow(0.5, all);
        for (int i = 0; i <= valley; i++)
        {
            chance += term;
            term *= (all - i) / (i + 1.0);
        }

        return chance <= MostChance;
    }

    private static TwoModes? Split(DurationCounts counts, int firstOfLong)
    {
        long shorter = counts.Buckets.Where(bucket => BinOf(bucket.LeastTicks, bucket.MostTicks) < firstOfLong).Sum(bucket => bucket.Count);
        long longer = counts.Count - shorter;
        if (Math.Min(shorter, longer) < Math.Max(FewestOfMode, LeastShare * counts.Count))
        {
            return null;
        }

        var modes = new TwoModes(shorter, counts.At((shorter + 1) / 2), longer, counts.At(shorter + ((longer + 1) / 2)));
        return modes.LongTicks >= LeastFactor * modes.ShortTicks ? modes : null;
    }
}
