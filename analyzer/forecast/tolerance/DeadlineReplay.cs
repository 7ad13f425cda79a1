namespace Tracer.Forecast;

/// <summary>A stretch in which a thread could not run on its CPU: interrupts, DPCs, threads of higher or equal priority.</summary>
public readonly record struct BusySpan(long FromNs, long ToNs);

/// <summary>What became of a periodic computation in the replay.</summary>
/// <param name="WorstNs">The longest time from when a buffer was due until it was done, in nanoseconds.</param>
public sealed record ReplayResult(long Cycles, long Missed, long WorstNs);

/// <summary>
/// Runs a periodic computation in the times that a measured timeline left free, and counts the deadlines that it misses (Cota-Robles &amp;
/// Held 6.1). The computation does not change the timeline, so that it may only take time that nobody with its right to the CPU used.
/// </summary>
public static class DeadlineReplay
{
    /// <summary>Phases at which a computation is replayed: its period has no place against the waits.</summary>
    public const int Phases = 8;

    /// <summary>
    /// A replay needs waits that follow each other within a period for so much of the time: nobody knows what was in longer intervals.
    /// </summary>
    public const double LeastCovered = 0.5;

    /// <summary>
    /// Replays. A buffer is due each period, is computed after the one before it, and is too late when the other buffers are used up: (n -
    /// 1) periods after it was due. A dropped buffer is still computed, as by a driver that does not know. Tried at several phases, because
    /// nobody knows when the application would have begun.
    /// </summary>
    /// <param name="busy">The timeline of one CPU, in order and without overlap.</param>
    public static ReplayResult Of(IReadOnlyList<BusySpan> busy, long fromNs, long toNs, Buffering buffering)
    {
        ArgumentNullException.ThrowIfNull(busy);
        ArgumentNullException.ThrowIfNull(buffering);
        var result = new ReplayResult(0, 0, 0);
        for (int phase = 0; phase < Phases; phase++)
        {
            ReplayResult one = Once(busy, fromNs + buffering.BufferNs * phase / Phases, toNs, buffering);
            result = new ReplayResult(
                result.Cycles + one.Cycles, result.Missed + one.Missed, Math.Max(result.WorstNs, one.WorstNs));
        }

        return result;
    }

    private static ReplayResult Once(IReadOnlyList<BusySpan> busy, double from, long to, Buffering buffering)
    {
        long cycles = 0;
        long missed = 0;
        double worst = 0;
        double now = from;
        int span = 0;
        for (double due = from; due + buffering.ToleranceNs <= to; due = from + cycles * buffering.BufferNs)
        {
            now = Math.Max(now, due);
            long alike = Alike(now, due, FreeUntil(busy, ref span, now), to, buffering, out bool areMissed);
            if (alike > 0)
            {
                // The first of them waited longest.
                worst = Math.Max(worst, now - due + buffering.ComputeNs);
                missed += areMissed ? alike : 0;
                cycles += alike;
                now += alike * (now > due ? buffering.ComputeNs : buffering.BufferNs);
                continue;
            }

            now = Done(busy, ref span, now, buffering.ComputeNs);
            cycles++;
            worst = Math.Max(worst, now - due);
            missed += now - due > buffering.ToleranceNs ? 1 : 0;
        }

        return new ReplayResult(cycles, missed, (long)worst);
    }

    /// <summary>
    /// How many of the next buffers are for sure computed in one go, each free of waits, and all too late or none: they count together,
    /// so that the cost is that of the waits and not of the time, which a damaged trace may make a lifetime. Too few rather than too many:
    /// those at the edges are computed one by one, and rounding decides nothing.
    /// </summary>
    private static long Alike(double now, double due, double free, long to, Buffering buffering, out bool areMissed)
    {
        const double Edge = 2;
        areMissed = false;
        if (free <= now)
        {
            return 0;
        }

        (double period, double compute, double late) = (buffering.BufferNs, buffering.ComputeNs, now - due);
        double observed = (to - buffering.ToleranceNs - due) / period;
        if (late <= 0)
        {
            return Whole(Math.Min(observed, (free - now - compute) / period) - Edge);
        }

        // Each buffer of a backlog is done later than the one before by the compute time, and was due later by a period.
        double caughtUp = late / (period - compute);
        double inTime = (late + compute - buffering.ToleranceNs) / (period - compute);
        double backlog = Math.Min(observed, Math.Min(caughtUp, compute > 0 ? (free - now) / compute : caughtUp)) - Edge;
        areMissed = inTime > Edge;
        return areMissed ? Whole(Math.Min(backlog, inTime - Edge)) : inTime < -Edge ? Whole(backlog) : 0;
    }

    private static long Whole(double number) => number >= 1 ? (long)number : 0;

    /// <summary>Until when the CPU is free from a time on; that time itself where it is not.</summary>
    private static double FreeUntil(IReadOnlyList<BusySpan> busy, ref int span, double now)
    {
        while (span < busy.Count && busy[span].ToNs <= now)
        {
            span++;
        }

        return span == busy.Count ? double.PositiveInfinity : Math.Max(now, busy[span].FromNs);
    }

    /// <summary>When a computation that begins at a time has had its time on the CPU; one of no time needs a free moment.</summary>
    private static double Done(IReadOnlyList<BusySpan> busy, ref int span, double now, double left)
    {
        while (true)
        {
            while (span < busy.Count && busy[span].ToNs <= now)
            {
                span++;
            }

            if (span == busy.Count || (left > 0 ? busy[span].FromNs >= now + left : busy[span].FromNs > now))
            {
                return now + left;
            }

            left -= Math.Max(0, busy[span].FromNs - now);
            now = busy[span].ToNs;
        }
    }
}
