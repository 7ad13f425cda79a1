using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Finds the clock interrupt's routine among those of the kernel and HAL: it runs at a fixed interval, which programs may change. Windows 7
/// logs ISR records for it, newer versions log none.
/// </summary>
/// <param name="cpus">Upper limit of the number of CPUs.</param>
internal sealed class ClockInterrupts(int cpus)
{
    /// <summary>Fewest runs of a routine by which it may be recognised: fewer show no regularity.</summary>
    private const int FewestRuns = 16;

    /// <summary>Least part of the runs whose interval equals the one before.</summary>
    private const double LeastRegular = 0.8;

    /// <summary>Two intervals are equal if they differ by less than one part in this many.</summary>
    private const int SameIntervalPartOf = 8;

    /// <summary>Most routines that are tracked, each CPU's by themselves; a damaged trace may name any number.</summary>
    private const int MostOfAll = 1 << 16;

    /// <summary>Least number of routines that are tracked on a CPU, however many CPUs there are: more than kernel and HAL have.</summary>
    private const int MostOfOne = 64;

    private readonly Dictionary<ulong, Counted>?[] _counts = new Dictionary<ulong, Counted>?[cpus];
    private HashSet<ulong>? _clocks;

    /// <summary>Number and total time of the runs of the clock's routines, in ticks; null where there are no records of them.</summary>
    public InterruptTotal? Total => Clocks.Count == 0
        ? null
        : All.Where(count => Clocks.Contains(count.Key))
            .Aggregate(default(InterruptTotal), (sum, count) => new(sum.Count + count.Value.Runs, sum.Ticks + count.Value.Ticks));

    private HashSet<ulong> Clocks => _clocks ??= [.. All.GroupBy(count => count.Key, count => count.Value).Where(IsRegular)
        .Select(routine => routine.Key)];

    private IEnumerable<KeyValuePair<ulong, Counted>> All => _counts.Where(counts => counts is not null).SelectMany(counts => counts!);

    /// <summary>Adds a run of an ISR of the kernel or HAL. The runs of one CPU must come in the order of their ends.</summary>
    public void Ran(int cpu, in LevelSpan span)
    {
        Dictionary<ulong, Counted> counts = _counts[cpu] ??= [];
        if (counts.Count >= Math.Max(MostOfOne, MostOfAll / _counts.Length) && !counts.ContainsKey(span.Routine))
        {
            return;
        }

        ref Counted count = ref CollectionsMarshal.GetValueRefOrAddDefault(counts, span.Routine, out bool isKnown);
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
