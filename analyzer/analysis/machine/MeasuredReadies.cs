namespace Tracer.Analysis.Machine;

/// <summary>
/// When and by which CPU the threads of measured wake-ups were recently made ready. The CPU that handles the clock interrupt may expire the
/// timers of all CPUs.
/// </summary>
internal sealed class MeasuredReadies
{
    /// <summary>Most readies that are kept.</summary>
    private const int Kept = 1 << 14;

    private readonly HashSet<uint> _threads;
    private readonly Ring<Ready> _readies = new(Kept);

    /// <summary>Creates an empty history.</summary>
    public MeasuredReadies(IEnumerable<uint> threads) => _threads = [.. threads];

    public void Add(uint thread, int cpu, long ticks)
    {
        if (_threads.Count > 0 && _threads.Contains(thread))
        {
            _readies.Add(new Ready { Ticks = ticks, Thread = thread, Cpu = cpu });
        }
    }

    /// <summary>When a thread was last made ready between two times, and by which CPU; null where no record tells.</summary>
    public (long Ticks, int Cpu)? Last(uint thread, long fromTicks, long toTicks)
    {
        for (long number = _readies.FirstAfter(toTicks) - 1; number >= _readies.First && _readies[number].Ticks >= fromTicks; number--)
        {
            if (_readies[number].Thread == thread)
            {
                return (_readies[number].Ticks, _readies[number].Cpu);
            }
        }

        return null;
    }

    private struct Ready : ITimed
    {
        public readonly long OrderTicks => Ticks;

        public long Ticks;

        public uint Thread;

        public int Cpu;
    }
}
