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
    private long _longestTicks;
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
        _longestTicks = Math.Max(_longestTicks, toTicks - fromTicks);
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
    public bool Overlaps(int cpu, long fromTicks, long toTicks) => Find(cpu, fromTicks, toTicks);

    /// <summary>Whether records of any CPU may be missing between two times.</summary>
    public bool OverlapsAny(long fromTicks, long toTicks) => Find(null, fromTicks, toTicks);

    /// <summary>All of them, by their start; the CPU is -1 where it is not known.</summary>
    public IReadOnlyList<(int Cpu, long FromTicks, long ToTicks)> InOrder()
    {
        Sort();
        return _losses;
    }

    private void Sort()
    {
        if (!_isSorted)
        {
            _losses.Sort(static (one, other) => one.FromTicks.CompareTo(other.FromTicks));
            _isSorted = true;
        }
    }

    private bool Find(int? cpu, long fromTicks, long toTicks)
    {
        if (_losses.Count == 0)
        {
            return false;
        }

        Sort();

        int low = SortedSearch.FirstNot(0, _losses.Count, (_losses, toTicks), static (at, i) => at._losses[i].FromTicks < at.toTicks);

        for (int i = low - 1; i >= 0 && _losses[i].FromTicks >= SaturatingDifference(fromTicks, _longestTicks); i--)
        {
            if (_losses[i].ToTicks > fromTicks && (cpu is null || _losses[i].Cpu < 0 || _losses[i].Cpu == cpu))
            {
                return true;
            }
        }

        return false;
    }

    private static long SaturatingDifference(long ticks, long length) => ticks < long.MinValue + length ? long.MinValue : ticks - length;
}
