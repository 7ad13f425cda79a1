namespace Tracer.Analysis.Latencies;

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

    /// <summary>
    /// The rarer intervals come with the beat if in this part of the beats one comes at the same place, and this part of them comes there:
    /// late callbacks make others, and hide some.
    /// </summary>
    private const double LeastKept = 0.75;

    /// <summary>How far from that place an interval may come, as a part of the beat.</summary>
    private const double NearPlace = 0.1;

    /// <summary>How much of its distance an interval moves the place that the next one is expected at.</summary>
    private const double Follow = 0.2;

    /// <summary>Fewest beats that show whether it is kept: of fewer, chance finds three in four at one place.</summary>
    private const int FewestBeats = 8;

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
            return Text($"The clock ticks every {Time(clock)} and the timer asks for {Time(period)}: ")
                + Text($"{ReadablePercent.Of(caughtUp)} of the callbacks come right after the one before, ")
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
        double[] rareAt =
        [
            .. Enumerable.Range(0, ticks.Length).Where(i => Math.Round(ticks[i]) == rare).Select(i => (double)(at[i + 1] - at[0])),
        ];
        return Text($"The clock ticks every {Time(clock)}, {period / clock:0.####} times in the {Time(period)} that the timer asks for, ")
            + Text($"and the two beat against each other every {Time(beat)}: ")
            + Text($"{ReadablePercent.Of(isLong)} of the intervals are {whole + 1} ticks long and the others {whole}")
            + (IsKept(rareAt, beat, at[^1] - at[0]) ? ", and the rarer come with that beat." : ".");
    }

    /// <summary>Whether events come at one place of a beat whose length is known, and in most of the beats.</summary>
    /// <param name="times">When, in nanoseconds.</param>
    /// <param name="beat">The beat in nanoseconds, but for the errors of the two periods that it is made of.</param>
    /// <param name="span">How long was looked, in nanoseconds.</param>
    private static bool IsKept(double[] times, double beat, double span)
    {
        double beats = span / beat;
        if (beats < FewestBeats || times.Length < LeastKept * beats)
        {
            return false;
        }

        // Over all beats a small error of the beat moves the place: the place is followed, as slowly as such an error moves it.
        double place = MeanPlace([.. times.Take(FewestBeats)], beat);
        int near = 0;
        long last = long.MinValue;
        int kept = 0;
        foreach (double time in times)
        {
            double turn = (time / beat) - place;
            double off = turn - Math.Round(turn);
            if (Math.Abs(off) > NearPlace)
            {
                continue;
            }

            near++;
            place += off * Follow;
            if ((long)Math.Round(turn) != last)
            {
                last = (long)Math.Round(turn);
                kept++;
            }
        }

        return near >= LeastKept * times.Length && kept >= LeastKept * Math.Floor(beats);
    }

    /// <summary>The place of a beat around which events come, 0 to 1: the direction of their mean on a circle.</summary>
    private static double MeanPlace(double[] times, double beat) => Math.Atan2(
        times.Average(time => Math.Sin(2 * Math.PI * time / beat)),
        times.Average(time => Math.Cos(2 * Math.PI * time / beat))) / (2 * Math.PI);

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
        int widestAt = skipped;
        for (int i = skipped; i + 1 < near.Length - skipped; i++)
        {
            widestAt = near[i + 1] - near[i] > near[widestAt + 1] - near[widestAt] ? i : widestAt;
        }

        double low = Median(near.AsSpan(0, widestAt + 1));
        double high = Median(near.AsSpan(widestAt + 1));
        double tick = high - low;
        // Two lengths, not one that spreads: nothing lies between them, and the shorter is itself a whole number of ticks.
        return near[widestAt + 1] - near[widestAt] > tick / 2 && Math.Abs((low / tick) - Math.Round(low / tick)) <= 0.1 ? tick : null;
    }

    private static double Median(ReadOnlySpan<long> sorted) => sorted.Length == 0 ? 0 : sorted[sorted.Length / 2];

    private static string Time(double nanoseconds) => ReadableDuration.Of(new Duration((long)Math.Round(nanoseconds)));

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
