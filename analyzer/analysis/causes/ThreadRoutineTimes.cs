using Tracer.Analysis.Machine;
using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Splits the time of threads: the time a thread spent in a threaded DPC or a passive-level ISR belongs to that routine's driver, not to
/// the thread's process.
/// </summary>
internal sealed class ThreadRoutineTimes
{
    private readonly List<ThreadRoutine> _touching = [];
    private readonly Dictionary<int, (long Ticks, long At)> _ticks = [];

    /// <summary>The routines that ran, each with its time and its start, in ticks.</summary>
    public IEnumerable<(ThreadRoutine Routine, long Ticks, long At)> Ran =>
        _ticks.OrderBy(one => one.Key).Select(one => (_touching[one.Key], one.Value.Ticks, one.Value.At));

    /// <summary>Collects the threaded routines within a stretch of a CPU.</summary>
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

    /// <returns>The part of that time spent in such routines, in ticks.</returns>
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

    public static LevelSpan SpanOf(in ThreadRoutine routine) => new()
    {
        StartTicks = routine.StartTicks,
        EndTicks = routine.EndTicks,
        Routine = routine.Routine,
        Kind = routine.IsIsr ? LevelKind.Isr : LevelKind.Dpc,
    };

    public static CauseShare ShareOf(in ThreadRoutine routine, long ticks, long at, OwnerFinding owner, CpuHistory cpu)
    {
        long run = cpu.RunAt(at);
        return new CauseShare
        {
            Ticks = ticks,
            AtTicks = at,
            Detail = new ThreadRan(routine.ThreadId, run >= 0 ? cpu.Runs[run].Priority : 0),
            Owner = owner,
        };
    }
}
