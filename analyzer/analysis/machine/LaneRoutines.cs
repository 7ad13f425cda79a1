namespace Tracer.Analysis.Machine;

internal sealed class LaneRoutines
{
    /// <summary>Most routines that are tracked, each CPU's by themselves: a kernel has a few hundred, a damaged trace any number.</summary>
    private const int MostOfAll = 400_000;

    /// <summary>So many routines, with a client each, are found without a search; a power of 2.</summary>
    private const int Recent = 64;

    /// <summary>Least number of routines that are tracked on a CPU, however many CPUs there are.</summary>
    private const int MostOfOne = 4096;

    private readonly int _cpu;
    private readonly int _most;
    private readonly RoutineCounts _sum;
    private readonly LaneRecords _records;
    private readonly Dictionary<RoutineKey, Entry> _entries = [];
    private readonly List<Open> _open = [];
    private readonly WaitedRuns _runs;
    private readonly TracePart _part;
    private readonly LaneRoutines? _ofPart;
    private readonly (RoutineKey Key, Entry? Entry)[] _recent = new (RoutineKey, Entry?)[Recent];

    /// <param name="cpus">Number of CPUs that have events.</param>
    /// <param name="sum">The counts of all CPUs; it knows the longest runs.</param>
    /// <param name="records">Takes runs that may be among the longest.</param>
    public LaneRoutines(int cpu, int cpus, RoutineCounts sum, LaneRecords records, TracePart asked)
    {
        _cpu = cpu;
        _most = Math.Max(MostOfOne, MostOfAll / Math.Max(1, cpus));
        _sum = sum;
        _records = records;
        _runs = new WaitedRuns(cpu);
        _part = asked;
        _ofPart = asked.IsWhole ? null : new LaneRoutines(cpu, cpus, sum.Asked, records, TracePart.Whole) { IsOfPart = true };
    }

    /// <summary>The same counts, of what began in the part of the trace that was asked about.</summary>
    public LaneRoutines Asked => _ofPart ?? this;

    /// <summary>Whether runs during which a measured thread waited may be missing.</summary>
    public bool MissesWaits => _runs.IsCut;

    /// <summary>The routines with their times, in no order.</summary>
    public IEnumerable<RoutineCount> All => _entries.Select(entry => new RoutineCount(entry.Key, entry.Value.Times, entry.Value.AtTicks)
    {
        Facts = entry.Value.Facts,
        Longest = entry.Value.Longest,
        PerCpu = entry.Value.PerCpu,
        TimeBins = entry.Value.TimeBins,
    });

    /// <summary>Whether it counts a part only: its longest runs are apart from those of all.</summary>
    private bool IsOfPart { get; init; }

    /// <summary>Adds a run of an ISR or DPC that interrupts a thread or another routine.</summary>
    /// <returns>The net time of the run in ticks.</returns>
    public long Add(in LevelSpan span, RunClient client)
    {
        if (_ofPart is not null && _part.Holds(_cpu, span.StartTicks))
        {
            _ofPart.Add(in span, client);
        }

        long nested = 0;
        while (_open.Count > 0 && _open[^1].EndTicks > span.StartTicks)
        {
            Open inner = _open[^1];
            nested += inner.EndTicks - Math.Max(inner.StartTicks, span.StartTicks);
            _open.RemoveAt(_open.Count - 1);
        }

        const int MostOpen = 4096;
        if (_open.Count >= MostOpen)
        {
            _open.RemoveRange(0, MostOpen / 2);
        }

        _open.Add(new Open(span.StartTicks, span.EndTicks));
        long net = Math.Max(0, span.EndTicks - span.StartTicks - nested);
        if (Count(new RoutineKey(span.Routine, client, span.IsIsr), new LongRun(span.StartTicks, span.EndTicks, net, _cpu)) is { } entry)
        {
            _runs.Ran(span.StartTicks, span.EndTicks, net, entry.Facts);
        }

        return net;
    }

    /// <summary>Adds the wait of a measured thread for the CPU; see <see cref="WaitedRuns"/>.</summary>
    public void Waited(long readyTicks, long ranTicks)
    {
        _runs.Waited(readyTicks, ranTicks);
        _ofPart?._runs.Waited(readyTicks, ranTicks);
    }

    /// <summary>Adds a routine that ran in a thread (threaded DPC, passive-level ISR); its time includes what interrupted it.</summary>
    public void AddInThread(ulong routine, bool isIsr, long startTicks, long endTicks)
    {
        Count(new RoutineKey(routine, RunClient.NotSeen, isIsr), new LongRun(startTicks, endTicks, endTicks - startTicks, _cpu));
        if (_ofPart is not null && _part.Holds(_cpu, startTicks))
        {
            _ofPart.AddInThread(routine, isIsr, startTicks, endTicks);
        }
    }

    /// <summary>A round begins: forgets runs that no wait will be asked about.</summary>
    public void BeginRound()
    {
        _runs.BeginRound();
        _ofPart?._runs.BeginRound();
    }

    private Entry? Count(RoutineKey key, in LongRun run)
    {
        ref (RoutineKey Key, Entry? Entry) recent = ref _recent[PlaceOf(in key)];
        Entry? entry = recent.Entry;
        if (entry is null || key != recent.Key)
        {
            entry = EntryOf(key, run.StartTicks);
            if (entry is null)
            {
                return null;
            }

            recent = (key, entry);
        }

        entry.Times.Add(run.NetTicks);
        entry.PerCpu.Add(_cpu, run.NetTicks);
        entry.TimeBins?.Add(run.StartTicks, run.NetTicks);
        if (run.NetTicks > entry.Longest.CompleteAboveTicks)
        {
            ref LaneRecord record = ref _records.Add(LaneRecordKind.LongRun, run.EndTicks);
            (record.A, record.B, record.Thread, record.IsSo) = (run.StartTicks, run.NetTicks, (uint)entry.LongestNumber, IsOfPart);
        }

        return entry;
    }

    /// <summary>Where a routine's latest client is remembered: routines lie at multiples of 16.</summary>
    private static int PlaceOf(in RoutineKey key) =>
        (int)(((key.Routine >> 4) ^ (key.Routine >> 10) ^ (key.Client.Line.Isr >> 4) ^ key.Client.Line.Vector) & (Recent - 1));

    private Entry? EntryOf(in RoutineKey key, long startTicks)
    {
        if (!_entries.TryGetValue(key, out Entry? entry) && _entries.Count < _most)
        {
            _entries.Add(key, entry = new Entry
            {
                AtTicks = startTicks,
                Longest = _sum.LongestOf(in key, out int number),
                LongestNumber = number,
                TimeBins = _sum.Bins is { } kept ? new RunTimeBins(kept.FromTicks, kept.FirstTicks) : null,
            });
        }

        return entry;
    }

    private readonly record struct Open(long StartTicks, long EndTicks);

    private sealed class Entry
    {
        public DurationCounts Times { get; } = new();

        public RunFacts Facts { get; } = new();

        public PerCpuRuns PerCpu { get; } = new();

        public required LongestRuns Longest { get; init; }

        public required int LongestNumber { get; init; }

        public required long AtTicks { get; init; }

        public RunTimeBins? TimeBins { get; init; }
    }
}
