namespace Tracer.Etl.Reading;

/// <summary>
/// Looks for the next place that is a buffer header beyond doubt. What was searched is remembered, so that however often damage makes
/// somebody search, no byte is looked at much more than once.
/// </summary>
/// <param name="health">Counts the work.</param>
/// <param name="window">The input.</param>
/// <param name="rules">What a header must say.</param>
internal sealed class BufferSearch(InputWindow window, BufferRules rules, TraceHealth health)
{
    private const int HeaderBytes = EtlBufferHeader.HeaderBytes;

    /// <summary>How far a search looks at first: what is searched is mostly near.</summary>
    private const int FirstLook = 4096;

    /// <summary>So many times the way that it has come, and as many bytes beyond it, a walk may search in all.</summary>
    private const int SearchesOfAByte = 4;
    private const long FreeBytes = 64 * 1024 * 1024;

    /// <summary>No header begins from here on, before <see cref="_clearTo"/>.</summary>
    private long _clearFrom;
    private long _clearTo;
    private bool _isFound;
    private bool _isAtEnd;
    private long _searched;

    /// <summary>Searches an input that can go back, or one that may lose what it passes.</summary>
    /// <param name="from">Where to begin.</param>
    /// <param name="limit">How many bytes to search at most.</param>
    /// <returns>The header's offset; -1 where there is none.</returns>
    public long Find(long from, long limit = long.MaxValue)
    {
        long to = limit > long.MaxValue - from ? long.MaxValue : from + limit;
        long at = Known(from);
        for (int look = FirstLook; !_isFound && !_isAtEnd && at < to && IsAffordable(at); look = Math.Min(4 * look, InputWindow.BlockBytes))
        {
            ReadOnlySpan<byte> bytes = window.Peek(at, look);
            at = Advance(at, bytes, 0, isEnd: bytes.Length < look);
        }

        return _isFound ? _clearTo : -1;
    }

    /// <summary>Searches what a pipe can show without losing the current buffer.</summary>
    /// <returns>The header's offset; -1 where there is none.</returns>
    public long FindInView(long current, int distance)
    {
        long at = Known(current + distance);
        if (!_isFound && !_isAtEnd && IsAffordable(at))
        {
            ReadOnlySpan<byte> bytes = window.Peek(current, BufferHeaderLayout.MaximumBufferBytes);
            Advance(current, bytes, (int)Math.Min(at - current, bytes.Length), isEnd: bytes.Length < BufferHeaderLayout.MaximumBufferBytes);
        }

        return _isFound ? _clearTo : -1;
    }

    private long Known(long from)
    {
        if (from < _clearFrom || from > _clearTo)
        {
            _clearFrom = from;
            _clearTo = from;
            _isFound = false;
            _isAtEnd = false;
        }

        return _clearTo;
    }

    private bool IsAffordable(long at) => _searched <= FreeBytes + (SearchesOfAByte * at);

    private long Advance(long start, ReadOnlySpan<byte> bytes, int at, bool isEnd)
    {
        int found = IndexOfHeader(bytes, at);
        int searched = found < 0 ? Math.Max(at, bytes.Length - HeaderBytes + 1) : found;
        _searched += searched - at;
        health.AddWork(searched - at);
        _isFound = found >= 0;
        _isAtEnd = !_isFound && isEnd;
        return _clearTo = start + searched;
    }

    private int IndexOfHeader(ReadOnlySpan<byte> bytes, int at)
    {
        for (; at + HeaderBytes <= bytes.Length; at++)
        {
            // The state's bytes rule out nearly every place.
            if (bytes[at + BufferHeaderLayout.State] is (byte)BufferHeaderLayout.FlushedState
                && bytes[at + BufferHeaderLayout.State + 1] == 0
                && rules.IsBeyondDoubt(EtlBufferHeader.Read(bytes[at..])))
            {
                return at;
            }
        }

        return -1;
    }
}
