namespace Tracer.Analysis;

/// <summary>Finds the one of several lives of an id that counts at a time.</summary>
/// <param name="fromTicks">When each life began; by id, then by time.</param>
internal sealed class LivesById(long[] fromTicks)
{
    private readonly Dictionary<uint, (int First, int Count)> _ranges = [];

    /// <summary>Adds the next life, of the same id as the last one or of another.</summary>
    public void Add(uint id, int index) =>
        _ranges[id] = _ranges.TryGetValue(id, out (int First, int Count) range) ? (range.First, range.Count + 1) : (index, 1);

    /// <summary>
    /// The last life that had begun by then, also where it has ended: what a thread does after its end record is still the thread's, and an
    /// id that is used again is announced.
    /// </summary>
    /// <returns>Its index; -1 where there is none.</returns>
    public int Find(uint id, long ticks)
    {
        if (!_ranges.TryGetValue(id, out (int First, int Count) range))
        {
            return -1;
        }

        int low = SortedSearch.FirstNot(
            range.First, range.First + range.Count, (fromTicks, ticks), static (at, i) => at.fromTicks[i] <= at.ticks);
        return low > range.First ? low - 1 : -1;
    }
}
