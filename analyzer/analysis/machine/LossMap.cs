namespace Tracer.Analysis.Machine;

/// <summary>When records are missing, on a known or unknown CPU.</summary>
internal sealed class LossMap
{
    /// <summary>Most stretches without records that are kept.</summary>
    private const int MostKept = 1_000_000;

    /// <summary>Later than all time stamps, but small enough to add to.</summary>
    private const long FarTicks = long.MaxValue / 4;

    private readonly List<(int Cpu, long FromTicks, long ToTicks)> _losses = [];
    private readonly List<(int Cpu, long FromTicks, long ToTicks)> _broken = [];
    private readonly List<(int Cpu, long FromTicks, long ToTicks)> _holes = [];
    private readonly Stretches _ofAny = new();

    /// <summary>By CPU; -1 for those of an unknown one.</summary>
    private readonly Dictionary<int, Stretches> _byCpu = [];
    private int _leftOut;
    private bool _isSorted = true;

    /// <summary>Number of losses, not counting times left out on purpose or overwritten.</summary>
    public int Count => _losses.Count - _leftOut;

    /// <param name="cpu">The CPU; -1 where it is not known.</param>
    /// <param name="fromTicks">The last record before the loss.</param>
    /// <param name="toTicks">The first record after the loss.</param>
    public void Add(int cpu, long fromTicks, long toTicks)
    {
        if (_losses.Count >= MostKept || toTicks < fromTicks)
        {
            return;
        }

        // Open ends are moved so far away that lengths can still be computed.
        fromTicks = Math.Max(fromTicks, -FarTicks);
        toTicks = Math.Min(toTicks, FarTicks);
        _isSorted &= _losses.Count == 0 || _losses[^1].FromTicks <= fromTicks;
        _losses.Add((cpu, fromTicks, toTicks));
        _ofAny.Add(fromTicks, toTicks);
        int of = Math.Max(-1, cpu);
        if (!_byCpu.TryGetValue(of, out Stretches? ofCpu))
        {
            _byCpu.Add(of, ofCpu = new Stretches());
        }

        ofCpu.Add(fromTicks, toTicks);
    }

    /// <summary>
    /// When another thread left a CPU than the one that ran: records are missing between two switches, whether or not the trace tells of a
    /// loss.
    /// </summary>
    public IReadOnlyList<(int Cpu, long FromTicks, long ToTicks)> Broken => _broken;

    /// <summary>Adds a time between two switches of a CPU that do not fit.</summary>
    public void AddBroken(int cpu, long fromTicks, long toTicks)
    {
        Add(cpu, fromTicks, toTicks);
        if (_broken.Count < MostKept)
        {
            _broken.Add((cpu, fromTicks, toTicks));
        }
    }

    /// <summary>When a CPU was silent between two buffers of the file although samples were due.</summary>
    public IReadOnlyList<(int Cpu, long FromTicks, long ToTicks)> Holes => _holes;

    /// <summary>Adds a time between two buffers in which samples were due.</summary>
    public void AddHole(int cpu, long fromTicks, long toTicks)
    {
        Add(cpu, fromTicks, toTicks);
        if (_holes.Count < MostKept)
        {
            _holes.Add((cpu, fromTicks, toTicks));
        }
    }

    /// <summary>
    /// Adds a time that was left out of the trace on purpose, or overwritten by later records: its gap proves nothing either.
    /// </summary>
    /// <param name="cpu">The CPU; -1 for all.</param>
    /// <param name="fromTicks">The last time before it.</param>
    /// <param name="toTicks">The first time after it.</param>
    public void AddLeftOut(int cpu, long fromTicks, long toTicks)
    {
        int before = _losses.Count;
        Add(cpu, fromTicks, toTicks);
        _leftOut += _losses.Count - before;
    }

    /// <summary>Whether records of a CPU may be missing between two times.</summary>
    public bool Overlaps(int cpu, long fromTicks, long toTicks) => OverlapsAny(fromTicks, toTicks)
        && (Of(cpu, fromTicks, toTicks) || Of(-1, fromTicks, toTicks));

    /// <summary>Whether records of any CPU may be missing between two times.</summary>
    public bool OverlapsAny(long fromTicks, long toTicks) => _ofAny.Overlap(fromTicks, toTicks);

    /// <summary>All of them, by their start; the CPU is -1 where it is not known.</summary>
    public IReadOnlyList<(int Cpu, long FromTicks, long ToTicks)> InOrder()
    {
        if (!_isSorted)
        {
            _losses.Sort(static (one, other) => one.FromTicks.CompareTo(other.FromTicks));
            _isSorted = true;
        }

        return _losses;
    }

    private bool Of(int cpu, long fromTicks, long toTicks) =>
        _byCpu.TryGetValue(cpu, out Stretches? lost) && lost.Overlap(fromTicks, toTicks);

    /// <summary>
    /// Stretches by their start, each with the latest end up to it: no walk tells whether one overlaps a time. Those that were known when
    /// it was asked first are apart from those told since, which come nearly by time, so that few are moved to make room for one.
    /// </summary>
    private sealed class Stretches
    {
        private readonly List<(long FromTicks, long LatestTicks)> _known = [];
        private readonly List<(long FromTicks, long LatestTicks)> _later = [];
        private bool _isOrdered;

        public void Add(long fromTicks, long toTicks)
        {
            if (!_isOrdered)
            {
                _known.Add((fromTicks, toTicks));
                return;
            }

            int at = FirstFrom(_later, fromTicks);
            _later.Insert(at, (fromTicks, at > 0 ? Math.Max(_later[at - 1].LatestTicks, toTicks) : toTicks));
            for (int i = at + 1; i < _later.Count && _later[i].LatestTicks < toTicks; i++)
            {
                _later[i] = (_later[i].FromTicks, toTicks);
            }
        }

        public bool Overlap(long fromTicks, long toTicks)
        {
            if (!_isOrdered)
            {
                Order();
            }

            return Overlap(_known, fromTicks, toTicks) || Overlap(_later, fromTicks, toTicks);
        }

        private static bool Overlap(List<(long FromTicks, long LatestTicks)> stretches, long fromTicks, long toTicks)
        {
            int behind = FirstFrom(stretches, toTicks);
            return behind > 0 && stretches[behind - 1].LatestTicks > fromTicks;
        }

        private void Order()
        {
            _isOrdered = true;
            _known.Sort();
            for (int i = 1; i < _known.Count; i++)
            {
                _known[i] = (_known[i].FromTicks, Math.Max(_known[i - 1].LatestTicks, _known[i].LatestTicks));
            }
        }

        /// <summary>Number of the first that begins at a time or later.</summary>
        private static int FirstFrom(List<(long FromTicks, long LatestTicks)> stretches, long ticks) =>
            SortedSearch.FirstNot(0, stretches.Count, (stretches, ticks), static (at, i) => at.stretches[i].FromTicks < at.ticks);
    }
}
