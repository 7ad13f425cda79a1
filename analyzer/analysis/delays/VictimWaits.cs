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

    private readonly Dictionary<uint, ThreadWaits> _threads = [];
    private readonly Dictionary<int, UnmeasuredRow> _rows = [];
    private readonly HashSet<int> _cpus = [];
    private (int Ready, int Ran) _lastCpus = (-1, -1);
    private UnmeasuredRow _row;

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
    /// The longest stretch in which more than a quarter of the wake-ups have no record of when a thread was made ready: of all threads, of
    /// those that ran on one CPU, or of one; only of threads of which that is known often enough otherwise. Null where all are too short to
    /// show that records are missing.
    /// </summary>
    public UnmeasuredStretch? UnmeasuredInRow => _threads.Values.Where(waits => waits.Measured >= LeastUnmeasured)
        .Select(waits => waits.Row.Longest).Concat(_rows.Values.Select(row => row.Longest)).Append(_row.Longest)
        .Where(row => row.Count > 0).OrderByDescending(row => row.Count).ThenBy(row => row.FromTicks)
        .Select(row => (UnmeasuredStretch?)row).FirstOrDefault();

    /// <summary>The CPUs that made the victims ready and that ran them.</summary>
    public IReadOnlySet<int> Cpus => _cpus;

    /// <summary>When the first wait began, in ticks.</summary>
    public long FirstTicks { get; private set; } = long.MaxValue;

    /// <summary>When the last wait ended, in ticks.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    public void Add(uint thread, int readyCpu, int ranCpu, long fromTicks, long toTicks)
    {
        Count++;
        ref ThreadWaits waits = ref CountOf(thread);
        waits.Measured++;
        waits.Row.Add();
        _row.Add();
        RowOf(ranCpu).Add();
        if (_lastCpus != (readyCpu, ranCpu))
        {
            _cpus.Add(readyCpu);
            _cpus.Add(ranCpu);
            _lastCpus = (readyCpu, ranCpu);
        }

        FirstTicks = Math.Min(FirstTicks, fromTicks);
        LastTicks = Math.Max(LastTicks, toTicks);
    }

    /// <summary>A victim runs again, and no record tells since when it was ready.</summary>
    public void AddUnmeasured(uint thread, int cpu, long ticks)
    {
        ref ThreadWaits waits = ref CountOf(thread);
        waits.Unmeasured++;
        waits.Row.AddUnmeasured(ticks);
        if (waits.Measured >= LeastUnmeasured)
        {
            _row.AddUnmeasured(ticks);
            RowOf(cpu).AddUnmeasured(ticks);
        }
    }

    private static bool IsMuch(long some, long all) => some >= LeastUnmeasured && some >= LeastPart * all;

    private ref ThreadWaits CountOf(uint thread)
    {
        thread = _threads.Count < MostThreads || _threads.ContainsKey(thread) ? thread : uint.MaxValue;
        return ref CollectionsMarshal.GetValueRefOrAddDefault(_threads, thread, out _);
    }

    private ref UnmeasuredRow RowOf(int cpu) => ref CollectionsMarshal.GetValueRefOrAddDefault(_rows, cpu, out _);

    private struct ThreadWaits
    {
        public long Measured;
        public long Unmeasured;
        public UnmeasuredRow Row;
    }

    /// <summary>Finds the longest stretch of wake-ups of which enough, and at any time more than a quarter, are without a record.</summary>
    private struct UnmeasuredRow
    {
        /// <summary>One without a record weighs as much as so many with one: it is a quarter of them then.</summary>
        private const int Weight = 3;

        private UnmeasuredStretch _row;
        private long _weight;

        /// <summary>The longest; it has none where all are too short to tell.</summary>
        public UnmeasuredStretch Longest { get; private set; }

        public void Add()
        {
            _weight = Math.Max(0, _weight - 1);
            _row = _weight == 0 ? default : _row;
        }

        public void AddUnmeasured(long ticks)
        {
            _weight += Weight;
            _row = new UnmeasuredStretch(_row.Count + 1, _row.Count > 0 ? _row.FromTicks : ticks, ticks);
            if (_weight >= Weight * LeastUnmeasured && _row.Count > Longest.Count)
            {
                Longest = _row;
            }
        }
    }
}

/// <summary>Wake-ups without a record of when the thread was made ready.</summary>
/// <param name="Count">How many.</param>
/// <param name="FromTicks">When the first of the threads ran.</param>
/// <param name="ToTicks">When the last of them did.</param>
internal readonly record struct UnmeasuredStretch(long Count, long FromTicks, long ToTicks);
