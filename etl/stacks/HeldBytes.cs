namespace Tracer.Etl.Stacks;

/// <summary>
/// Memory for what is held back, given out and taken back first in, first out. It is taken from the system in segments as more is held,
/// and then used again and again.
/// </summary>
internal sealed class HeldBytes
{
    /// <summary>A segment: more than any record's frames, one by one widened to 8 bytes.</summary>
    public const int SegmentWords = 32 * 1024;

    /// <summary>With one only, all events would have to go before its memory is free again.</summary>
    private const int MinimumSegments = 2;

    private readonly int _maximumSegments;
    private readonly List<ulong[]> _segments = [];
    private readonly Queue<int> _active = [];
    private readonly Stack<int> _free = [];
    private int _last = -1;
    private int _used = SegmentWords;

    /// <param name="maximumBytes">Most memory it may take; two segments are used in any case.</param>
    public HeldBytes(long maximumBytes) =>
        _maximumSegments = (int)Math.Clamp(maximumBytes / (SegmentWords * sizeof(ulong)), MinimumSegments, int.MaxValue);

    /// <summary>Memory taken from the system.</summary>
    public long Bytes => (long)_segments.Count * SegmentWords * sizeof(ulong);

    /// <summary>Gives out memory.</summary>
    /// <param name="words">How many 8-byte words, at most a segment.</param>
    /// <param name="place">Where they are, if there was room.</param>
    /// <returns>False when some has to be taken back first.</returns>
    public bool TryTake(int words, out HeldPlace place)
    {
        if (_used + words > SegmentWords)
        {
            if (_free.Count == 0 && _segments.Count == _maximumSegments)
            {
                place = default;
                return false;
            }

            if (_free.Count == 0)
            {
                _free.Push(_segments.Count);
                _segments.Add(new ulong[SegmentWords]);
            }

            _last = _free.Pop();
            _active.Enqueue(_last);
            _used = 0;
        }

        place = new HeldPlace(_last, _used);
        _used += words;
        return true;
    }

    public Span<ulong> At(HeldPlace place, int words) => _segments[place.Segment].AsSpan(place.Offset, words);

    /// <summary>Takes back what was given out before a place.</summary>
    public void ReturnBefore(HeldPlace place)
    {
        while (_active.Peek() != place.Segment)
        {
            _free.Push(_active.Dequeue());
        }
    }

    /// <summary>Takes back everything.</summary>
    public void ReturnAll()
    {
        while (_active.TryDequeue(out int segment))
        {
            _free.Push(segment);
        }

        _used = SegmentWords;
    }
}

internal readonly record struct HeldPlace(int Segment, int Offset);
