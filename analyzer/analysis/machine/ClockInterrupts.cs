using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>
/// Finds the routine that serves the system's clock among those of the kernel and HAL: it comes at a fixed interval, which programs may
/// change. Windows 7 logs an ISR record for it, newer systems log none.
/// </summary>
internal sealed class ClockInterrupts
{
    /// <summary>Fewer runs show no rule.</summary>
    private const int FewestRuns = 16;

    /// <summary>This part of the runs must come as long after the one before as that came after its own predecessor.</summary>
    private const double LeastRegular = 0.8;

    /// <summary>Two intervals that differ by less than one part of so many are the same.</summary>
    private const int SameIntervalPartOf = 8;

    /// <summary>Routines and CPUs that are told apart; a damaged trace may name any number.</summary>
    private const int MostCounted = 1 << 16;

    private readonly Dictionary<(ulong Routine, int Cpu), Counted> _counts = [];
    private HashSet<ulong>? _clocks;

    /// <summary>Runs of the clock's routines with their time in ticks; null where there are no records of them.</summary>
    public InterruptTotal? Total => Clocks.Count == 0
        ? null
        : _counts.Where(count => Clocks.Contains(count.Key.Routine))
            .Aggregate(default(InterruptTotal), (sum, count) => new(sum.Count + count.Value.Runs, sum.Ticks + count.Value.Ticks));

    private HashSet<ulong> Clocks => _clocks ??= [.. _counts.GroupBy(count => count.Key.Routine, count => count.Value).Where(IsRegular)
        .Select(routine => routine.Key)];

    /// <summary>An ISR of the kernel or HAL ran. Of one CPU they are taken in the order in which they returned.</summary>
    /// <param name="cpu">Where.</param>
    /// <param name="span">The run.</param>
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

    /// <summary>Whether a routine serves the clock. Asked when all runs were taken.</summary>
    /// <param name="routine">Its address.</param>
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
