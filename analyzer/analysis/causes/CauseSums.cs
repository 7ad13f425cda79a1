using System.Runtime.InteropServices;

namespace Tracer.Analysis.Causes;

/// <summary>A stretch of a CPU's time that belongs to one cause; times in ticks.</summary>
/// <param name="SinceTicks">
/// Since when the work of that stretch was pending: an ISR's entry, the time a thread was made ready. <see cref="long.MinValue"/> for
/// always, or not known.
/// </param>
internal readonly record struct CauseStretch(long FromTicks, long ToTicks, long SinceTicks)
{
    public long Ticks => ToTicks - FromTicks;
}

/// <summary>What a sum of time consists of.</summary>
internal enum SumKind : byte
{
    /// <summary>Runs of an ISR or DPC with the same routine, owner and CPU speed.</summary>
    Routine,

    /// <summary>A thread that ran in the victim's place.</summary>
    Thread,

    Blackout,

    /// <summary>Time in which another CPU was idle, or idle and parked.</summary>
    Scheduler,

    /// <summary>A wait for a lock or for another CPU.</summary>
    Spin,

    /// <summary>Kernel code of a lower-priority thread, by the sample that shows it.</summary>
    Lower,
}

/// <param name="Number">Number of the group of routines, of the thread or of the sample.</param>
/// <param name="Priority">The thread's priority; else 0.</param>
/// <param name="Object">The blackout or the spin wait, or whether the CPUs were parked; otherwise null.</param>
internal readonly record struct CauseKey(SumKind Kind, long Number, sbyte Priority = 0, object? Object = null);

/// <summary>The time of one cause within the stretch that is accounted for.</summary>
internal sealed class CauseSum
{
    private readonly List<CauseStretch> _stretches = [];

    /// <summary>The total time, in ticks.</summary>
    public long Ticks { get; private set; }

    /// <summary>When the first stretch began, in ticks.</summary>
    public long AtTicks { get; private set; } = long.MaxValue;

    /// <summary>The stretches by time, as far as they were kept.</summary>
    public IReadOnlyList<CauseStretch> Stretches => _stretches;

    /// <summary>Adds a stretch; one that continues the last one extends it.</summary>
    /// <param name="mayKeep">Whether one more stretch may be kept.</param>
    /// <returns>1 if a new stretch was kept, 0 if the last one was extended, -1 if the stretch had to be dropped.</returns>
    public int Add(in CauseStretch stretch, bool mayKeep)
    {
        Ticks += stretch.Ticks;
        AtTicks = Math.Min(AtTicks, stretch.FromTicks);
        if (_stretches.Count > 0 && _stretches[^1].ToTicks == stretch.FromTicks && _stretches[^1].SinceTicks == stretch.SinceTicks)
        {
            _stretches[^1] = _stretches[^1] with { ToTicks = stretch.ToTicks };
            return 0;
        }

        if (!mayKeep)
        {
            return -1;
        }

        _stretches.Add(stretch);
        return 1;
    }
}

/// <summary>Sums up the time of each cause, with its stretches, while an episode is accounted for. Memory is bounded.</summary>
internal sealed class CauseSums
{
    /// <summary>How many pieces are kept of one stretch that is accounted for. It bounds memory where interrupts storm.</summary>
    private const int MostAtOnce = 8_192;

    /// <summary>How many pieces are kept of a whole trace. It bounds memory.</summary>
    private const int Most = 1_000_000;

    private readonly Dictionary<CauseKey, CauseSum> _sums = [];
    private int _atOnce;
    private int _all;

    /// <summary>Whether pieces were dropped since <see cref="Clear"/>.</summary>
    public bool IsCut { get; private set; }

    public IReadOnlyDictionary<CauseKey, CauseSum> All => _sums;

    /// <summary>Clears the sums for the next stretch. The count of pieces kept of the whole trace continues.</summary>
    public void Clear()
    {
        _sums.Clear();
        _atOnce = 0;
        IsCut = false;
    }

    public CauseSum Add(in CauseKey key, in CauseStretch stretch)
    {
        ref CauseSum? sum = ref CollectionsMarshal.GetValueRefOrAddDefault(_sums, key, out _);
        sum ??= new CauseSum();
        int kept = sum.Add(in stretch, _atOnce < MostAtOnce && _all < Most);
        IsCut |= kept < 0;
        _atOnce += Math.Max(0, kept);
        _all += Math.Max(0, kept);
        return sum;
    }
}
