using System.Collections;

namespace Tracer.Analysis.Machine;

/// <summary>
/// The recent past of each CPU; null for one without records. All can be asked as of a time: each looks back when it is asked for, so that
/// thousands of CPUs that nobody asks cost nothing.
/// </summary>
internal sealed class CpuHistories : IEnumerable<CpuHistory?>
{
    private readonly CpuHistory?[] _all;
    private readonly List<CpuHistory> _lookingBack = [];

    /// <summary>As of when all answer, in ticks; null for all that was read.</summary>
    private long? _fromTicks;

    public CpuHistories(params CpuHistory?[] all) => (_all, Count) = (all, all.Count(cpu => cpu is not null));

    /// <summary>How many CPUs there may be.</summary>
    public int Length => _all.Length;

    /// <summary>How many have records.</summary>
    public int Count { get; private set; }

    /// <summary>How often a CPU was made to look back.</summary>
    public long Looks { get; private set; }

    public CpuHistory? this[int cpu]
    {
        get
        {
            CpuHistory? one = _all[cpu];
            if (_fromTicks is { } ticks && one is { IsLookingBack: false })
            {
                one.LookFrom(ticks);
                _lookingBack.Add(one);
                Looks++;
            }

            return one;
        }

        set
        {
            Count += (value is null ? 0 : 1) - (_all[cpu] is null ? 0 : 1);
            _all[cpu] = value;
        }
    }

    /// <summary>Has all CPUs answer as of a time, in ticks; see <see cref="CpuHistory.LookFrom"/>.</summary>
    public void LookFrom(long ticks)
    {
        LookFromNow();
        _fromTicks = ticks;
    }

    /// <summary>Has all CPUs answer with all that was read of them.</summary>
    public void LookFromNow()
    {
        _fromTicks = null;
        foreach (CpuHistory cpu in _lookingBack)
        {
            cpu.LookFromNow();
        }

        _lookingBack.Clear();
    }

    /// <summary>Whether a CPU has a record behind a time, as far as it was read.</summary>
    public bool HasRecordBehind(int cpu, long ticks) => _all[cpu]?.NewestTicks > ticks;

    public void Clear()
    {
        Array.Clear(_all);
        Count = 0;
    }

    public IEnumerator<CpuHistory?> GetEnumerator()
    {
        for (int cpu = 0; cpu < _all.Length; cpu++)
        {
            yield return this[cpu];
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
