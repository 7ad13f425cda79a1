namespace Tracer.Symbols;

/// <summary>Something in an image that is damaged or against the format. What lies beside it was still read.</summary>
/// <param name="Offset">Where it stands in the bytes.</param>
/// <param name="Problem">What is odd about it, in words.</param>
public readonly record struct PeOddity(long Offset, string Problem);

/// <summary>Collects oddities, no more than anybody reads: a hostile image could have millions.</summary>
internal sealed class PeOddityList
{
    private const int MaximumCount = 64;

    private readonly Lock _lock = new();
    private readonly List<PeOddity> _oddities = [];

    public void Add(long offset, string problem)
    {
        lock (_lock)
        {
            if (_oddities.Count < MaximumCount)
            {
                _oddities.Add(new PeOddity(offset, _oddities.Count < MaximumCount - 1 ? problem : "and more, not listed"));
            }
        }
    }

    public PeOddity[] ToArray()
    {
        lock (_lock)
        {
            return [.. _oddities];
        }
    }
}
