namespace Tracer.Analysis.Machine;

/// <summary>
/// The DPCs in queues. An enqueue is matched to the execution by its key, the address of the DPC object. An object can be in one queue
/// only, so that a second enqueue of a key means that the record of the first execution is missing. Bounded: the oldest entries are
/// discarded.
/// </summary>
/// <param name="cpus">Upper limit of the number of CPUs whose DPCs are kept after they left their queue.</param>
internal sealed class DpcQueues(int cpus = 0)
{
    /// <summary>Most queued DPCs that are kept: no machine has more, but a damaged trace may.</summary>
    public const int MostQueued = 1 << 14;

    /// <summary>Most DPCs of a CPU that are kept after they left their queue.</summary>
    private const int MostStarts = 1 << 12;

    /// <summary>
    /// So many before a DPC may be asked about when a round more has been read than is looked at: then no answer depends on the rounds.
    /// </summary>
    private const int MostAsked = MostStarts - Rings.EventsAhead;

    private readonly Ring<DpcStart> _none = new(0);
    private readonly Ring<DpcStart>?[] _starts = new Ring<DpcStart>?[cpus];
    private readonly Dictionary<ulong, QueuedDpc> _queued = [];

    /// <summary>The keys in order of their enqueues; those executed since are skipped.</summary>
    private readonly Ring<(ulong Key, long Ticks)> _order = new(4 * MostQueued);

    /// <summary>Number of DPCs in queues, as far as they are still kept.</summary>
    public int Count => _queued.Count;

    /// <summary>Number of DPCs that were discarded before they executed.</summary>
    public long Forgotten { get; private set; }

    public void Enqueued(ulong key, in QueuedDpc dpc)
    {
        _queued[key] = dpc with { Key = key };
        _order.Add((key, dpc.Ticks));
        while (_queued.Count > MostQueued || _order.Count == 4 * MostQueued)
        {
            (ulong oldest, long ticks) = _order[_order.First];
            _order.ForgetBefore(_order.First + 1);
            if (_queued.TryGetValue(oldest, out QueuedDpc known) && known.Ticks == ticks)
            {
                _queued.Remove(oldest);
                Forgotten++;
            }
        }
    }

    /// <summary>DPCs of a CPU that left their queue and whose enqueue was recorded, in order of time.</summary>
    public Ring<DpcStart> StartsOf(int cpu) => _starts[cpu] ?? _none;

    /// <summary>Adds a DPC that left its queue, in order of time.</summary>
    public void Started(int cpu, in DpcStart start) => (_starts[cpu] ??= new Ring<DpcStart>(MostStarts)).Add(in start);

    /// <summary>The enqueue of a DPC that has run; null where it was not recorded.</summary>
    public QueuedDpc? QueuedOf(int cpu, in LevelSpan dpc)
    {
        Ring<DpcStart> starts = StartsOf(cpu);
        long number = starts.FirstAfter(dpc.StartTicks) - 1;

        // Only the routine that last left the queue can be this one.
        return number >= starts.First && starts[number] is var start && start.Routine == dpc.Routine ? start.Queued : null;
    }

    /// <summary>
    /// Whether the first DPC of its routine that left the queue within a time before a DPC began had waited so long; null where none did.
    /// </summary>
    /// <param name="leastTicks">That time, in ticks.</param>
    public bool? WasPending(int cpu, in LevelSpan dpc, long leastTicks)
    {
        Ring<DpcStart> starts = StartsOf(cpu);
        long next = starts.FirstAfter(dpc.StartTicks);
        for (long start = Math.Max(starts.FirstAfter(dpc.StartTicks - leastTicks), next - MostAsked); start < next; start++)
        {
            if (starts[start].Routine == dpc.Routine)
            {
                return dpc.StartTicks - starts[start].Queued.Ticks >= leastTicks;
            }
        }

        return null;
    }

    /// <summary>Notes that a DPC object was taken from its queue.</summary>
    public bool TryTake(ulong key, long ticks, out QueuedDpc dpc) => _queued.Remove(key, out dpc) && dpc.Ticks <= ticks;
}

internal struct QueuedDpc
{
    /// <summary>Low importance: the DPC may wait until the queue is long or the processor idles.</summary>
    public const byte Low = 0;

    /// <summary>Medium importance: on another processor the DPC may wait likewise.</summary>
    public const byte Medium = 1;

    /// <summary>Time of the enqueue, in ticks.</summary>
    public long Ticks;

    /// <summary>Address of the DPC object.</summary>
    public ulong Key;

    public int Cpu;

    /// <summary>The processor in whose queue the DPC is, according to the record.</summary>
    public int TargetCpu;

    public int Depth;

    /// <summary>Importance: 0 low, 1 medium, 2 high, 3 medium to high.</summary>
    public byte Importance;

    /// <summary>Whether the DPC may by design be left waiting on a processor while that processor runs threads or idles.</summary>
    public readonly bool MayWaitOn(int cpu) => Importance == Low || (Importance == Medium && Cpu != cpu);
}

/// <summary>A DPC whose enqueue is known began to run.</summary>
internal struct DpcStart : ITimed
{
    public readonly long OrderTicks => Ticks;

    public long Ticks;

    public ulong Routine;

    public QueuedDpc Queued;
}
