namespace Tracer.Forecast;

/// <summary>
/// Return levels by both methods, each held to what the other found: neither tells what the other rules out.
/// </summary>
public sealed record ExtremeValues(ReturnLevels Peaks, ReturnLevels Blocks)
{
    /// <summary>Levels that are exceeded once in each of some times of use.</summary>
    public static ExtremeValues Of(LatencySeries series, IReadOnlyList<long> horizonsNs)
    {
        ReturnLevels peaks = PeaksOverThreshold.Of(series, horizonsNs);
        ReturnLevels blocks = BlockMaxima.Of(series, horizonsNs);
        return new ExtremeValues(Held(peaks, blocks), Raised(Held(blocks, peaks), peaks));
    }

    /// <summary>What one method finds of the workload itself, not of its own choices, holds for the other.</summary>
    private static ReturnLevels Held(ReturnLevels one, ReturnLevels other) =>
        one.Refusal is null && other.Refusal is
        {
            Reason: RefusalReason.HeavyTail or RefusalReason.CountsChange or RefusalReason.SizesChange or RefusalReason.MixedTail
                or RefusalReason.TailNotStable,
        }
            ? one with { Refusal = other.Refusal, Levels = [] }
            : one;

    /// <summary>
    /// Levels by blocks whose intervals reach as high as those by peaks: blocks use less of what was measured, and where some of them have
    /// no disturbance, which makes their maxima of two kinds, the tail looks shorter than it is.
    /// </summary>
    private static ReturnLevels Raised(ReturnLevels blocks, ReturnLevels peaks) =>
        blocks.Refusal is not null || peaks.Refusal is not null ? blocks : blocks with
        {
            Levels = [.. blocks.Levels.Zip(peaks.Levels, (block, peak) => block.LevelNs is null || peak.LevelNs is null ? block : block with
            {
                HighNs = block.HighNs is { } high && peak.HighNs is { } other ? Math.Max(high, other) : null,
            })],
        };
}
