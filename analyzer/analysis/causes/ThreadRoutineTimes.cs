using Tracer.Contract;

namespace Tracer.Analysis;

/// <summary>
/// Splits the time of threads: what a thread spent in a threaded DPC or a passive ISR belongs to that routine's driver, not to the process
/// whose thread it is.
/// </summary>
internal sealed class ThreadRoutineTimes
{
    private readonly List<ThreadRoutine> _touching = [];
    private readonly Dictionary<int, (long Ticks, long At)> _ticks = [];

    /// <summary>The routines that had time, with how long and since when, in ticks.</summary>
    public IEnumerable<(ThreadRoutine Routine, long Ticks, long At)> Ran =>
        _ticks.OrderBy(one => one.Key).Select(one => (_touching[one.Key], one.Value.Ticks, one.Value.At));

    /// <summary>Looks for the routines of a stretch of a CPU.</summary>
    public void Begin(CpuHistory cpu, long fromTicks, long toTicks)
    {
        _touching.Clear();
        _ticks.Clear();
        for (long number = cpu.ThreadRoutines.FirstAfter(fromTicks); number < cpu.ThreadRoutines.Next; number++)
        {
            ThreadRoutine routine = cpu.ThreadRoutines[number];
            if (routine.StartTicks < toTicks)
            {
                _touching.Add(routine);
            }
        }
    }

    /// <summary>A thread ran.</summary>
    /// <returns>How much of that is in routines, in ticks.</returns>
    public long Add(uint thread, long fromTicks, long toTicks)
    {
        long all = 0;
        long at = fromTicks;
        for (int i = 0; i < _touching.Count; i++)
        {
            ThreadRoutine routine = _touching[i];
            long from = Math.Max(at, routine.StartTicks);
            long to = Math.Min(toTicks, routine.EndTicks);
            if (routine.ThreadId != thread || from >= to)
            {
                continue;
            }

            (long known, long since) = _ticks.GetValueOrDefault(i, (0, from));
            _ticks[i] = (known + (to - from), Math.Min(since, from));
            all += to - from;
            at = to;
        }

        return all;
    }

    /// <summary>The routine as a span, whose owner is to be found.</summary>
    public static LevelSpan SpanOf(in ThreadRoutine routine) => new()
    {
        StartTicks = routine.StartTicks,
        EndTicks = routine.EndTicks,
        Routine = routine.Routine,
        Kind = routine.IsIsr ? LevelKind.Isr : LevelKind.Dpc,
    };

    /// <summary>The part of an episode that a routine had.</summary>
    public static CauseShare ShareOf(in ThreadRoutine routine, long ticks, long at, OwnerFinding owner, CpuHistory cpu)
    {
        long run = cpu.RunAt(at);
        return new CauseShare
        {
            Mechanism = Mechanism.Thread,
            Ticks = ticks,
            AtTicks = at,
            Detail = new ThreadRan(routine.ThreadId, run >= 0 ? cpu.Runs[run].Priority : 0),
            Owner = owner,
        };
    }
}
