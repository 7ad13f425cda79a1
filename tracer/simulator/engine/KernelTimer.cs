using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>
/// A timer of the kernel. It expires with the first clock interrupt of its CPU at or after its due time, once that CPU comes down to
/// DISPATCH_LEVEL: then it queues its DPC and signals its event. Made by <see cref="Machine.AddTimer"/>.
/// </summary>
public sealed class KernelTimer : IBeat
{
    private readonly List<long> _times = [];

    internal KernelTimer(int cpu, Arrivals? schedule, RandomSequence? random, Dpc? dpc)
    {
        Cpu = cpu;
        Schedule = schedule;
        Random = random;
        Dpc = dpc;
    }

    /// <summary>The CPU whose clock it follows.</summary>
    public int Cpu { get; }

    /// <summary>Signalled when it expires; a thread waits for the timer with it.</summary>
    public KernelEvent Expired { get; } = new();

    public long PeriodNs => Schedule?.PeriodNs ?? 0;

    public IReadOnlyList<long> Times => _times;

    public bool HasSlips => Schedule?.HasSlips ?? false;

    /// <summary>When it was due the last time that it expired, in nanoseconds.</summary>
    public long DueNs { get; internal set; }

    internal Dpc? Dpc { get; }

    internal Arrivals? Schedule { get; }

    internal RandomSequence? Random { get; }

    internal void Note(long timeNs)
    {
        if (PeriodNs > 0)
        {
            _times.Add(timeNs);
        }
    }
}
