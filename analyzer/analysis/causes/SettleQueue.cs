using Tracer.Analysis.Delays;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Holds delays and gaps of CPUs until the records that belong to them must have come, and has them examined then, as of that time: gaps
/// first, which may become blackouts, and long ones episodes. When that is, and in which order, follows from times and numbers alone, not
/// from how the reading was cut.
/// </summary>
internal sealed class SettleQueue : IDelaySink
{
    private readonly EpisodeAnalysisSettings _settings;
    private readonly MachineState _machine;
    private readonly Blackouts _blackouts;
    private readonly BlackoutSearch _blackoutSearch;
    private readonly EpisodeAnalysis _episodes;
    private readonly List<(Delay Delay, long NoticedTicks)> _pending = [];
    private readonly List<Delay> _due = [];
    private readonly Queue<Delay> _measured;
    private readonly long[] _nextGap;

    /// <summary>When the next gap of each CPU ends, in ticks; the largest time for none.</summary>
    private readonly long[] _gapEnds;
    private readonly List<int> _settled = [];
    private int _blackoutsSeen;

    /// <param name="blackouts">The blackouts found so far.</param>
    /// <param name="episodes">Examines the delays.</param>
    /// <param name="measured">Wake-ups at or above the threshold that a driver or probe measured, by end.</param>
    public SettleQueue(
        EpisodeAnalysisSettings settings,
        MachineState machine,
        Blackouts blackouts,
        BlackoutSearch blackoutSearch,
        EpisodeAnalysis episodes,
        IEnumerable<Delay> measured)
    {
        _settings = settings;
        _machine = machine;
        _blackouts = blackouts;
        _blackoutSearch = blackoutSearch;
        _episodes = episodes;
        _measured = new Queue<Delay>(measured);
        _nextGap = new long[machine.Cpus.Length];
        _gapEnds = new long[machine.Cpus.Length];
        Array.Fill(_gapEnds, long.MaxValue);
        NextTicks = _measured.TryPeek(out Delay? first) ? DueAt(first.ToTicks, first.ToTicks) : long.MaxValue;
    }

    /// <summary>When something is to be examined next, in ticks: the end of a cell. The largest time for nothing.</summary>
    public long NextTicks { get; private set; }

    public void Add(Delay delay, long nowTicks)
    {
        if (_episodes.Wants(delay))
        {
            _pending.Add((delay, nowTicks));
            NextTicks = Math.Min(NextTicks, DueAt(delay.ToTicks, nowTicks));
        }
    }

    /// <summary>Gaps may have been added to the history of a CPU.</summary>
    public void AddGaps(CpuHistory cpu)
    {
        long next = Math.Max(_nextGap[cpu.Cpu], cpu.SampleGaps.First);
        long end = _gapEnds[cpu.Cpu] = next < cpu.SampleGaps.Next ? cpu.SampleGaps[next].ToTicks : long.MaxValue;
        NextTicks = Math.Min(NextTicks, DueAt(end, end));
    }

    /// <summary>All records before a time have come, in ticks: examines what is due by then.</summary>
    public void Reach(long ticks)
    {
        while (NextTicks <= ticks && NextTicks < long.MaxValue)
        {
            Settle(NextTicks);
        }
    }

    /// <summary>The whole trace was read: examines what is left.</summary>
    public void Complete()
    {
        Reach(long.MaxValue);
        Settle(long.MaxValue);
    }

    /// <summary>The end of the first cell by which what ended and was noticed is examined.</summary>
    private long DueAt(long endTicks, long noticedTicks)
    {
        long lagged = endTicks > long.MaxValue - _settings.LagTicks ? long.MaxValue : endTicks + _settings.LagTicks;
        return _settings.Cells.EndOf(Math.Max(lagged, noticedTicks));
    }

    private void Settle(long ticks)
    {
        long until = ticks == long.MaxValue ? ticks : ticks - _settings.LagTicks;
        _machine.Cpus.LookFrom(ticks);
        SettleGaps(until);
        while (_measured.TryPeek(out Delay? measured) && measured.ToTicks <= until)
        {
            _measured.Dequeue();
            if (_episodes.Wants(measured))
            {
                _episodes.Examine(new EpisodeCandidate(measured));
            }
        }

        TakeDue(until, ticks);
        foreach (Delay delay in _due)
        {
            _episodes.Examine(new EpisodeCandidate(delay));
        }

        _machine.Cpus.LookFromNow();
        NextTicks = long.MaxValue;
        foreach ((Delay delay, long noticed) in _pending)
        {
            NextTicks = Math.Min(NextTicks, DueAt(delay.ToTicks, noticed));
        }

        if (_measured.TryPeek(out Delay? first))
        {
            NextTicks = Math.Min(NextTicks, DueAt(first.ToTicks, first.ToTicks));
        }

        foreach (int cpu in _settled)
        {
            AddGaps(_machine.Cpus[cpu]!);
        }

        long end = _gapEnds.Min();
        NextTicks = Math.Min(NextTicks, DueAt(end, end));
    }

    /// <summary>Takes the delays that ended by one time and were noticed before another, in the order of their ends.</summary>
    private void TakeDue(long untilTicks, long noticedBefore)
    {
        _due.Clear();
        int kept = 0;
        for (int i = 0; i < _pending.Count; i++)
        {
            if (_pending[i].Delay.ToTicks <= untilTicks && (_pending[i].NoticedTicks < noticedBefore || noticedBefore == long.MaxValue))
            {
                _due.Add(_pending[i].Delay);
            }
            else
            {
                _pending[kept++] = _pending[i];
            }
        }

        _pending.RemoveRange(kept, _pending.Count - kept);
        _due.Sort(static (one, other) =>
            one.ToTicks != other.ToTicks ? one.ToTicks.CompareTo(other.ToTicks)
            : one.Probe != other.Probe ? one.Probe.CompareTo(other.Probe)
            : one.Cpu != other.Cpu ? one.Cpu.CompareTo(other.Cpu)
            : one.FromTicks != other.FromTicks ? one.FromTicks.CompareTo(other.FromTicks)
            : Nullable.Compare(one.ThreadId, other.ThreadId));
    }

    private void SettleGaps(long untilTicks)
    {
        _settled.Clear();
        for (int number = 0; number < _gapEnds.Length; number++)
        {
            if (_gapEnds[number] > untilTicks || _gapEnds[number] == long.MaxValue)
            {
                continue;
            }

            _settled.Add(number);
            CpuHistory cpu = _machine.Cpus[number]!;
            ref long next = ref _nextGap[number];
            next = Math.Max(next, cpu.SampleGaps.First);
            while (next < cpu.SampleGaps.Next && cpu.SampleGaps[next].ToTicks <= untilTicks)
            {
                _blackoutSearch.Look(cpu, cpu.SampleGaps[next]);
                next++;
            }
        }

        for (; _blackoutsSeen < _blackouts.Found.Count; _blackoutsSeen++)
        {
            Blackout blackout = _blackouts.Found[_blackoutsSeen];
            if (_settings.WantsGaps && blackout.ToTicks - blackout.DueTicks >= _settings.ThresholdTicks)
            {
                var gap = new Delay
                {
                    Probe = ProbeKind.Gap,
                    FromTicks = blackout.DueTicks,
                    ToTicks = blackout.ToTicks,
                    Cpu = blackout.Cpu,
                };
                if (_episodes.Wants(gap))
                {
                    _episodes.Examine(new EpisodeCandidate(gap, blackout));
                }
            }
        }
    }
}
