using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>
/// Number and net times of the runs of each routine, that is, without nested ISRs and DPCs; the client a run was for, where a callback of
/// the driver framework or samples in the run show it; and how long DPCs were queued.
/// </summary>
internal sealed class RoutineCounts
{
    /// <summary>Most routines that are tracked: a kernel has a few hundred, but a damaged trace may claim any number.</summary>
    private const int MostRoutines = 100_000;

    private readonly Dictionary<Key, Entry> _entries = [];
    private readonly Dictionary<ulong, long> _queueDelays = [];
    private readonly List<Open>[] _open;
    private readonly WaitedRuns _runs;
    private readonly TracePart _part;
    private readonly RoutineCounts? _ofPart;
    private Dictionary<(ulong Routine, bool IsIsr), long>? _runsOf;
    private (long FromTicks, long FirstTicks)? _bins;

    /// <param name="cpus">Upper limit of the number of CPUs.</param>
    /// <param name="asked">The part that <see cref="Asked"/> counts; null for all.</param>
    public RoutineCounts(int cpus, TracePart? asked = null)
    {
        _part = asked ?? TracePart.Whole;
        _ofPart = _part.IsWhole ? null : new RoutineCounts(cpus);
        _open = new List<Open>[cpus];
        _runs = new WaitedRuns(cpus);
    }

    /// <summary>The same counts, of what began in the part of the trace that was asked about.</summary>
    public RoutineCounts Asked => _ofPart ?? this;

    /// <summary>Keeps the times of routines by bins of time, too.</summary>
    public void KeepTimeBins(long fromTicks, long firstTicks)
    {
        _bins = (fromTicks, firstTicks);
        _ofPart?.KeepTimeBins(fromTicks, firstTicks);
    }

    /// <summary>The routines with their times, separately for each client.</summary>
    public IEnumerable<RoutineCount> All =>
        from entry in _entries
        orderby entry.Key.Routine, entry.Key.Client.Callback, entry.Key.Client.Image, entry.Key.IsIsr
        select new RoutineCount(entry.Key.Routine, entry.Key.Client, entry.Key.IsIsr, entry.Value.Times, entry.Value.AtTicks)
        {
            Facts = entry.Value.Facts,
            Longest = entry.Value.Longest,
            PerCpu = entry.Value.PerCpu,
            TimeBins = entry.Value.TimeBins,
        };

    /// <summary>Number of runs of a routine, for all clients. Valid after all runs were added.</summary>
    /// <param name="isIsr">Whether its runs as an ISR count; else those as a DPC.</param>
    public long RunsOf(ulong routine, bool isIsr) =>
        (_runsOf ??= All.GroupBy(count => (count.Routine, count.IsIsr))
            .ToDictionary(one => one.Key, one => one.Sum(count => count.Times.Count)))
            .GetValueOrDefault((routine, isIsr));

    /// <summary>The longest time that a DPC of a routine was queued, in ticks; null where its enqueues were not recorded.</summary>
    public long? LongestQueued(ulong routine) => _queueDelays.TryGetValue(routine, out long ticks) ? ticks : null;

    /// <summary>Adds a run of an ISR or DPC that interrupts a thread or another routine.</summary>
    /// <returns>The net time of the run in ticks.</returns>
    public long Add(int cpu, in LevelSpan span, RunClient client)
    {
        if (_ofPart is not null && _part.Holds(cpu, span.StartTicks))
        {
            _ofPart.Add(cpu, in span, client);
        }

        List<Open> open = _open[cpu] ??= [];
        long nested = 0;
        while (open.Count > 0 && open[^1].EndTicks > span.StartTicks)
        {
            Open inner = open[^1];
            nested += inner.EndTicks - Math.Max(inner.StartTicks, span.StartTicks);
            open.RemoveAt(open.Count - 1);
        }

        const int MostOpen = 4096;
        if (open.Count >= MostOpen)
        {
            open.RemoveRange(0, MostOpen / 2);
        }

        open.Add(new Open(span.StartTicks, span.EndTicks));
        long net = Math.Max(0, span.EndTicks - span.StartTicks - nested);
        if (Count(new Key(span.Routine, client, span.IsIsr), new LongRun(span.StartTicks, span.EndTicks, net, cpu)) is { } entry)
        {
            _runs.Ran(cpu, span.StartTicks, span.EndTicks, net, entry.Facts);
        }

        return net;
    }

    /// <summary>Whether runs during which a measured thread waited may be missing.</summary>
    public bool MissesWaits => _runs.IsCut;

    /// <summary>Adds the wait of a measured thread for a CPU; see <see cref="WaitedRuns"/>.</summary>
    public void Waited(int cpu, long readyTicks, long ranTicks)
    {
        _runs.Waited(cpu, readyTicks, ranTicks);
        _ofPart?._runs.Waited(cpu, readyTicks, ranTicks);
    }

    /// <summary>Adds a routine that ran in a thread (threaded DPC, passive-level ISR); its time includes what interrupted it.</summary>
    public void AddInThread(int cpu, ulong routine, bool isIsr, long startTicks, long endTicks)
    {
        Count(new Key(routine, RunClient.NotSeen, isIsr), new LongRun(startTicks, endTicks, endTicks - startTicks, cpu));
        if (_ofPart is not null && _part.Holds(cpu, startTicks))
        {
            _ofPart.AddInThread(cpu, routine, isIsr, startTicks, endTicks);
        }
    }

    /// <summary>Adds the time that a DPC was queued.</summary>
    public void AddQueued(int cpu, ulong routine, long queuedTicks, long startTicks)
    {
        if (_ofPart is not null && _part.Holds(cpu, queuedTicks))
        {
            _ofPart.AddQueued(cpu, routine, queuedTicks, startTicks);
        }

        long ticks = startTicks - queuedTicks;
        if (_queueDelays.Count < MostRoutines || _queueDelays.ContainsKey(routine))
        {
            ref long longest = ref CollectionsMarshal.GetValueRefOrAddDefault(_queueDelays, routine, out _);
            longest = Math.Max(longest, ticks);
        }
    }

    private Entry? Count(Key key, in LongRun run)
    {
        if (!_entries.TryGetValue(key, out Entry? entry))
        {
            if (_entries.Count >= MostRoutines)
            {
                return null;
            }

            _entries.Add(key, entry = new Entry
            {
                AtTicks = run.StartTicks,
                TimeBins = _bins is { } kept ? new RunTimeBins(kept.FromTicks, kept.FirstTicks) : null,
            });
        }

        entry.Times.Add(run.NetTicks);
        entry.Longest.Add(in run);
        entry.PerCpu.Add(run.Cpu, run.NetTicks);
        entry.TimeBins?.Add(run.StartTicks, run.NetTicks);
        return entry;
    }

    private readonly record struct Key(ulong Routine, RunClient Client, bool IsIsr);

    private readonly record struct Open(long StartTicks, long EndTicks);

    private sealed class Entry
    {
        public DurationCounts Times { get; } = new();

        public RunFacts Facts { get; } = new();

        public LongestRuns Longest { get; } = new();

        public PerCpuRuns PerCpu { get; } = new();

        public long AtTicks { get; init; }

        public RunTimeBins? TimeBins { get; init; }
    }
}

/// <summary>Number and times of the runs of a routine.</summary>
/// <param name="IsIsr">Whether it is an ISR; else a DPC.</param>
/// <param name="AtTicks">Start of the first run, in ticks.</param>
internal sealed record RoutineCount(ulong Routine, RunClient Client, bool IsIsr, DurationCounts Times, long AtTicks)
{
    public required LongestRuns Longest { get; init; }

    public required PerCpuRuns PerCpu { get; init; }

    /// <summary>Their time by bins; null where those are not kept.</summary>
    public RunTimeBins? TimeBins { get; init; }

    /// <summary>Which measured threads waited during the runs.</summary>
    public required RunFacts Facts { get; init; }
}

/// <summary>The client that a run of a routine was for, as far as that run itself shows it.</summary>
/// <param name="Callback">Address of the client's callback that the driver framework announced during the run; 0 for none.</param>
/// <param name="Image">Number of the image that samples in the run show as the client; -1 for none.</param>
internal readonly record struct RunClient(ulong Callback, int Image)
{
    /// <summary>Nothing in the run shows the client.</summary>
    public static RunClient NotSeen { get; } = new(0, -1);
}
