using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>
/// How often and how long each routine ran, net of the ISRs and DPCs that nest in it; for whom, where a callback of the driver framework
/// or samples inside the run tell; and how long DPCs stood in their queue.
/// </summary>
internal sealed class RoutineCounts
{
    /// <summary>A kernel has a few hundred; a damaged trace may claim any number.</summary>
    private const int MostRoutines = 100_000;

    private readonly Dictionary<Key, Entry> _entries = [];
    private readonly Dictionary<ulong, long> _queueDelays = [];
    private readonly List<Open>[] _open;
    private readonly WaitedRuns _runs;
    private Dictionary<(ulong Routine, bool IsIsr), long>? _runsOf;

    /// <summary>Starts with nothing.</summary>
    /// <param name="cpus">How many CPUs there may be.</param>
    public RoutineCounts(int cpus)
    {
        _open = new List<Open>[cpus];
        _runs = new WaitedRuns(cpus);
    }

    /// <summary>Routines with their times, apart by whom they ran for.</summary>
    public IEnumerable<RoutineCount> All =>
        from entry in _entries
        orderby entry.Key.Routine, entry.Key.Client.Callback, entry.Key.Client.Image, entry.Key.IsIsr
        select new RoutineCount(entry.Key.Routine, entry.Key.Client, entry.Key.IsIsr, entry.Value.Times, entry.Value.AtTicks)
        {
            Facts = entry.Value.Facts,
            Longest = entry.Value.Longest,
        };

    /// <summary>How often a routine ran, for whomever. Asked when all runs are known.</summary>
    /// <param name="routine">Its address.</param>
    /// <param name="isIsr">Whether its runs as an ISR count; else those as a DPC.</param>
    public long RunsOf(ulong routine, bool isIsr) =>
        (_runsOf ??= All.GroupBy(count => (count.Routine, count.IsIsr))
            .ToDictionary(one => one.Key, one => one.Sum(count => count.Times.Count)))
            .GetValueOrDefault((routine, isIsr));

    /// <summary>The longest wait of a routine's DPCs in the queue, in ticks; null where the queue was not recorded.</summary>
    public long? LongestQueued(ulong routine) => _queueDelays.TryGetValue(routine, out long ticks) ? ticks : null;

    /// <summary>Takes an ISR or DPC that nests.</summary>
    /// <param name="cpu">Where it ran.</param>
    /// <param name="span">What ran.</param>
    /// <param name="client">Whom it ran for.</param>
    /// <returns>Its net time in ticks.</returns>
    public long Add(int cpu, in LevelSpan span, RunClient client)
    {
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

    /// <summary>Whether runs during which somebody waited may be missing.</summary>
    public bool MissesWaits => _runs.IsCut;

    /// <summary>A measured thread waited for a CPU: <see cref="WaitedRuns"/>.</summary>
    public void Waited(int cpu, long readyTicks, long ranTicks) => _runs.Waited(cpu, readyTicks, ranTicks);

    /// <summary>Takes what runs in a thread (threaded DPC, passive ISR): its time includes what interrupted it.</summary>
    public void AddInThread(int cpu, ulong routine, bool isIsr, long startTicks, long endTicks) =>
        Count(new Key(routine, RunClient.NotSeen, isIsr), new LongRun(startTicks, endTicks, endTicks - startTicks, cpu));

    /// <summary>A DPC waited in its queue.</summary>
    /// <param name="routine">Its routine.</param>
    /// <param name="ticks">How long, in ticks.</param>
    public void AddQueued(ulong routine, long ticks)
    {
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

            _entries.Add(key, entry = new Entry { AtTicks = run.StartTicks });
        }

        entry.Times.Add(run.NetTicks);
        entry.Longest.Add(in run);
        return entry;
    }

    private readonly record struct Key(ulong Routine, RunClient Client, bool IsIsr);

    private readonly record struct Open(long StartTicks, long EndTicks);

    private sealed class Entry
    {
        public DurationCounts Times { get; } = new();

        public RunFacts Facts { get; } = new();

        public LongestRuns Longest { get; } = new();

        public long AtTicks { get; init; }
    }
}

/// <summary>How often and how long a routine ran.</summary>
/// <param name="Routine">Its address.</param>
/// <param name="Client">Whom it ran for.</param>
/// <param name="IsIsr">Whether it is an ISR; else a DPC.</param>
/// <param name="Times">Its times, net.</param>
/// <param name="AtTicks">When it first ran, in ticks.</param>
internal sealed record RoutineCount(ulong Routine, RunClient Client, bool IsIsr, DurationCounts Times, long AtTicks)
{
    /// <summary>Its longest runs.</summary>
    public required LongestRuns Longest { get; init; }

    /// <summary>Who waited meanwhile.</summary>
    public required RunFacts Facts { get; init; }
}

/// <summary>Whom a run of a routine was for, as far as that run itself shows it.</summary>
/// <param name="Callback">The client's callback that the driver framework announced inside; 0 for none.</param>
/// <param name="Image">Number of the image that samples inside show behind the routine; -1 for none.</param>
internal readonly record struct RunClient(ulong Callback, int Image)
{
    /// <summary>Nothing inside tells.</summary>
    public static RunClient NotSeen { get; } = new(0, -1);
}
