using System.Runtime.InteropServices;

namespace Tracer.Analysis.Machine;

/// <summary>How many samples hit each address; kernel addresses are counted for all processes together.</summary>
/// <param name="cpus">Of so many CPUs this counts the samples of one; 1 where it is the sum.</param>
internal sealed class SampleCounts(int cpus = 1)
{
    /// <summary>Most addresses that are told apart; samples of further addresses count in <see cref="Total"/> only.</summary>
    private const int MostAddresses = 500_000;

    /// <summary>Least number of addresses that are told apart of a CPU, however many CPUs there are.</summary>
    private const int MostOfOne = 10_000;

    private readonly int _most = Math.Max(MostOfOne, MostAddresses / Math.Max(1, cpus));

    private readonly Dictionary<(uint ProcessId, ulong Address), int> _counts = [];

    public long Total { get; private set; }

    /// <summary>The addresses with their numbers of samples, in no order.</summary>
    public IEnumerable<(uint ProcessId, ulong Address, int Count)> All =>
        _counts.Select(count => (count.Key.ProcessId, count.Key.Address, count.Value));

    /// <param name="processId">The process of the address; 0 for a kernel address.</param>
    public void Add(ulong address, uint processId)
    {
        Total++;
        Add((processId, address), 1);
    }

    /// <summary>Adds the samples of another CPU.</summary>
    public void Add(SampleCounts other)
    {
        Total += other.Total;
        foreach (((uint ProcessId, ulong Address) key, int count) in other._counts)
        {
            Add(key, count);
        }
    }

    private void Add((uint ProcessId, ulong Address) key, int count)
    {
        if (_counts.Count < _most || _counts.ContainsKey(key))
        {
            CollectionsMarshal.GetValueRefOrAddDefault(_counts, key, out _) += count;
        }
    }
}
