using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Clears those whom other tools would have named: the largest total, the longest routine, the framework, the interrupted.
/// </summary>
internal static class Clearing
{
    /// <summary>Clears.</summary>
    /// <param name="table">What each driver's routines took.</param>
    /// <param name="suspects">The culprits.</param>
    /// <param name="episodes">The episodes.</param>
    /// <param name="duration">Converts ticks.</param>
    /// <param name="thresholdTicks">The threshold.</param>
    public static List<ClearedName> Of(
        DriverTable table,
        IReadOnlyList<Suspect> suspects,
        IReadOnlyList<NamedEpisode> episodes,
        Func<long, Duration> duration,
        long thresholdTicks)
    {
        List<ClearedName> cleared = [];
        HashSet<string> done = new(suspects.Select(suspect => suspect.Name), StringComparer.OrdinalIgnoreCase);
        foreach (Suspect suspect in suspects)
        {
            foreach (string framework in suspect.Main.Through)
            {
                if (done.Add(framework))
                {
                    cleared.Add(new ClearedName(framework, suspect.Kind == CulpritKind.Hardware
                        ? "It only ran the firmware's methods."
                        : Text($"It only called {suspect.Name}, whose code took the time.")));
                }
            }
        }

        foreach (IGrouping<string, NamedCause> waiter in episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause.Waiter is not null)
            .GroupBy(cause => cause.Waiter!, StringComparer.OrdinalIgnoreCase))
        {
            NamedCause most = waiter.MaxBy(cause => cause.Ticks)!;
            if (done.Add(waiter.Key))
            {
                cleared.Add(new ClearedName(waiter.Key, most.Slowdown is not null
                    ? "Its routine takes so long only on a CPU that runs slow."
                    : Text($"It only waited for a lock that {most.Name ?? "somebody else"} held, or for a CPU that was kept.")));
            }
        }

        long all = episodes.Sum(episode => episode.Candidate.LatencyTicks);
        List<DriverTable.Row> known = [.. table.Rows.Where(row => row.IsKnown)];
        if (known.Count > 0)
        {
            Clear(known[0], Text($"The largest total time in ISRs and DPCs, {ReadableDuration.Of(duration(known[0].TotalTicks))}"));
        }

        if (known.MaxBy(row => row.MaxTicks) is { } longest)
        {
            Clear(longest, Text($"The longest single ISR or DPC, {ReadableDuration.Of(duration(longest.MaxTicks))}"));
        }

        foreach (IGrouping<string, NamedCause> interrupted in episodes.SelectMany(episode => episode.Causes)
            .Where(cause => cause is { Mechanism: Mechanism.RaisedIrql, ThreadId: not null, ProcessName: not null })
            .GroupBy(cause => cause.ProcessName!, StringComparer.OrdinalIgnoreCase))
        {
            if (done.Add(interrupted.Key))
            {
                cleared.Add(new ClearedName(
                    interrupted.Key,
                    Text($"Its thread was on the CPU, but in kernel code of {interrupted.First().Name ?? "a driver"}: ")
                        + "a process can't raise IRQL."));
            }
        }

        return cleared;

        void Clear(DriverTable.Row row, string claim)
        {
            if (!done.Add(row.Name) || episodes.SelectMany(episode => episode.Causes)
                .Any(cause => cause.Name is null && string.Equals(cause.Behind, row.Name, StringComparison.OrdinalIgnoreCase)))
            {
                return; // A culprit, cleared already, or in an episode with somebody behind it who is not known: that clears nobody.
            }

            long blamed = episodes.SelectMany(episode => episode.Causes)
                .Where(cause => string.Equals(cause.Name, row.Name, StringComparison.OrdinalIgnoreCase)).Sum(cause => cause.Ticks);
            string share = episodes.Count == 0
                ? "but nothing was late"
                : blamed == 0
                    ? "but none of it in an episode"
                    : Text($"but only {100.0 * blamed / Math.Max(1, all):0.##} % of the late time");
            string shorter = row.MaxTicks < thresholdTicks
                ? Text($"; its longest, {ReadableDuration.Of(duration(row.MaxTicks))}, is below the threshold")
                : string.Empty;
            cleared.Add(new ClearedName(row.Name, Text($"{claim}, {share}{shorter}.")));
        }
    }

    private static string Text(InvariantText text) => text.Take();
}
