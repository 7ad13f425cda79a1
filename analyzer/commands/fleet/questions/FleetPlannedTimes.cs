namespace Tracer.AnalyzerCommand.Commands.Fleet.Questions;

/// <summary>
/// Finds causes that come at the same minutes of the hour, or at the same times of the day, across traces: what a plan starts (a task, an
/// update, a back-up) is seen so, and in no single trace.
/// </summary>
internal static class FleetPlannedTimes
{
    /// <summary>A longer case does not say at which minute.</summary>
    public const long LongestCaseUs = 120_000_000;

    /// <summary>Most cases that are looked at, of a cause and of all.</summary>
    public const int MostCases = 10_000;

    /// <summary>
    /// Fewer occasions are no habit: by chance six lie within some two of the 60 windows of an hour 1.6 times in ten thousand (1,770 pairs,
    /// (4 / 60)^6), and more of them, nearly all, still less often. Cases of one machine within one window are one occasion.
    /// </summary>
    private const int FewestOccasions = 6;

    /// <summary>This part of the occasions must keep the times.</summary>
    private const double NearlyAll = 0.9;

    /// <summary>A second window holds at least one in so many of the occasions.</summary>
    private const int Part = 4;

    /// <summary>Where as large a part of the other cases keeps the same times, it is the recording that was planned.</summary>
    private const double PlannedRecordings = 0.5;

    private const long Minute = 60_000;

    /// <summary>A cycle, the length of a window in it and how far apart windows begin, in milliseconds.</summary>
    private static readonly (string Cycle, long CycleMs, long WindowMs)[] Cycles =
        [("hour", 60 * Minute, 2 * Minute), ("day", 24 * 60 * Minute, 30 * Minute)];

    /// <summary>At which times nearly all cases of a cause were recorded.</summary>
    /// <param name="cases">Machine and moment of each, in milliseconds since 1970 UTC.</param>
    /// <param name="all">The same of all cases, those of the cause included.</param>
    /// <returns>Null where they keep no times, or where other cases keep the same.</returns>
    public static FleetClockTimes? Of(
        IReadOnlyCollection<(string Machine, long Ms)> cases, IReadOnlyCollection<(string Machine, long Ms)> all)
    {
        foreach ((string cycle, long cycleMs, long windowMs) in Cycles)
        {
            (string Machine, long Step)[] occasions = Occasions(cases, windowMs);
            if (occasions.Length < FewestOccasions
                || occasions.Select(one => one.Step * windowMs / 2 / cycleMs).Distinct().Count() < FewestOccasions)
            {
                continue;
            }

            int windows = (int)(2 * cycleMs / windowMs);
            int first = Best(occasions, windows, -1);
            foreach (int second in new[] { -1, Best(occasions, windows, first) })
            {
                if (second >= 0 && Part * occasions.Count(one => IsIn(one.Step, windows, second)) < occasions.Length)
                {
                    continue;
                }

                int kept = occasions.Count(one => IsKept(one.Step, windows, first, second));
                if (kept >= NearlyAll * occasions.Length)
                {
                    (string Machine, long Step)[] everybody = Occasions(all, windowMs);
                    int others = everybody.Length - occasions.Length;
                    int othersKept = everybody.Count(one => IsKept(one.Step, windows, first, second)) - kept;
                    return others >= FewestOccasions && othersKept >= PlannedRecordings * others
                        ? null
                        : new FleetClockTimes(
                            cycle,
                            [.. new[] { first, second }.Where(window => window >= 0).Order()
                                .Select(window => (int)(((window * windowMs / 2) + (windowMs / 2)) % cycleMs / Minute))],
                            kept,
                            occasions.Length,
                            Math.Max(0, othersKept),
                            Math.Max(0, others));
                }
            }
        }

        return null;
    }

    /// <summary>Half windows since 1970 in which each machine has a case; windows overlap by half.</summary>
    private static (string Machine, long Step)[] Occasions(IEnumerable<(string Machine, long Ms)> cases, long windowMs) =>
        [.. cases.Select(one => (one.Machine, one.Ms / (windowMs / 2))).Distinct()];

    private static bool IsKept(long step, int windows, int first, int second) =>
        IsIn(step, windows, first) || (second >= 0 && IsIn(step, windows, second));

    private static bool IsIn(long step, int windows, int window) =>
        step % windows == window || step % windows == (window + 1) % windows;

    /// <summary>The window that has most of those that another has not.</summary>
    private static int Best((string Machine, long Step)[] occasions, int windows, int but)
    {
        int[] counts = new int[windows];
        foreach ((_, long step) in occasions)
        {
            if (but < 0 || !IsIn(step, windows, but))
            {
                counts[step % windows]++;
            }
        }

        return Enumerable.Range(0, windows).MaxBy(window => counts[window] + counts[(window + 1) % windows]);
    }
}
