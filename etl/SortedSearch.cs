namespace Tracer;

/// <summary>
/// Binary search over whatever has numbers and is sorted: the one of its kind, compiled into each project that needs it. The hot paths
/// of reading (<c>MergeCursor</c>, <c>Ring</c>) have it written out, for the sake of a call.
/// </summary>
internal static class SortedSearch
{
    /// <summary>The first number for which something no longer holds.</summary>
    /// <param name="to">The one behind the last.</param>
    /// <param name="from">The first number that is asked.</param>
    /// <param name="state">Is handed to the question, so that it needs to capture nothing.</param>
    /// <param name="holds">Holds up to some number, and for none behind it.</param>
    /// <returns><paramref name="to"/> where it holds for all.</returns>
    public static int FirstNot<TState>(int from, int to, TState state, Func<TState, int, bool> holds)
    {
        while (from < to)
        {
            int middle = (from + to) >>> 1;
            (from, to) = holds(state, middle) ? (middle + 1, to) : (from, middle);
        }

        return from;
    }
}
