namespace Tracer.Forecast;

/// <summary>
/// Return levels by both methods, each held to what the other found: an interval that contradicts the other method is not told.
/// </summary>
/// <param name="Peaks">Peaks over a threshold.</param>
/// <param name="Blocks">Block maxima.</param>
public sealed record ExtremeValues(ReturnLevels Peaks, ReturnLevels Blocks)
{
    /// <summary>Levels that are exceeded once in each of some times of use.</summary>
    /// <param name="series">What was measured.</param>
    /// <param name="horizonsNs">The times of use, in nanoseconds.</param>
    public static ExtremeValues Of(LatencySeries series, IReadOnlyList<long> horizonsNs)
    {
        ReturnLevels peaks = PeaksOverThreshold.Of(series, horizonsNs);
        ReturnLevels blocks = BlockMaxima.Of(series, horizonsNs);
        return new ExtremeValues(Held(peaks, blocks), Checked(Held(blocks, peaks), peaks));
    }

    /// <summary>What one method finds of the workload itself, not of its own choices, holds for the other.</summary>
    private static ReturnLevels Held(ReturnLevels one, ReturnLevels other) =>
        one.Refusal is null && other.Refusal is
        {
            Reason: RefusalReason.HeavyTail or RefusalReason.CountsChange or RefusalReason.SizesChange or RefusalReason.MixedTail,
        }
            ? one with { Refusal = other.Refusal, Levels = [] }
            : one;

    /// <summary>
    /// Refuses levels by blocks whose interval lies below the level by peaks: a block without any disturbance has a maximum of another kind,
    /// and some of these make the tail look shorter than it is.
    /// </summary>
    private static ReturnLevels Checked(ReturnLevels blocks, ReturnLevels peaks)
    {
        bool contradicts = blocks.Refusal is null && peaks.Refusal is null
            && blocks.Levels.Zip(peaks.Levels).Any(pair => pair.First.HighNs < pair.Second.LevelNs);
        return !contradicts ? blocks : blocks with
        {
            Levels = [],
            Refusal = new Refusal(RefusalReason.TailNotStable, "the levels by blocks lie below those by peaks over a threshold"),
        };
    }
}
