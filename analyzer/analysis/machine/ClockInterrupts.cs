using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Finds the clock interrupt's routine among those of the kernel and HAL: it runs at a fixed interval, which programs may change. Windows 7
/// logs ISR records for it, newer versions log none.
/// </summary>
internal sealed class ClockInterrupts
{
    /// <summary>Fewest runs of a routine by which it may be recognised: fewer show no regularity.</summary>
    private const int FewestRuns = 16;

    /// <summary>Least part of the runs whose interval equals the one before.</summary>
    private const double LeastRegular = 0.8;

    /// <summary>Two intervals are equal if they differ by less than one part in this many.</summary>
    private const int SameIntervalPartOf = 8;

    /// <summary>Most pairs of routine and CPU that are tracked; a damaged trace may name any number.</summary>
    private const int MostCounted = 1 << 16;

    private readonly Dictionary<(ulong Routine, int Cpu), Counted> _counts = [];
    private HashSet<ulong>? _clocks;

    /// <summary>Number and total time of the runs of the clock's routines, in ticks; null where there are no records of them.</summary>
    public InterruptTotal? Total => Clocks.Count == 0
        ? null
        : _counts.Where(count => Clocks.Contains(count.Key.Routine))
            .Aggregate(default(InterruptTotal), (sum, count) => new(sum.Count + count.Value.Runs, sum.Ticks + count.Value.Ticks));

    private HashSet<ulong> Clocks => _clocks ??= [.. _counts.GroupBy(count => count.Key.Routine, count => count.Value).Where(IsRegular)
        .Select(routine => routine.Key)];

    /// <summary>Adds a run of an ISR of the kernel or HAL. The runs of one CPU must come in the order of their ends.</summary>
    public void Ran(int cpu, in LevelSpan span)
    {
        if (_counts.Count == MostCounted && !_counts.ContainsKey((span.Routine, cpu)))
        {
            return;
        }

        ref Counted count = ref CollectionsMarshal.GetValueRefOrAddDefault(_counts, (span.Routine, cpu), out bool isKnown);
        long interval = isKnown ? span.StartTicks - count.LastTicks : 0;
        count.Runs++;
        count.Ticks += span.EndTicks - span.StartTicks;
        count.Regular += interval > 0 && Math.Abs(interval - count.IntervalTicks) <= interval / SameIntervalPartOf ? 1 : 0;
        count.IntervalTicks = interval;
        count.LastTicks = span.StartTicks;
    }

    /// <summary>Whether a routine is the clock interrupt's. Valid after all runs were added.</summary>
    public bool Is(ulong routine) => Clocks.Contains(routine);

    private static bool IsRegular(IEnumerable<Counted> cpus)
    {
        long runs = 0;
        long regular = 0;
        foreach (Counted cpu in cpus)
        {
            runs += cpu.Runs;
            regular += cpu.Regular;
        }

        return runs >= FewestRuns && regular >= LeastRegular * runs;
    }

    private struct Counted
    {
        public long Runs;
        public long Regular;
        public long Ticks;
        public long LastTicks;
        public long IntervalTicks;
    }
}
