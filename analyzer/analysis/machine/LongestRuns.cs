namespace Tracer.Analysis;

/// <summary>A run of a routine, or of a thread. Times in ticks.</summary>
/// <param name="StartTicks">When it began.</param>
/// <param name="EndTicks">When it ended.</param>
/// <param name="NetTicks">Its time without what interrupted it.</param>
/// <param name="Cpu">Where.</param>
internal readonly record struct LongRun(long StartTicks, long EndTicks, long NetTicks, int Cpu);

/// <summary>
/// The longest runs of one thing over the whole trace, with their times: a limited number, so that those that are kept are all runs from
/// some length on. They tell whether its long runs keep a beat, and how long the longest is once a stop of the machine is taken out.
/// </summary>
internal sealed class LongestRuns
{
    /// <summary>Runs that are kept.</summary>
    private const int Kept = 256;

    private readonly List<LongRun> _runs = [];
    private long _leastTicks = -1;

    /// <summary>The runs, in no order.</summary>
    public IReadOnlyList<LongRun> All => _runs;

    /// <summary>Every run longer than this is among <see cref="All"/>, in ticks; -1 where all are.</summary>
    public long CompleteAboveTicks => _leastTicks;

    /// <summary>Takes a run.</summary>
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

        // Half of them go at once, so that a run costs the same however many there are.
        _runs.Sort(static (one, other) => one.NetTicks != other.NetTicks
            ? other.NetTicks.CompareTo(one.NetTicks)
            : one.StartTicks.CompareTo(other.StartTicks));
        _leastTicks = _runs[Kept].NetTicks;
        _runs.RemoveRange(Kept, _runs.Count - Kept);
        _runs.RemoveAll(kept => kept.NetTicks <= _leastTicks);
    }
}
