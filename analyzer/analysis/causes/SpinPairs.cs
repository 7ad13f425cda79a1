namespace Tracer.Analysis;

/// <summary>
/// How often a waiter and a holder ended together. Once may be chance: something ends on some CPU within any 25 us of a busy machine once
/// in some tens of times. That it is the same two each time is not.
/// </summary>
internal sealed class SpinPairs
{
    /// <summary>Pairs that are remembered.</summary>
    private const int MostKept = 4096;

    private readonly Dictionary<(int Waiter, int Holder), SpinPair> _known = [];

    /// <summary>The pair of two; counts one more end that they have in common.</summary>
    /// <param name="waiter">Who waited; null where not known.</param>
    /// <param name="holder">Who is taken for the holder.</param>
    /// <param name="endTicks">When what the holder did ended; null where that was not seen.</param>
    /// <returns>The pair; null where there are too many.</returns>
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
    /// <summary>With so many ends in common chance does not explain them.</summary>
    public const int FewestForLikely = 3;

    /// <summary>Two that ended together so often may be the same two once more where the end tells nothing.</summary>
    private const int FewestForGuess = 2;

    /// <summary>Ends in common that are counted of a pair.</summary>
    private const int MostKept = 64;

    private readonly HashSet<long> _ends = [];

    /// <summary>How often both ended together; several waits for one hold count once, and more than 64 are not counted.</summary>
    public int Times => _ends.Count;

    /// <summary>Whether they did so more often than chance explains.</summary>
    public bool IsRepeated => Times >= FewestForLikely;

    /// <summary>Whether they did so often enough that a wait whose end tells nothing may be taken for one more.</summary>
    public bool IsEstablished => Times >= FewestForGuess;

    /// <summary>Takes an end.</summary>
    public void Add(long endTicks)
    {
        if (_ends.Count < MostKept)
        {
            _ends.Add(endTicks);
        }
    }
}
