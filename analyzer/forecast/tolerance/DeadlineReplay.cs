namespace Tracer.Forecast;

/// <summary>A stretch in which a thread could not run on its CPU: interrupts, DPCs, threads of higher or equal priority.</summary>
/// <param name="FromNs">Where it begins, in nanoseconds.</param>
/// <param name="ToNs">Where it ends.</param>
public readonly record struct BusySpan(long FromNs, long ToNs);

/// <summary>What became of a periodic computation in the replay.</summary>
/// <param name="Cycles">Buffers that it had to compute.</param>
/// <param name="Missed">Those that were done too late.</param>
/// <param name="WorstNs">The longest time from when a buffer was due until it was done, in nanoseconds.</param>
public sealed record ReplayResult(long Cycles, long Missed, long WorstNs);

/// <summary>
/// Runs a periodic computation in the times that a measured timeline left free, and counts the deadlines that it misses (Cota-Robles &amp;
/// Held 6.1). The computation does not change the timeline, so that it may only take time that nobody with its right to the CPU used.
/// </summary>
public static class DeadlineReplay
{
    /// <summary>Phases at which a computation is replayed: its period has no place against the waits.</summary>
    private const int Phases = 8;

    /// <summary>
    /// Replays. A buffer is due each period, is computed after the one before it, and is too late when the other buffers are used up: (n -
    /// 1) periods after it was due. A dropped buffer is still computed, as by a driver that does not know. Tried at several phases, because
    /// nobody knows when the application would have begun.
    /// </summary>
    /// <param name="busy">The timeline of one CPU, in order and without overlap.</param>
    /// <param name="fromNs">Start of the observation.</param>
    /// <param name="toNs">Its end.</param>
    /// <param name="buffering">The computation.</param>
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
            now = Done(busy, ref span, Math.Max(now, due), buffering.ComputeNs);
            cycles++;
            worst = Math.Max(worst, now - due);
            missed += now - due > buffering.ToleranceNs ? 1 : 0;
        }

        return new ReplayResult(cycles, missed, (long)worst);
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
