namespace Tracer.Analysis;

/// <summary>A page that was read from a file because a thread touched it. Times in ticks.</summary>
internal struct HardFault : ITimed
{
    /// <inheritdoc/>
    public readonly long OrderTicks => EndTicks;

    /// <summary>When the page was touched.</summary>
    public long StartTicks;

    /// <summary>When it was there.</summary>
    public long EndTicks;

    /// <summary>The thread that touched it.</summary>
    public uint ThreadId;

    /// <summary>Bytes that were read.</summary>
    public uint Bytes;

    /// <summary>The file's object.</summary>
    public ulong FileObject;
}

/// <summary>The latest hard faults of all CPUs, by end.</summary>
internal sealed class HardFaults
{
    /// <summary>Faults that are remembered.</summary>
    private const int MostFaults = 1 << 16;

    /// <summary>So many faults that end behind a time are looked at.</summary>
    private const int MostAsked = 4096;

    private readonly Ring<HardFault> _faults = new(MostFaults);

    /// <summary>Takes one.</summary>
    public void Add(in HardFault fault) => _faults.Add(in fault);

    /// <summary>The fault of a thread that was going on at a time, the longest; null where none is known.</summary>
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
