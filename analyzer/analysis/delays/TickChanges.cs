namespace Tracer.Analysis.Delays;

/// <summary>
/// Notices periodic threads whose wake-ups change from their own beat to the system clock's usual ticks: a program had asked for finer
/// ticks and gave that up, or Windows took them away from a program whose windows are hidden. Nobody delays such a thread.
/// </summary>
internal sealed class TickChanges
{
    /// <summary>The system clock's ticks unless a program asks for finer ones: 64 a second.</summary>
    private const int UsualTicksPerSecond = 64;

    /// <summary>So many intervals in a row must be multiples of a tick: by chance one in <see cref="PartOfTick"/> / 2 is.</summary>
    private const int FewestIntervals = 8;

    /// <summary>An interval is a multiple if it differs by at most this part of a tick, half a millisecond: timers may be late.</summary>
    private const int PartOfTick = 32;

    /// <summary>Most changes that are kept, to bound memory.</summary>
    private const int MostKept = 1024;

    private readonly List<TickChange> _found = [];
    private readonly long _tick;

    public TickChanges(long ticksPerSecond) => _tick = Math.Max(1, ticksPerSecond / UsualTicksPerSecond);

    /// <summary>The changes found, in the order in which they were proven.</summary>
    public IReadOnlyList<TickChange> Found => _found;

    /// <summary>A thread was made ready again.</summary>
    /// <param name="lastTicks">When it was before.</param>
    /// <param name="periodTicks">The beat that it kept up to now; 0 for none.</param>
    /// <param name="run">The thread's intervals so far that are multiples of a tick.</param>
    public void Ready(uint thread, long lastTicks, long ticks, long periodTicks, ref TickRun run)
    {
        if (!IsMultiple(ticks - lastTicks))
        {
            run = default;
            return;
        }

        if (run.Intervals == 0)
        {
            if (periodTicks == 0 || IsMultiple(periodTicks))
            {
                return;
            }

            run = new TickRun(lastTicks, periodTicks, 0);
        }

        run = run with { Intervals = run.Intervals + 1 };
        if (run.Intervals == FewestIntervals && _found.Count < MostKept)
        {
            _found.Add(new TickChange(thread, run.FromTicks, run.PeriodTicks, _tick));
        }
    }

    private bool IsMultiple(long interval)
    {
        long past = interval % _tick;
        return interval > _tick / 2 && Math.Min(past, _tick - past) <= _tick / PartOfTick;
    }
}

/// <summary>The latest intervals of a thread that are multiples of the clock's usual tick. Times in ticks.</summary>
/// <param name="FromTicks">When it was made ready last before them.</param>
/// <param name="PeriodTicks">The beat that it kept before.</param>
internal readonly record struct TickRun(long FromTicks, long PeriodTicks, int Intervals);

/// <summary>A thread came by its own beat, and then by the clock's usual ticks. Times in ticks.</summary>
/// <param name="AtTicks">When it came last by its own beat.</param>
/// <param name="PeriodTicks">Its beat before.</param>
/// <param name="TickTicks">From one tick of the clock to the next.</param>
internal sealed record TickChange(uint Thread, long AtTicks, long PeriodTicks, long TickTicks);
