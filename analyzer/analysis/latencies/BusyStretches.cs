namespace Tracer.Analysis.Latencies;

/// <summary>
/// When a CPU was busy for others, each moment once. Stretches are told in the order of their ends; what one contains is joined to it.
/// Times in nanoseconds.
/// </summary>
internal sealed class BusyStretches
{
    private readonly List<Stretch> _all = [];

    /// <summary>Stretches that were dropped: the number of the first that is still here.</summary>
    public long First { get; private set; }

    /// <summary>The number behind the last.</summary>
    public long End => First + _all.Count;

    public void Add(long startNs, long endNs)
    {
        while (_all.Count > 0 && _all[^1].EndNs >= startNs)
        {
            startNs = Math.Min(startNs, _all[^1].StartNs);
            endNs = Math.Max(endNs, _all[^1].EndNs);
            _all.RemoveAt(_all.Count - 1);
        }

        long before = _all.Count > 0 ? _all[^1].BusyBefore + (_all[^1].EndNs - _all[^1].StartNs) : 0;
        _all.Add(new Stretch(startNs, endNs, before));
    }

    public void Clear()
    {
        First = End;
        _all.Clear();
    }

    /// <summary>Forgets what ended before a time and is not among those from a number on.</summary>
    public void Forget(long beforeNs, long keepFrom)
    {
        int gone = 0;
        while (gone < _all.Count && _all[gone].EndNs < beforeNs && First + gone < keepFrom)
        {
            gone++;
        }

        // Rarely, so that what moves up costs nothing for each.
        const int Least = 1024;
        if (gone >= Least && gone >= _all.Count / 2)
        {
            _all.RemoveRange(0, gone);
            First += gone;
        }
    }

    public long StartOf(long number) => _all[(int)(number - First)].StartNs;

    /// <summary>How long it was busy between two times.</summary>
    public long BusyIn(long fromNs, long toNs) => BusyUntil(toNs) - BusyUntil(fromNs);

    /// <summary>When so much is done that begins with a stretch and runs only while nobody else does.</summary>
    public double DoneAt(long number, double workNs)
    {
        int i = (int)(number - First);
        long idleBefore = _all[i].StartNs - _all[i].BusyBefore;
        (int low, int high) = (i + 1, _all.Count);
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_all[middle].StartNs - _all[middle].BusyBefore - idleBefore >= workNs)
            {
                high = middle;
            }
            else
            {
                low = middle + 1;
            }
        }

        Stretch last = _all[low - 1];
        return last.EndNs + (workNs - (last.StartNs - last.BusyBefore - idleBefore));
    }

    private long BusyUntil(long ns)
    {
        int after = SortedSearch.FirstNot(0, _all.Count, (_all, ns), static (at, i) => at._all[i].StartNs <= at.ns);
        if (after == 0)
        {
            return _all.Count > 0 ? _all[0].BusyBefore : 0;
        }

        Stretch last = _all[after - 1];
        return last.BusyBefore + Math.Min(ns, last.EndNs) - last.StartNs;
    }

    /// <param name="BusyBefore">How long it was busy before, since the first.</param>
    private readonly record struct Stretch(long StartNs, long EndNs, long BusyBefore);
}
