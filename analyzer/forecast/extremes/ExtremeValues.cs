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
        if (Disagree(peaks, blocks) is { } refusal)
        {
            return new ExtremeValues(Refused(peaks, refusal), Refused(blocks, refusal));
        }

        return new ExtremeValues(Held(peaks, blocks), Raised(Held(blocks, peaks), peaks));
    }

    private static ReturnLevels Refused(ReturnLevels levels, Refusal refusal) => levels with { Refusal = refusal, Levels = [], Law = null };

    /// <summary>Both fit the same latencies: where each lies outside of what the other allows, at least one fits something else.</summary>
    private static Refusal? Disagree(ReturnLevels peaks, ReturnLevels blocks)
    {
        foreach ((ReturnLevel peak, ReturnLevel block) in peaks.Levels.Zip(blocks.Levels))
        {
            if (peak.LevelNs is { } one && block.LevelNs is { } other && IsOutside(one, block) && IsOutside(other, peak))
            {
                return new Refusal(
                    RefusalReason.MethodsDisagree,
                    $"peaks over a threshold give {Times.Text(one)} of {Times.Text(peak.HorizonNs)} of use and block maxima "
                        + $"{Times.Text(other)}, each outside what the other allows: the tail is not of one kind, or ends farther out than "
                        + "was seen");
            }
        }

        return null;
    }

    private static bool IsOutside(long levelNs, ReturnLevel other) => levelNs < other.Fitted.Low || levelNs > other.Fitted.High;

    /// <summary>What one method finds of the workload itself, not of its own choices, holds for the other.</summary>
    private static ReturnLevels Held(ReturnLevels one, ReturnLevels other) =>
        one.Refusal is null && other.Refusal is
        {
            Reason: RefusalReason.HeavyTail or RefusalReason.CountsChange or RefusalReason.SizesChange or RefusalReason.MixedTail
                or RefusalReason.TailNotStable,
        }
            ? Refused(one, other.Refusal)
            : one is { Refusal.Reason: not RefusalReason.MixedTail } && other is { Refusal: { Reason: RefusalReason.MixedTail } mixed }
                && one.Refusal is { Reason: RefusalReason.NoThreshold or RefusalReason.HeavyTail or RefusalReason.Ties }
                ? Refused(one, mixed) // Why it did not fit.
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
