namespace Tracer.Analysis;

/// <summary>The blackouts of a trace, and how often the machine slept. Memory is bounded.</summary>
internal sealed class Blackouts
{
    /// <summary>So many of the newest blackouts are asked whether they touch a stretch.</summary>
    private const int MostAsked = 4096;

    /// <summary>The latest end of the blackouts up to each.</summary>
    private readonly List<long> _latestTicks = [];
    private readonly List<Blackout> _found = [];
    private readonly List<TickSpan> _pauses = [];
    private List<Blackout>? _proven;
    private BlackoutsByStart? _byStart;

    /// <summary>Every blackout found, the tentative ones among them, in the order in which they were found.</summary>
    public IReadOnlyList<Blackout> Found => _found;

    /// <summary>Those that are no longer tentative when all are known.</summary>
    public IReadOnlyList<Blackout> Proven => _proven ??= [.. _found.Where(blackout => !blackout.IsTentative)];

    /// <summary>How often the whole machine stood still for so long that it slept or, as a guest, was paused.</summary>
    public int Pauses => _pauses.Count;

    /// <summary>How many were beyond what is remembered.</summary>
    public long Dropped { get; set; }

    /// <summary>Whether the machine slept or was paused at some time of a stretch.</summary>
    public bool WasPaused(long fromTicks, long toTicks) =>
        _pauses.Exists(pause => pause.StartTicks < toTicks && pause.EndTicks > fromTicks);

    /// <summary>
    /// The blackouts that may have stopped a CPU in a stretch of time: its own, and those of the machine or of a CPU beside which no
    /// other showed life.
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
    /// For how much of a run the machine stood still without the doing of the one who ran. Asked when all owners are known.
    /// </summary>
    /// <param name="run">The run.</param>
    /// <param name="owner">Who ran; null where not known.</param>
    /// <returns>In ticks, at most the net time of the run.</returns>
    public long StoppedTicks(LongRun run, LoadedImage? owner)
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

    /// <summary>Whether one of the newest blackouts stopped a CPU in a silence already.</summary>
    public bool IsKnown(int cpu, in Silence silence)
    {
        for (int i = _found.Count - 1; i >= 0 && i >= _found.Count - 64; i--)
        {
            Blackout known = _found[i];
            if ((known.IsWholeMachine || known.Cpu == cpu) && known.FromTicks < silence.ToTicks && known.ToTicks > silence.DueTicks)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Takes one, in the order in which they were found.</summary>
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

    /// <summary>Takes a stretch in which the machine slept, or was paused as a guest.</summary>
    public void AddPause(TickSpan pause) => _pauses.Add(pause);
}
