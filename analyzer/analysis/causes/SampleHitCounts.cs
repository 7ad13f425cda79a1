using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Causes;

/// <summary>Counts the instructions that samples hit during episodes.</summary>
internal sealed class SampleHitCounts(WorkBudget budget)
{
    /// <summary>
    /// Sampled instructions that are kept of one episode, the most frequent ones, once the limit on kept parts per trace is reached. It
    /// bounds memory.
    /// </summary>
    public const int MostAddressesOfMany = 16;

    /// <summary>This many sampled instructions count as one kept part: they are that much smaller.</summary>
    private const int AddressesOfPart = 8;

    private readonly Dictionary<ulong, SampleHits> _hits = [];

    /// <summary>The instructions that samples of a CPU hit during an episode, the most frequent first.</summary>
    public List<SampleHits> Of(CpuHistory cpu, EpisodeCandidate candidate)
    {
        _hits.Clear();
        long first = cpu.FirstSampleFrom(candidate.FromTicks);
        if (!budget.TrySpend(1 + cpu.Samples.FirstAfter(candidate.ToTicks) - first))
        {
            return [];
        }

        for (long number = first; number < cpu.Samples.Next; number++)
        {
            ref CpuSample sample = ref cpu.Samples[number];
            if (sample.Ticks > candidate.ToTicks)
            {
                break;
            }

            int count = _hits.TryGetValue(sample.Instruction, out SampleHits known) ? known.Count : 0;
            _hits[sample.Instruction] = new SampleHits(sample.Instruction, count + 1, count == 0 ? sample.ThreadId : known.ThreadId);
        }

        List<SampleHits> hits = [.. _hits.Values.OrderByDescending(hit => hit.Count).ThenBy(hit => hit.Address)];
        if (hits.Count > MostAddressesOfMany && !budget.TryKeep(hits.Count / AddressesOfPart))
        {
            hits.RemoveRange(MostAddressesOfMany, hits.Count - MostAddressesOfMany);
            hits.TrimExcess();
        }

        return hits;
    }
}
