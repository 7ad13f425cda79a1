namespace Tracer.TracerCommand.Commands.Monitor;

/// <summary>
/// What of a routine's time on one CPU was its own. A record is written when its routine returns, so that what interrupted it is known by
/// then: the records since its entry.
/// </summary>
internal sealed class NestedTime
{
    /// <summary>More routines that ended and may lie in one that still runs are not remembered; interrupts nest a few levels.</summary>
    private const int MostEnded = 256;

    private readonly (long Begin, long End)[] _ended = new (long, long)[MostEnded];
    private int _count;

    /// <summary>Takes a routine that returned.</summary>
    /// <param name="begin">Its first instruction, in ticks.</param>
    /// <returns>Its own time in ticks, without what ran within it.</returns>
    public long OwnOf(long begin, long end)
    {
        long inner = 0;
        while (_count > 0 && _ended[_count - 1].Begin >= begin)
        {
            (long from, long to) = _ended[--_count];
            inner += Math.Min(to, end) - from;
        }

        if (_count == MostEnded)
        {
            // What ended longest ago lies in nothing that matters any more.
            Array.Copy(_ended, MostEnded / 2, _ended, 0, MostEnded / 2);
            _count = MostEnded / 2;
        }

        _ended[_count++] = (begin, end);
        return Math.Max(0, end - begin - inner);
    }
}
