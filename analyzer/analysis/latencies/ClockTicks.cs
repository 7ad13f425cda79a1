using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Latencies;

/// <summary>Learns from one clock tick to the next, from the records of clock interrupts or from what our driver tells.</summary>
internal sealed class ClockTicks(int cpus)
{
    /// <summary>Clock interrupts of a CPU that are kept.</summary>
    private const int Kept = 4096;

    /// <summary>Fewest clock interrupts of a CPU from which their period is learnt.</summary>
    private const int Fewest = 17;

    /// <summary>A distance that differs from the usual by less than this part of it is one tick long.</summary>
    private const int NearPart = 4;

    private readonly Ring<long>?[] _ticks = new Ring<long>?[cpus];

    public void Add(int cpu, long ticks) => (_ticks[cpu] ??= new Ring<long>(Kept)).Add(in ticks);

    /// <summary>
    /// From one clock tick to the next, in nanoseconds: what the driver found, else the mean distance of the clock interrupts that were
    /// recorded last on the CPU that has most of them, but for those that were left out; 0 where neither is there.
    /// </summary>
    public long Nanoseconds(TraceClock clock, TimerStates timers)
    {
        if (timers.OfRuns.Count > 0 && timers.OfRuns[^1].TickNs is > 0 and <= long.MaxValue and ulong told)
        {
            return (long)told;
        }

        if (_ticks.OfType<Ring<long>>().MaxBy(ticks => ticks.Count) is not { Count: >= Fewest } most)
        {
            return 0;
        }

        long[] lengths = new long[most.Count - 1];
        for (int i = 0; i < lengths.Length; i++)
        {
            lengths[i] = clock.NanosecondsOf(most[most.First + i + 1] - most[most.First + i]);
        }

        Array.Sort(lengths);
        long usual = lengths[lengths.Length / 2];
        return (long)Math.Round(lengths.Where(length => Math.Abs(length - usual) <= usual / NearPart).DefaultIfEmpty(0).Average());
    }
}
