namespace Tracer.Analysis.Facts;

/// <summary>Finds the lifetime of an id that is valid at a given time.</summary>
/// <param name="fromTicks">The start of each lifetime, sorted by id and then by time.</param>
internal sealed class LivesById(long[] fromTicks)
{
    private readonly Dictionary<uint, (int First, int Count)> _ranges = [];

    /// <summary>Adds the next lifetime, of the same id as the previous one or of another.</summary>
    public void Add(uint id, int index) =>
        _ranges[id] = _ranges.TryGetValue(id, out (int First, int Count) range) ? (range.First, range.Count + 1) : (index, 1);

    /// <summary>
    /// The last lifetime of an id that had started by a given time, even if it has ended: what a thread does after its end record is still
    /// the thread's, and a reused id has a start record.
    /// </summary>
    /// <returns>The lifetime's index; -1 where there is none.</returns>
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
