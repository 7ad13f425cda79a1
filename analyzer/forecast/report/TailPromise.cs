namespace Tracer.Forecast;

/// <summary>
/// What the tail of the latencies promises an application of which no wait was late: fewer than one dropout in a time of its use, at its
/// own rate of waits.
/// </summary>
/// <param name="TimeNs">In so much use less than one; null where nothing is promised.</param>
/// <param name="Why">
/// Why nothing is, where the measured waits were too few for as many as the application makes; null where the slack is too short for it.
/// </param>
internal readonly record struct TailPromise(long? TimeNs, string? Why)
{
    /// <param name="usesNs">Times of use, the shortest first.</param>
    /// <param name="unit">What was measured, in words.</param>
    public static TailPromise Of(ICountedTail tail, Buffering buffering, TailLaw? law, IReadOnlyList<long> usesNs, string unit)
    {
        long? promised = null;
        if (law is null)
        {
            return default;
        }

        foreach (long use in usesNs)
        {
            double waits = use / buffering.BufferNs;
            ReturnLevel level = law.Level(Pace.HorizonNs(tail, law, waits, use));
            if (level.Refusal is { Reason: RefusalReason.TooFar })
            {
                double times = waits / Math.Max(1, tail.Waits);
                bool isSlow = promised is null && times > use / (double)Math.Max(1, tail.ObservedNs);
                return new TailPromise(promised, !isSlow ? null
                    : $"in {Times.Text(use)} it has {Counted.Of((long)waits, unit)}, and {tail.Waits:N0} measured are "
                        + $"too few for that: record {unit}s every {Times.Text((long)buffering.BufferNs)}, or for longer");
            }

            if (level.Refusal is not null || !(level.HighNs < buffering.SlackNs))
            {
                break;
            }

            promised = use;
        }

        return new TailPromise(promised, null);
    }
}
