namespace Tracer.Analysis.Machine;

/// <summary>A run of a routine, or of a thread. Times in ticks.</summary>
/// <param name="NetTicks">Length of the run without what interrupted it.</param>
internal readonly record struct LongRun(long StartTicks, long EndTicks, long NetTicks, int Cpu);

/// <summary>
/// The longest runs of one routine or thread over the whole trace, with their times. All runs above some length are kept. They show whether
/// its long runs keep a beat, and how long the longest one is once blackouts of the machine are taken out.
/// </summary>
/// <param name="number">Told by <see cref="Number"/>.</param>
internal sealed class LongestRuns(int number = 0)
{
    /// <summary>Most runs that are kept.</summary>
    private const int Kept = 256;

    private readonly List<LongRun> _runs = [];
    private long _leastTicks = -1;

    /// <summary>The number of the routine that they are of.</summary>
    public int Number { get; } = number;

    /// <summary>The kept runs, in no order.</summary>
    public IReadOnlyList<LongRun> All => _runs;

    /// <summary>All runs longer than this are in <see cref="All"/>, in ticks; -1 where every run is.</summary>
    public long CompleteAboveTicks => _leastTicks;

    public void Add(in LongRun run)
    {
        if (run.NetTicks <= _leastTicks)
        {
            return;
        }

        _runs.Add(run);
        if (_runs.Count < 2 * Kept)
        {
            return;
        }

        // Half of the runs are dropped at once, so that the cost per run does not depend on their number.
        _runs.Sort(static (one, other) => one.NetTicks != other.NetTicks
            ? other.NetTicks.CompareTo(one.NetTicks)
            : one.StartTicks.CompareTo(other.StartTicks));
        _leastTicks = _runs[Kept].NetTicks;
        _runs.RemoveRange(Kept, _runs.Count - Kept);
        _runs.RemoveAll(kept => kept.NetTicks <= _leastTicks);
    }
}
