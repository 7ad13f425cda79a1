namespace Tracer.Analysis.Machine;

/// <summary>A hard page fault: a page was read from a file because a thread touched it. Times in ticks.</summary>
internal struct HardFault : ITimed
{
    public readonly long OrderTicks => EndTicks;

    /// <summary>When the thread touched the page.</summary>
    public long StartTicks;

    public long EndTicks;

    public uint ThreadId;

    /// <summary>Number of bytes read.</summary>
    public uint Bytes;

    public ulong FileObject;
}

/// <summary>The latest hard faults of all CPUs, sorted by end.</summary>
internal sealed class HardFaults
{
    /// <summary>Most faults that are kept.</summary>
    private const int MostFaults = 1 << 16;

    /// <summary>Most faults examined per query, from the first one that ends after the given time.</summary>
    private const int MostAsked = 4096;

    private readonly Ring<HardFault> _faults = new(MostFaults);

    public void Add(in HardFault fault) => _faults.Add(in fault);

    /// <summary>The longest fault of a thread that was in progress at a time; null where none is known.</summary>
    public HardFault? Find(uint thread, long ticks)
    {
        HardFault? found = null;
        long first = _faults.FirstAfter(ticks - 1);
        for (long number = first; number < Math.Min(_faults.Next, first + MostAsked); number++)
        {
            HardFault fault = _faults[number];
            if (fault.ThreadId == thread && fault.StartTicks <= ticks
                && (found is not { } known || fault.EndTicks - fault.StartTicks > known.EndTicks - known.StartTicks))
            {
                found = fault;
            }
        }

        return found;
    }
}
