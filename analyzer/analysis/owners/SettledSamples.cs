using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Examines the samples of a CPU a little after they were taken: by then their stacks are known, and the ISRs and DPCs around them have
/// returned. Counts whose code runs how often, and which drivers the system threads work for.
/// </summary>
/// <param name="cpus">Upper limit of the number of CPUs.</param>
internal sealed class SettledSamples(int cpus, SampleShares shares, ThreadOwners threads)
{
    private readonly long[] _next = new long[cpus];

    /// <summary>Examines the samples of a CPU for which enough was read behind them.</summary>
    /// <param name="untilTicks">All events of the CPU before this time have been read, in ticks.</param>
    /// <param name="lagTicks">An ISR or DPC around a sample counts if it returned within this time after it.</param>
    public void Settle(CpuHistory cpu, long untilTicks, long lagTicks)
    {
        ref long next = ref _next[cpu.Cpu];
        for (next = Math.Max(next, cpu.Samples.First); next < cpu.Samples.Next; next++)
        {
            ref CpuSample sample = ref cpu.Samples[next];
            if (sample.Ticks > untilTicks - lagTicks)
            {
                return;
            }

            if (sample.IsLatency)
            {
                continue;
            }

            bool isAtLevel = !threads.MayCount(in sample)
                || (cpu.SpanAt(sample.Ticks) is >= 0 and var span && cpu.Spans[span].EndTicks < sample.Ticks + lagTicks);
            shares.Add(cpu, in sample, isAtLevel);
            if (!isAtLevel)
            {
                threads.Add(cpu, in sample);
            }
        }
    }
}
