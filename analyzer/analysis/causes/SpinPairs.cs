using Tracer.Analysis.Owners;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Counts how often a waiter and a holder ended together. Once may be chance: on a busy machine, something ends on some CPU within one of
/// some tens of stretches of 25 us. That the same pair does so again and again is not chance.
/// </summary>
internal sealed class SpinPairs
{
    /// <summary>How many pairs are remembered. It bounds memory.</summary>
    private const int MostKept = 4096;

    private readonly Dictionary<(int Waiter, int Holder), SpinPair> _known = [];

    /// <summary>The pair of a waiter and a holder; counts one more common end.</summary>
    /// <param name="waiter">The module that waited; null where not known.</param>
    /// <param name="endTicks">When the holder's work ended, in ticks; null where no record shows that.</param>
    /// <returns>The pair; null where there are too many pairs.</returns>
    public SpinPair? Of(OwnerFinding? waiter, OwnerFinding holder, long? endTicks)
    {
        var key = (waiter?.Owner?.Number ?? -1, holder.Owner?.Number ?? -1);
        if (!_known.TryGetValue(key, out SpinPair? pair))
        {
            if (_known.Count >= MostKept)
            {
                return null;
            }

            _known.Add(key, pair = new SpinPair());
        }

        if (endTicks is { } end)
        {
            pair.Add(end);
        }

        return pair;
    }
}

/// <summary>A waiter and a holder.</summary>
internal sealed class SpinPair
{
    /// <summary>
    /// Common ends from which a pair is no coincidence, so that the holder is likely. Chance alone rarely repeats the same pair three
    /// times.
    /// </summary>
    public const int FewestForLikely = 3;

    /// <summary>
    /// Common ends from which a pair is taken for the same once more where nothing shows when the holder ended. One such end may be chance.
    /// </summary>
    private const int FewestForGuess = 2;

    /// <summary>How many common ends of a pair are counted. It bounds memory; by then the pair is long proven.</summary>
    private const int MostKept = 64;

    private readonly HashSet<long> _ends = [];

    /// <summary>How often both ended together, at most 64. Several waits for the same hold count once.</summary>
    public int Times => _ends.Count;

    /// <summary>Whether both ended together more often than chance explains.</summary>
    public bool IsRepeated => Times >= FewestForLikely;

    /// <summary>Whether both ended together often enough that a wait without a visible end counts as one more.</summary>
    public bool IsEstablished => Times >= FewestForGuess;

    /// <summary>Adds a common end, in ticks.</summary>
    public void Add(long endTicks)
    {
        if (_ends.Count < MostKept)
        {
            _ends.Add(endTicks);
        }
    }
}
