using System.Runtime.InteropServices;

namespace Tracer.Analysis.Delays;

/// <summary>The measured waits of victims, short and long: how many, whose, on which CPUs, over which time.</summary>
internal sealed class VictimWaits
{
    /// <summary>Most threads that are told apart: beyond them they are only not counted.</summary>
    private const int MostThreads = 1 << 16;

    /// <summary>Of so many wake-ups of a thread without a record of who made it ready, records are missing.</summary>
    private const int LeastUnmeasured = 20;

    /// <summary>They are at least this part of all its wake-ups; a few are missing in any trace.</summary>
    private const double LeastPart = 0.25;

    private readonly Dictionary<uint, (long Measured, long Unmeasured)> _threads = [];
    private readonly HashSet<int> _cpus = [];
    private long _row;

    public long Count { get; private set; }

    public int Threads => _threads.Values.Count(waits => waits.Measured > 0);

    /// <summary>
    /// The thread of which the most wake-ups are without a record of who made it ready, where that is no small part of them: how many of
    /// how many; null for none.
    /// </summary>
    public (uint Thread, long Unmeasured, long All)? Unmeasured => _threads
        .Where(one => IsMuch(one.Value.Unmeasured, one.Value.Measured + one.Value.Unmeasured))
        .OrderByDescending(one => one.Value.Unmeasured).ThenBy(one => one.Key)
        .Select(one => ((uint, long, long)?)(one.Key, one.Value.Unmeasured, one.Value.Measured + one.Value.Unmeasured)).FirstOrDefault();

    /// <summary>
    /// How many wake-ups in a row have no record of when a thread was made ready, of threads of which that was known often enough before;
    /// null where they are too few to show that records are missing.
    /// </summary>
    public long? UnmeasuredInRow { get; private set; }

    /// <summary>The CPUs that made the victims ready and that ran them.</summary>
    public IReadOnlySet<int> Cpus => _cpus;

    /// <summary>When the first wait began, in ticks.</summary>
    public long FirstTicks { get; private set; } = long.MaxValue;

    /// <summary>When the last wait ended, in ticks.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    /// <param name="readyCpu">The CPU that made the thread ready.</param>
    public void Add(uint thread, int readyCpu, int ranCpu, long fromTicks, long toTicks)
    {
        Count++;
        _row = 0;
        CountOf(thread).Measured++;
        _cpus.Add(readyCpu);
        _cpus.Add(ranCpu);
        FirstTicks = Math.Min(FirstTicks, fromTicks);
        LastTicks = Math.Max(LastTicks, toTicks);
    }

    /// <summary>A victim runs again, and no record tells since when it was ready.</summary>
    public void AddUnmeasured(uint thread)
    {
        ref (long Measured, long Unmeasured) waits = ref CountOf(thread);
        waits.Unmeasured++;
        if (waits.Measured >= LeastUnmeasured && ++_row >= LeastUnmeasured)
        {
            UnmeasuredInRow = Math.Max(UnmeasuredInRow ?? 0, _row);
        }
    }

    private static bool IsMuch(long some, long all) => some >= LeastUnmeasured && some >= LeastPart * all;

    private ref (long Measured, long Unmeasured) CountOf(uint thread)
    {
        thread = _threads.Count < MostThreads || _threads.ContainsKey(thread) ? thread : uint.MaxValue;
        return ref CollectionsMarshal.GetValueRefOrAddDefault(_threads, thread, out _);
    }
}
