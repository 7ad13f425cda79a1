using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>How many samples hit each address; the kernel's of all processes together.</summary>
internal sealed class SampleCounts
{
    /// <summary>Different addresses that are told apart; what is beyond is counted in <see cref="Total"/> only.</summary>
    private const int MostAddresses = 500_000;

    private readonly Dictionary<(uint ProcessId, ulong Address), int> _counts = [];

    /// <summary>All samples.</summary>
    public long Total { get; private set; }

    /// <summary>Addresses with the number of their samples, in no order.</summary>
    public IEnumerable<(uint ProcessId, ulong Address, int Count)> All =>
        _counts.Select(count => (count.Key.ProcessId, count.Key.Address, count.Value));

    /// <summary>Counts a sample.</summary>
    /// <param name="address">What it hit.</param>
    /// <param name="processId">Its process; 0 for the kernel's addresses.</param>
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
