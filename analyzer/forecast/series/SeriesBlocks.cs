namespace Tracer.Forecast;

/// <summary>Blocks of a series at another length.</summary>
internal static class SeriesBlocks
{
    /// <summary>Joins blocks to longer ones; a block never reaches from one session into the next.</summary>
    /// <param name="lengthNs">The new length, a whole multiple of the series' own.</param>
    public static List<LatencyBlock> Lengthen(LatencySeries series, long lengthNs)
    {
        var blocks = new List<LatencyBlock>();
        int session = 0;
        long current = -1;
        foreach (LatencyBlock block in series.Blocks)
        {
            while (session + 1 < series.Sessions.Count && block.StartNs >= series.Sessions[session + 1].StartNs)
            {
                session++;
                current = -1;
            }

            long of = (block.StartNs - series.Sessions[session].StartNs) / lengthNs;
            if (of != current)
            {
                current = of;
                blocks.Add(block);
            }
            else
            {
                LatencyBlock joined = blocks[^1];
                blocks[^1] = joined with
                {
                    ObservedNs = joined.ObservedNs + block.ObservedNs,
                    Waits = joined.Waits + block.Waits,
                    MaximumNs = Math.Max(joined.MaximumNs, block.MaximumNs),
                };
            }
        }

        return blocks;
    }
}
