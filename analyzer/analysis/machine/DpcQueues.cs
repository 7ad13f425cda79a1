namespace Tracer.Analysis;

/// <summary>
/// The DPCs that stand in queues: an enqueue is matched to the execution by its key, the address of the object. A DPC object stands in
/// one queue at most, so a second enqueue of a key means that the record of the first one's execution is missing. Bounded: the oldest are
/// forgotten.
/// </summary>
internal sealed class DpcQueues
{
    /// <summary>No machine has so many DPCs waiting; a damaged trace may.</summary>
    public const int MostQueued = 1 << 14;

    private readonly Dictionary<ulong, QueuedDpc> _queued = [];

    /// <summary>The keys in the order in which they came; those that have executed since are passed over.</summary>
    private readonly Ring<(ulong Key, long Ticks)> _order = new(4 * MostQueued);

    /// <summary>How many DPCs stand in queues, as far as is remembered.</summary>
    public int Count => _queued.Count;

    /// <summary>How many were forgotten before they executed.</summary>
    public long Forgotten { get; private set; }

    /// <summary>A DPC object was put into a queue.</summary>
    public void Enqueued(ulong key, in QueuedDpc dpc)
    {
        _queued[key] = dpc;
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

    /// <summary>A DPC object was taken from its queue.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="ticks">When.</param>
    /// <param name="dpc">How it was put there.</param>
    /// <returns>Whether that is known.</returns>
    public bool TryTake(ulong key, long ticks, out QueuedDpc dpc) => _queued.Remove(key, out dpc) && dpc.Ticks <= ticks;
}

/// <summary>How a DPC was put into its queue.</summary>
internal struct QueuedDpc
{
    /// <summary>Importance low: it may stand there until there are many, or the processor idles.</summary>
    public const byte Low = 0;

    /// <summary>Importance medium: on another processor it may wait too.</summary>
    public const byte Medium = 1;

    /// <summary>When, in ticks.</summary>
    public long Ticks;

    /// <summary>The processor that put it there.</summary>
    public int Cpu;

    /// <summary>The processor whose queue it is, as the record says.</summary>
    public int TargetCpu;

    /// <summary>Length of the queue.</summary>
    public int Depth;

    /// <summary>Importance: 0 low, 1 medium, 2 high, 3 medium to high.</summary>
    public byte Importance;

    /// <summary>Whether it may be left waiting on a processor by design, while that one runs threads or idles.</summary>
    public readonly bool MayWaitOn(int cpu) => Importance == Low || (Importance == Medium && Cpu != cpu);
}

/// <summary>A DPC whose enqueue is known began to execute.</summary>
internal struct DpcStart : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => Ticks;

    /// <summary>When it was taken from its queue, in ticks.</summary>
    public long Ticks;

    /// <summary>Address of its routine.</summary>
    public ulong Routine;

    /// <summary>How it was put there.</summary>
    public QueuedDpc Queued;
}
