namespace Tracer.Forecast;

/// <summary>
/// Return levels from the maxima of blocks of time (Coles 2001, chapter 3). It uses less of what was measured than
/// <see cref="PeaksOverThreshold"/>, but neither a threshold nor the end of a disturbance must be chosen. The interval is what two lengths
/// of blocks give, of which both must fit.
/// </summary>
public static class BlockMaxima
{
    /// <summary>All random numbers have a fixed seed: a trace gives the same bytes each time.</summary>
    private const ulong Seed = 0x6D61_7869_6D61;

    /// <summary>A block with fewer waits has no maximum that stands for its time.</summary>
    private const int LeastWaits = 50;

    /// <summary>Fewer blocks are refused: pairs of them, which must fit too, are as many as the fewest disturbances.</summary>
    private const int LeastBlocks = 2 * ExtremeRules.LeastClusters;

    /// <summary>More blocks are joined: a longer block is nearer to the limit that the theory rests on.</summary>
    private const int MostBlocks = 90;

    /// <summary>Levels that are exceeded once in each of some times of use.</summary>
    public static ReturnLevels Of(LatencySeries series, IReadOnlyList<long> horizonsNs)
    {
        ArgumentNullException.ThrowIfNull(series);
        ArgumentNullException.ThrowIfNull(horizonsNs);
        if (series.Waits == 0)
        {
            return new ReturnLevels { Refusal = new Refusal(RefusalReason.NothingMeasured, "no wait was measured") };
        }

        long length = LengthOf(series);
        List<LatencyBlock> blocks = BlocksOf(series, length);
        if (blocks.Count < LeastBlocks)
        {
            return new ReturnLevels
            {
                Refusal = new Refusal(
                    RefusalReason.TooShort,
                    $"{Times.Text(series.ObservedNs)} have {Counted.Of(blocks.Count, "block")} with enough; it takes {LeastBlocks}"),
            };
        }

        Refusal? refusal = Steady(blocks);
        BlockFit? inner = refusal is null ? BlockFit.Of(blocks, length, out refusal) : null;
        BlockFit? outer = refusal is null ? BlockFit.Of(BlocksOf(series, 2 * length), 2 * length, out refusal) : null;
        var levels = new ReturnLevels
        {
            Refusal = refusal,
            ChoiceNs = length,
            Count = blocks.Count,
            Clusters = blocks.Count,
            Shape = inner?.Extreme.Shape,
            ScaleNs = inner?.Extreme.Scale,
        };
        if (refusal is not null || inner is null || outer is null)
        {
            return levels;
        }

        BlockFit[] fits = [inner.Sampled(new RandomNumbers(Seed)), outer.Sampled(new RandomNumbers(Seed))];
        return levels with { Levels = [.. horizonsNs.Select(horizon => Level(series, fits, horizon))] };
    }

    /// <summary>The shortest length at which there are not too many blocks, and most have waits enough.</summary>
    private static long LengthOf(LatencySeries series)
    {
        long length = series.BlockNs;
        while (series.ObservedNs / length > MostBlocks
            || series.Waits * (double)length / Math.Max(1, series.ObservedNs) < 2 * LeastWaits && series.ObservedNs / length > LeastBlocks)
        {
            length += series.BlockNs * Math.Max(1, length / series.BlockNs / 8);
        }

        return length;
    }

    /// <summary>Blocks that were observed for the most part and have waits enough.</summary>
    private static List<LatencyBlock> BlocksOf(LatencySeries series, long length) =>
        [.. SeriesBlocks.Lengthen(series, length).Where(block => block.ObservedNs > 0.9 * length && block.Waits >= LeastWaits)];

    private static Refusal? Steady(List<LatencyBlock> blocks)
    {
        double trend = MannKendall.Probability([.. blocks.Select(block => (double)block.MaximumNs)]);
        return trend >= ExtremeRules.Alarm ? null : new Refusal(RefusalReason.SizesChange, string.Create(CultureInfo.InvariantCulture,
            $"disturbances became longer or shorter while it was measured (Mann-Kendall, p = {trend:0.0000}); "
            + $"measure one steady workload"));
    }

    private static ReturnLevel Level(LatencySeries series, BlockFit[] fits, long horizonNs)
    {
        BlockFit inner = fits[0];
        Refusal? refusal = Horizons.Refusal(series.ObservedNs, horizonNs) ?? (horizonNs > Horizons.LeastOnce * fits[^1].LengthNs ? null
            : new Refusal(RefusalReason.TooShort, string.Create(
                CultureInfo.InvariantCulture, $"blocks of {Times.Text(inner.LengthNs)} are too long for it")));
        if (refusal is not null)
        {
            return new ReturnLevel(horizonNs, null, null, null, refusal);
        }

        (double Low, double High)[] intervals = [.. fits.Select(fit => fit.Interval(horizonNs))];
        return ReturnLevel.Of(
            series,
            horizonNs,
            inner.Extreme.ExceededOnceIn(horizonNs / (double)inner.LengthNs),
            (intervals.Min(interval => interval.Low), intervals.Max(interval => interval.High)),
            fits.Max(fit => fit.EndlessLevel(horizonNs)));
    }
}
