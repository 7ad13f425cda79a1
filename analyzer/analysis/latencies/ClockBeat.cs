using System.Globalization;
using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// How a timer and the clock that serves it beat against each other (Jones &amp; Regehr 4.1): where the period is no multiple of the
/// clock's tick, some callbacks wait for one tick more, and these come with the beat of the two.
/// </summary>
internal static class ClockBeat
{
    /// <summary>Least part of the intervals that must be of the long kind, or of the short: fewer are chance.</summary>
    private const double LeastPart = 0.005;

    /// <summary>How far an interval may be from a whole number of ticks, in ticks.</summary>
    private const double NearTick = 0.25;

    /// <summary>Least part of the intervals that must be near a whole number of ticks.</summary>
    private const double LeastNear = 0.9;

    /// <summary>How far the counted part of long intervals may be from the part that the two periods make, beside its chance.</summary>
    private const double PartTolerance = 0.01;

    /// <summary>The same for the time between long intervals, as a part of it.</summary>
    private const double BeatTolerance = 0.03;

    /// <summary>Says how the two beat.</summary>
    /// <param name="at">When the callbacks came, in nanoseconds, in order.</param>
    /// <param name="period">The period of the timer, in nanoseconds.</param>
    /// <param name="tick">From one clock tick to the next, in nanoseconds; 0 where the trace does not tell.</param>
    /// <returns>One sentence; null where they do not, or the callbacks do not show it.</returns>
    public static string? Sentence(IReadOnlyList<long> at, long period, long tick)
    {
        long[] lengths = [.. at.Skip(1).Zip(at, (next, last) => next - last)];
        double clock = tick > 0 ? tick : TickOf(lengths, period) ?? 0;
        if (lengths.Length == 0 || clock <= 0 || period <= 0)
        {
            return null;
        }

        // Over all callbacks the error of a single one is nothing.
        double all = tick > 0 ? 0 : lengths.Sum(length => Math.Round(length / clock));
        clock = all > 0 ? (at[^1] - at[0]) / all : clock;
        double[] ticks = [.. lengths.Select(length => length / clock)];
        if (ticks.Count(IsNearTick) < LeastNear * ticks.Length)
        {
            return null;
        }

        double caughtUp = ticks.Count(length => length < NearTick) / (double)ticks.Length;
        long whole = (long)Math.Floor(period / clock);
        double part = (period / clock) - whole;
        double isLong = ticks.Count(length => Math.Round(length) == whole + 1) / (double)ticks.Length;
        if (caughtUp > LeastPart && tick > 0)
        {
            // A timer that never asks for less than its period misses a tick each time, and fires twice then.
            return Text($"The clock ticks each {Time(clock)} and the timer asks for {Time(period)}: ")
                + Text($"{100 * caughtUp:0.#} % of the callbacks come right behind the one before, ")
                + "to catch up with a tick that was missed.";
        }

        double chance = 3 * Math.Sqrt(part * (1 - part) / ticks.Length);
        if (part < LeastPart || part > 1 - LeastPart || Math.Abs(isLong - part) > PartTolerance + chance)
        {
            return null;
        }

        // Whichever kind is rarer comes with the beat: one interval of the other length in so many.
        double beat = period / Math.Min(part, 1 - part);
        double rare = part <= 0.5 ? whole + 1 : whole;
        double[] rareAt = [.. Enumerable.Range(0, ticks.Length).Where(i => Math.Round(ticks[i]) == rare).Select(i => at[i + 1] / 1e9)];
        bool isKept = BeatTest.Find(rareAt) is { } kept && Math.Abs((kept.Seconds * 1e9) - beat) <= BeatTolerance * beat;
        return Text($"The clock ticks each {Time(clock)}, {period / clock:0.####} times in the {Time(period)} that the timer asks for: ")
            + Text($"{100 * isLong:0.##} % of the intervals are {whole + 1} ticks long and the others {whole}")
            + (isKept ? Text($", and the rarer come with the beat of the two, one every {Time(beat)}.") : ".");
    }

    private static bool IsNearTick(double ticks) => Math.Abs(ticks - Math.Round(ticks)) <= NearTick;

    /// <summary>
    /// The clock's tick as the intervals show it: they are of two lengths, one tick apart. Null where they are not.
    /// </summary>
    private static double? TickOf(long[] lengths, long period)
    {
        long[] near = [.. lengths.Where(length => length > period / 4 && length < 4 * period).Order()];
        if (near.Length < lengths.Length * LeastNear || near.Length < 2)
        {
            return null;
        }

        int skipped = (int)(near.Length * LeastPart);
        int gapAt = skipped;
        for (int i = skipped; i + 1 < near.Length - skipped; i++)
        {
            gapAt = near[i + 1] - near[i] > near[gapAt + 1] - near[gapAt] ? i : gapAt;
        }

        double low = Median(near.AsSpan(0, gapAt + 1));
        double high = Median(near.AsSpan(gapAt + 1));
        double tick = high - low;
        // Two lengths, not one that spreads: nothing lies between them, and the shorter is itself a whole number of ticks.
        return near[gapAt + 1] - near[gapAt] > tick / 2 && Math.Abs((low / tick) - Math.Round(low / tick)) <= 0.1 ? tick : null;
    }

    private static double Median(ReadOnlySpan<long> sorted) => sorted.Length == 0 ? 0 : sorted[sorted.Length / 2];

    private static string Time(double nanoseconds) => ReadableDuration.Of(new Duration((long)Math.Round(nanoseconds)));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
