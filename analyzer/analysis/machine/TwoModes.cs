namespace Tracer.Analysis.Machine;

/// <summary>
/// Two peaks in the run times of a routine: most likely two code paths. The peaks must be at least a factor of two apart, with a valley
/// between them that chance does not explain. Without a real valley as many runs would fall into it as into the lower peak; the number of
/// runs actually in it must then have a probability below 1 in 100,000.
/// </summary>
/// <param name="ShortRuns">Number of runs in the shorter mode.</param>
/// <param name="ShortTicks">Median time of the shorter mode, in ticks.</param>
/// <param name="LongRuns">Number of runs in the longer mode.</param>
/// <param name="LongTicks">Median time of the longer mode, in ticks.</param>
internal sealed record TwoModes(long ShortRuns, long ShortTicks, long LongRuns, long LongTicks)
{
    /// <summary>Fewest runs by which two modes are reported: fewer prove nothing.</summary>
    private const int FewestRuns = 30;

    /// <summary>The rarer mode has at least this part of the runs: fewer runs are a tail, not a mode.</summary>
    private const double LeastShare = 0.05;

    /// <summary>Fewest runs of each mode, however few runs there are in all.</summary>
    private const int FewestOfMode = 5;

    /// <summary>The longer mode takes at least this many times as long: below this the two may be one broad mode.</summary>
    private const double LeastFactor = 2;

    /// <summary>Greatest probability with which chance may explain the valley, if runs were spread evenly over peak and valley.</summary>
    private const double MostChance = 1e-5;

    /// <summary>Run times below this many ticks are too far apart for a logarithmic scale, because ticks are whole numbers.</summary>
    private const int Coarse = 8;

    /// <summary>
    /// Run times below <see cref="Coarse"/> ticks are taken to spread over this many windows: the half octaves from 0.5 ticks up to it.
    /// </summary>
    private const int CoarseWindows = 8;

    /// <summary>Number of histogram bins per octave.</summary>
    private const int BinsOfOctave = 4;

    /// <returns>Null where there is one mode, or too little evidence.</returns>
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

    /// <summary>The bin of a run time, each a quarter of an octave wide; -1 for a run time that is too short.</summary>
    private static int BinOf(long leastTicks, long mostTicks)
    {
        double middle = (leastTicks + (double)mostTicks) / 2;
        return middle < Coarse ? -1 : (int)(Math.Log2(middle / Coarse) * BinsOfOctave);
    }

    /// <summary>
    /// The middle bin of the deepest valley relative to the lower of the peaks beside it; windows are half an octave wide.
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

    /// <summary>Whether a valley has so few runs compared with a peak that chance does not explain it.</summary>
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
