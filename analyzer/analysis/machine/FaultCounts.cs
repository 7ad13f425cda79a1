using System.Runtime.InteropServices;
using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Machine;

/// <summary>Hard page faults of the part of the trace that was asked about, by process and file. Memory is bounded.</summary>
internal sealed class FaultCounts
{
    /// <summary>Most pairs of a process and a file that are told apart; further ones count for no known file and process.</summary>
    private const int MostPairs = 1 << 17;

    private readonly Dictionary<(uint? Process, FileLife? File), FaultSum> _sums = [];

    /// <summary>The sums, in no order.</summary>
    public IEnumerable<((uint? Process, FileLife? File) Of, FaultSum Sum)> All => _sums.Select(one => (one.Key, one.Value));

    /// <param name="process">The process that touched the page; null where not known.</param>
    /// <param name="file">The file; null where not known.</param>
    public void Add(uint? process, FileLife? file, in HardFault fault)
    {
        (uint?, FileLife?) key = (process, file);
        if (_sums.Count >= MostPairs && !_sums.ContainsKey(key))
        {
            key = (null, null);
        }

        ref FaultSum sum = ref CollectionsMarshal.GetValueRefOrAddDefault(_sums, key, out _);
        long length = fault.EndTicks - fault.StartTicks;
        sum = sum.With(new FaultSum(1, fault.Bytes, length, length, fault.StartTicks));
    }
}

/// <summary>Some hard page faults. Times in ticks.</summary>
/// <param name="Bytes">Bytes that were read.</param>
/// <param name="MaxAtTicks">When the longest began; of several, the first.</param>
internal readonly record struct FaultSum(long Count, long Bytes, long Ticks, long MaxTicks, long MaxAtTicks)
{
    public FaultSum With(in FaultSum other)
    {
        bool isOther = Count == 0 || other.MaxTicks > MaxTicks || (other.MaxTicks == MaxTicks && other.MaxAtTicks < MaxAtTicks);
        return new FaultSum(
            Count + other.Count,
            Bytes + other.Bytes,
            Ticks + other.Ticks,
            isOther ? other.MaxTicks : MaxTicks,
            isOther ? other.MaxAtTicks : MaxAtTicks);
    }
}
