using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>The blackouts of a trace, and the times the machine slept or was paused. Memory is bounded.</summary>
internal sealed class Blackouts
{
    /// <summary>How many of the newest blackouts a query looks at. It bounds the work per query.</summary>
    private const int MostAsked = 4096;

    /// <summary>For each blackout the latest end of all blackouts up to it, in ticks; ends a query early.</summary>
    private readonly List<long> _latestTicks = [];
    private readonly List<Blackout> _found = [];
    private readonly List<TickSpan> _pauses = [];
    private readonly List<TickSpan> _sleeps = [];
    private readonly List<TickSpan> _untold = [];
    private List<Blackout>? _proven;
    private BlackoutsByStart? _byStart;

    /// <summary>Every blackout found, tentative ones included, in the order of discovery.</summary>
    public IReadOnlyList<Blackout> Found => _found;

    /// <summary>The blackouts that are not tentative. Valid once all are known.</summary>
    public IReadOnlyList<Blackout> Proven => _proven ??= [.. _found.Where(blackout => !blackout.IsTentative)];

    /// <summary>When the whole machine stopped for so long that it slept or, as a guest, was paused; by time, and apart.</summary>
    public IReadOnlyList<TickSpan> Pauses => Apart(_pauses);

    /// <summary>When the machine slept, and said so; by time, and apart.</summary>
    public IReadOnlyList<TickSpan> Sleeps => Apart(_sleeps);

    /// <summary>How many blackouts were dropped because too many were found.</summary>
    public long Dropped { get; set; }

    /// <summary>Whether the machine slept or was paused during some part of a stretch, in ticks.</summary>
    public bool WasPaused(long fromTicks, long toTicks) =>
        _pauses.Exists(pause => pause.StartTicks < toTicks && pause.EndTicks > fromTicks);

    /// <summary>Whether the machine slept, and said so, during some part of a stretch, in ticks.</summary>
    public bool Slept(long fromTicks, long toTicks) => Touches(_sleeps, fromTicks, toTicks);

    /// <summary>
    /// The blackouts that may have stopped a CPU during a stretch, in ticks: its own, those of the whole machine, and those of another CPU
    /// during which no other CPU logged anything.
    /// </summary>
    public IEnumerable<Blackout> Touching(int cpu, long fromTicks, long toTicks)
    {
        for (int i = _found.Count - 1; i >= 0 && i >= _found.Count - MostAsked && _latestTicks[i] > fromTicks; i--)
        {
            Blackout blackout = _found[i];
            if (((!blackout.IsElsewhereAlive && !blackout.IsTentative) || blackout.Cpu == cpu)
                && blackout.FromTicks < toTicks && blackout.ToTicks > fromTicks)
            {
                yield return blackout;
            }
        }
    }

    /// <summary>
    /// How much of a run lies in blackouts that the module that ran is not to blame for. Valid once all owners are known.
    /// </summary>
    /// <param name="owner">The module that ran; null where not known.</param>
    /// <returns>The time in ticks, at most the net time of the run.</returns>
    public long BlackoutTicks(LongRun run, LoadedImage? owner)
    {
        long stopped = 0;
        _byStart ??= new BlackoutsByStart(Proven);
        foreach (Blackout blackout in _byStart.Touching(run.StartTicks, run.EndTicks))
        {
            bool isOwn = owner is not null && blackout.Owner?.Owner?.Number == owner.Number;
            stopped += isOwn || (blackout.IsElsewhereAlive && blackout.Cpu != run.Cpu)
                ? 0
                : Math.Min(run.EndTicks, blackout.ToTicks) - Math.Max(run.StartTicks, blackout.FromTicks);
        }

        return Math.Clamp(stopped, 0, run.NetTicks);
    }

    /// <summary>Whether one of the newest blackouts already covers a gap of a CPU.</summary>
    public bool IsKnown(int cpu, in SampleGap gap)
    {
        for (int i = _found.Count - 1; i >= 0 && i >= _found.Count - 64; i--)
        {
            Blackout known = _found[i];
            if ((known.IsWholeMachine || known.Cpu == cpu) && known.FromTicks < gap.ToTicks && known.ToTicks > gap.DueTicks)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Adds a blackout, in the order of discovery.</summary>
    public void Add(Blackout blackout)
    {
        const int MostKept = 100_000;
        if (_found.Count >= MostKept)
        {
            Dropped++;
            return;
        }

        _found.Add(blackout);
        _latestTicks.Add(Math.Max(blackout.ToTicks, _latestTicks.Count > 0 ? _latestTicks[^1] : long.MinValue));
    }

    /// <summary>Adds a stretch in which the machine slept or, as a guest, was paused.</summary>
    public void AddPause(TickSpan pause) => _pauses.Add(pause);

    /// <summary>Whether what lacks in a stretch, in ticks, is due to sleep, be that told or not.</summary>
    public bool IsSleep(long fromTicks, long toTicks) => Slept(fromTicks, toTicks)
        || Touches(_untold, fromTicks, toTicks);

    /// <summary>Adds a stretch in which the machine slept.</summary>
    /// <param name="isTold">Whether it had said that it would; else it counts as a pause.</param>
    public void AddSleep(TickSpan sleep, bool isTold)
    {
        (isTold ? _sleeps : _untold).Add(sleep);
        if (!isTold)
        {
            AddPause(sleep);
        }
    }

    /// <param name="sleeps">In the order in which they ended; of two that overlap the later one begins later, too.</param>
    private static bool Touches(List<TickSpan> sleeps, long fromTicks, long toTicks)
    {
        int first = SortedSearch.FirstNot(0, sleeps.Count, (sleeps, fromTicks), static (at, i) => at.sleeps[i].EndTicks <= at.fromTicks);
        return first < sleeps.Count && sleeps[first].StartTicks < toTicks;
    }

    private static List<TickSpan> Apart(List<TickSpan> all)
    {
        List<TickSpan> apart = [];
        foreach (TickSpan one in all.OrderBy(one => one.StartTicks))
        {
            if (apart.Count > 0 && one.StartTicks < apart[^1].EndTicks)
            {
                apart[^1] = new TickSpan(apart[^1].StartTicks, Math.Max(apart[^1].EndTicks, one.EndTicks));
            }
            else
            {
                apart.Add(one);
            }
        }

        return apart;
    }
}
