using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>The runs of somebody's routines or threads anywhere in the trace, whether somebody waited for them or not.</summary>
internal static class OwnRuns
{
    /// <summary>What is shorter than this part of the longest in an episode is some other work of the same driver.</summary>
    public const double LeastOfWorst = 0.25;

    /// <summary>All runs that are about as long as those that victims waited for.</summary>
    /// <param name="parts">Somebody's parts of episodes.</param>
    /// <param name="table">The runs of drivers' routines.</param>
    /// <returns>The runs, by time; empty where they are not recorded, or where many short runs together kept the victims.</returns>
    public static List<LongRun> LongOf(IEnumerable<NamedCause> parts, DriverTable table)
    {
        long worst = 0;
        long longest = 0;
        string? name = null;
        foreach (NamedCause part in parts.Where(part => part is { Mechanism: Mechanism.Isr or Mechanism.Dpc, Name: not null }))
        {
            name = part.Name;
            worst = Math.Max(worst, part.Ticks);
            longest = Math.Max(longest, (part.Share?.Detail as RoutineRan)?.LongestTicks ?? 0);
        }

        return name is null || table.Find(name) is not { } row || longest < LeastOfWorst * worst
            ? []
            : [.. row.Routines.SelectMany(routine => routine.Counts.Longest.All).Where(run => run.NetTicks >= LeastOfWorst * longest)
                .OrderBy(run => run.StartTicks).ThenBy(run => run.Cpu)];
    }

    /// <summary>All runs of the threads that victims waited for which are about as long as those.</summary>
    /// <param name="parts">A process' parts of episodes.</param>
    /// <param name="findings">What was found.</param>
    /// <returns>The runs, by time; empty where they are not recorded, or where many short runs together kept the victims.</returns>
    public static List<LongRun> OfThreads(IEnumerable<NamedCause> parts, BlameFindings findings)
    {
        long worst = 0;
        long longest = 0;
        HashSet<(uint Thread, uint? Process)> threads = [];
        foreach (NamedCause part in parts.Where(part => part is { Mechanism: Mechanism.Thread, ThreadId: not null }))
        {
            worst = Math.Max(worst, part.Ticks);
            longest = part.Share is { Stretches.Count: > 0 } share
                ? Math.Max(longest, share.Stretches.Max(one => one.ToTicks - one.FromTicks))
                : longest;
            threads.Add((part.ThreadId!.Value, findings.Facts.Threads.ProcessOf(part.ThreadId.Value, part.Share?.AtTicks ?? 0)));
        }

        return longest < LeastOfWorst * worst
            ? []
            : [.. threads
                .SelectMany(thread => findings.Machine.ThreadRuns.Of(thread.Thread)
                    .Where(run => findings.Facts.Threads.ProcessOf(thread.Thread, run.StartTicks) == thread.Process))
                .Where(run => run.NetTicks >= LeastOfWorst * longest)
                .OrderBy(run => run.StartTicks).ThenBy(run => run.Cpu)];
    }
}
