using Tracer.Analysis.Causes;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>All runs of an owner's routines or threads in the trace, whether a victim waited for them or not.</summary>
internal static class OwnRuns
{
    /// <summary>
    /// Runs shorter than this part of the longest run in an episode are left out: they are other work of the same driver.
    /// </summary>
    public const double LeastOfWorst = 0.25;

    /// <summary>All runs of a driver's routines that are about as long as those that victims waited for.</summary>
    /// <returns>The runs by time; empty where runs are not recorded, or where many short runs together delayed the victims.</returns>
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

    /// <summary>All runs of a process's threads that are about as long as those that victims waited for.</summary>
    /// <returns>The runs by time; empty where runs are not recorded, or where many short runs together delayed the victims.</returns>
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
