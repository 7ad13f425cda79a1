using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>A stretch of a CPU that belongs to one cause; times in ticks.</summary>
/// <param name="FromTicks">Its start.</param>
/// <param name="ToTicks">Its end.</param>
/// <param name="SinceTicks">
/// When what runs there came and asked for the CPU: the entry of an ISR, the time a thread was made ready; <see cref="long.MinValue"/> for
/// always, or not known.
/// </param>
internal readonly record struct CauseStretch(long FromTicks, long ToTicks, long SinceTicks)
{
    /// <summary>Its length.</summary>
    public long Ticks => ToTicks - FromTicks;
}

/// <summary>What a sum of time is made of.</summary>
internal enum SumKind : byte
{
    /// <summary>Runs of an ISR or DPC, put together by routine, owner and speed.</summary>
    Routine,

    /// <summary>A thread.</summary>
    Thread,

    /// <summary>A blackout.</summary>
    Blackout,

    /// <summary>A CPU that idled, or was parked.</summary>
    Scheduler,

    /// <summary>A wait for a lock or for another CPU.</summary>
    Spin,

    /// <summary>Code of a thread that should have given way, by the sample that shows it.</summary>
    Lower,
}

/// <summary>Tells the sums of an episode apart.</summary>
/// <param name="Kind">What it is made of.</param>
/// <param name="Number">Number of the group of routines, of the thread, of the sample; 1 for parked CPUs.</param>
/// <param name="Priority">The thread's priority; else 0.</param>
/// <param name="Object">The blackout, or the wait; else null.</param>
internal readonly record struct CauseKey(SumKind Kind, long Number, sbyte Priority = 0, object? Object = null);

/// <summary>The time of one cause in the stretch that is accounted for.</summary>
internal sealed class CauseSum
{
    private readonly List<CauseStretch> _stretches = [];

    /// <summary>All of it, in ticks.</summary>
    public long Ticks { get; private set; }

    /// <summary>When it began, in ticks.</summary>
    public long AtTicks { get; private set; } = long.MaxValue;

    /// <summary>Its stretches, by time, as far as they were kept.</summary>
    public IReadOnlyList<CauseStretch> Stretches => _stretches;

    /// <summary>Adds a stretch; one that goes on where the last ended makes that longer.</summary>
    /// <param name="stretch">The stretch.</param>
    /// <param name="mayKeep">Whether one more may be kept.</param>
    /// <returns>How many more are kept, 0 or 1; -1 where it had to be left out.</returns>
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

/// <summary>
/// Adds up, while an episode is accounted for, the time of each cause and the stretches it consists of. Memory is bounded.
/// </summary>
internal sealed class CauseSums
{
    /// <summary>So many stretches are kept of one stretch that is accounted for.</summary>
    private const int MostAtOnce = 8_192;

    /// <summary>So many are kept of a trace.</summary>
    private const int Most = 1_000_000;

    private readonly Dictionary<CauseKey, CauseSum> _sums = [];
    private int _atOnce;
    private int _all;

    /// <summary>Whether stretches were not kept since <see cref="Clear"/>.</summary>
    public bool IsCut { get; private set; }

    /// <summary>The sums, in the order in which they began.</summary>
    public IReadOnlyDictionary<CauseKey, CauseSum> All => _sums;

    /// <summary>Begins anew.</summary>
    public void Clear()
    {
        _sums.Clear();
        _atOnce = 0;
        IsCut = false;
    }

    /// <summary>Adds a stretch.</summary>
    /// <param name="key">Of which cause.</param>
    /// <param name="stretch">The stretch.</param>
    /// <returns>The sum of the cause.</returns>
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
