using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Owners;

/// <summary>
/// Examines the samples of all CPUs a little after they were taken: by then their stacks are known, and the ISRs and DPCs around them have
/// returned. Counts whose code runs how often, and which drivers the system threads work for.
/// </summary>
internal sealed class SettledSamples
{
    private readonly CpuHistory?[] _cpus;
    private readonly SampleShares _shares;
    private readonly ThreadOwners _threads;
    private readonly long[] _next;

    public SettledSamples(CpuHistory?[] cpus, SampleShares shares, ThreadOwners threads)
    {
        _cpus = cpus;
        _shares = shares;
        _threads = threads;
        _next = new long[cpus.Length];
    }

    /// <summary>Examines the samples up to a time.</summary>
    public void Settle(long untilTicks)
    {
        foreach (CpuHistory? cpu in _cpus)
        {
            if (cpu is null)
            {
                continue;
            }

            ref long next = ref _next[cpu.Cpu];
            for (next = Math.Max(next, cpu.Samples.First); next < cpu.Samples.Next && cpu.Samples[next].Ticks <= untilTicks; next++)
            {
                ref CpuSample sample = ref cpu.Samples[next];
                if (sample.IsLatency)
                {
                    continue;
                }

                _shares.Add(cpu, in sample);
                if (_threads.MayCount(in sample) && cpu.SpanAt(sample.Ticks) < 0)
                {
                    _threads.Add(cpu, in sample);
                }
            }
        }
    }
}
