namespace Tracer.Analysis.Delays;

/// <summary>The measured waits of victims, short and long: how many, whose, on which CPUs, over which time.</summary>
internal sealed class VictimWaits
{
    /// <summary>Most threads that are told apart: beyond them they are only not counted.</summary>
    private const int MostThreads = 1 << 16;

    private readonly HashSet<uint> _threads = [];
    private readonly HashSet<int> _cpus = [];

    public long Count { get; private set; }

    /// <summary>The threads that waited.</summary>
    public int Threads => _threads.Count;

    /// <summary>The CPUs that made the victims ready and that ran them.</summary>
    public IReadOnlySet<int> Cpus => _cpus;

    /// <summary>When the first wait began, in ticks.</summary>
    public long FirstTicks { get; private set; } = long.MaxValue;

    /// <summary>When the last wait ended, in ticks.</summary>
    public long LastTicks { get; private set; } = long.MinValue;

    /// <param name="readyCpu">The CPU that made the thread ready.</param>
    /// <param name="ranCpu">The CPU that ran it.</param>
    public void Add(uint thread, int readyCpu, int ranCpu, long fromTicks, long toTicks)
    {
        Count++;
        if (_threads.Count < MostThreads)
        {
            _threads.Add(thread);
        }

        _cpus.Add(readyCpu);
        _cpus.Add(ranCpu);
        FirstTicks = Math.Min(FirstTicks, fromTicks);
        LastTicks = Math.Max(LastTicks, toTicks);
    }
}
