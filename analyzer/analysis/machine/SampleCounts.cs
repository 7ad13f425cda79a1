using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>How many samples hit each address; kernel addresses are counted for all processes together.</summary>
internal sealed class SampleCounts
{
    /// <summary>Most addresses that are told apart; samples of further addresses count in <see cref="Total"/> only.</summary>
    private const int MostAddresses = 500_000;

    private readonly Dictionary<(uint ProcessId, ulong Address), int> _counts = [];

    public long Total { get; private set; }

    /// <summary>The addresses with their numbers of samples, in no order.</summary>
    public IEnumerable<(uint ProcessId, ulong Address, int Count)> All =>
        _counts.Select(count => (count.Key.ProcessId, count.Key.Address, count.Value));

    /// <param name="processId">The process of the address; 0 for a kernel address.</param>
    public void Add(ulong address, uint processId)
    {
        Total++;
        if (_counts.Count >= MostAddresses && !_counts.ContainsKey((processId, address)))
        {
            return;
        }

        CollectionsMarshal.GetValueRefOrAddDefault(_counts, (processId, address), out _)++;
    }
}
