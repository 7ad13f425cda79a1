using System.Numerics;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Mechanisms;

namespace Tracer.Analysis.Verdicts;

/// <summary>Brings the times of drivers and of their routines into the form of the report.</summary>
/// <param name="findings">The results of the passes, to convert ticks.</param>
internal sealed class RoutineTable(BlameFindings findings)
{
    /// <summary>The routines of a table of drivers, the longest total first.</summary>
    /// <returns>Null where none ran.</returns>
    public IReadOnlyList<RoutineActivity>? Routines(DriverTable table, Func<ulong, long, string> nameOf)
    {
        List<RoutineActivity> routines = [.. table.Rows
            .SelectMany(row => row.PerRoutine.Values.Select(routine => (row.Name, Routine: routine)))
            .OrderByDescending(one => one.Routine.TotalTicks).ThenBy(one => one.Routine.Address)
            .ThenBy(one => one.Name, StringComparer.Ordinal)
            .Take(Defaults.RoutinesListed)
            .Select(one => new RoutineActivity
            {
                Routine = nameOf(one.Routine.Address, one.Routine.AtTicks),
                Driver = one.Name,
                Isr = Times(one.Routine.Isr, withCpus: false),
                Dpc = Times(one.Routine.Dpc, withCpus: false),
                QueueDelayMax = one.Routine.QueuedTicks is { } ticks ? findings.Length(ticks) : null,
            })];
        return routines.Count > 0 ? routines : null;
    }

    /// <summary>The times of some runs; null where there are none.</summary>
    public RoutineTimes? Times(RunTimes times, bool withCpus)
    {
        DurationCounts counts = times.Counts;
        return counts.Count == 0
            ? null
            : new RoutineTimes
            {
                Count = counts.Count,
                Total = findings.Length(times.TotalTicks),
                Max = findings.Length(times.MaxTicks),
                MaxAt = times.Longest is { } longest ? findings.Time(longest.StartTicks) : null,
                P50 = findings.Length(Math.Min(counts.Percentile(50), times.MaxTicks)),
                P90 = findings.Length(Math.Min(counts.Percentile(90), times.MaxTicks)),
                P99 = findings.Length(Math.Min(counts.Percentile(99), times.MaxTicks)),
                P999 = findings.Length(Math.Min(counts.At((long)Math.Ceiling(counts.Count * 0.999)), times.MaxTicks)),
                Histogram = HistogramOf(times),
                PerCpu = withCpus ? CpusOf(times.PerCpu) : null,
            };
    }

    /// <summary>
    /// The numbers of runs between the doublings of a microsecond. A run counts with the upper end of its bucket, as in the percentiles.
    /// </summary>
    private List<DurationBucket> HistogramOf(RunTimes times)
    {
        List<DurationBucket> buckets = [];
        foreach ((_, long mostTicks, long count) in times.Counts.Buckets)
        {
            Duration bound = BoundOf(findings.Length(Math.Min(mostTicks, times.MaxTicks)));
            if (buckets.Count > 0 && buckets[^1].AtMost == bound)
            {
                buckets[^1] = buckets[^1] with { Count = buckets[^1].Count + count };
            }
            else
            {
                buckets.Add(new DurationBucket(bound, count));
            }
        }

        return buckets;
    }

    /// <summary>The least bound that is at least as long as a duration.</summary>
    private static Duration BoundOf(Duration length)
    {
        const long Nanoseconds = 1000;
        long microseconds = (Math.Max(1, length.Nanoseconds) + Nanoseconds - 1) / Nanoseconds;
        return Duration.FromMicroseconds((long)BitOperations.RoundUpToPowerOf2((ulong)microseconds));
    }

    private List<CpuRoutineTimes> CpusOf(PerCpuRuns runs)
    {
        List<CpuRoutineTimes> cpus = [];
        foreach (CpuRun run in runs.All)
        {
            cpus.Add(new CpuRoutineTimes(run.Cpu, run.Count, findings.Length(run.Ticks), findings.Length(run.MaxTicks)));
        }

        return cpus;
    }
}

/// <summary>The runs of one routine for one driver. Times in ticks.</summary>
internal sealed class RoutineRow(ulong address, long atTicks)
{
    public ulong Address => address;

    public long AtTicks => atTicks;

    public RunTimes Isr { get; } = new();

    public RunTimes Dpc { get; } = new();

    /// <summary>The longest time that it was queued as a DPC, in ticks; null where not recorded.</summary>
    public long? QueuedTicks { get; set; }

    public long TotalTicks => Isr.TotalTicks + Dpc.TotalTicks;
}
