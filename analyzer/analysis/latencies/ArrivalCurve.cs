namespace Tracer.Analysis.Latencies;

/// <summary>
/// How densely the runs of one routine or program came on one CPU, and how much they took: of each number of runs in a row the least time
/// from the first one's start to the last one's, and the most work. From both follows how much there can be in a window, if it is no worse
/// than what was seen. Memory is bounded. Times in nanoseconds.
/// </summary>
internal sealed class ArrivalCurve
{
    /// <summary>Numbers of runs in a row that are kept: all up to 16, from there on each a quarter larger.</summary>
    private static readonly int[] Sizes = SizesUpTo(16, 1024);

    private readonly List<long> _spans = [];
    private readonly List<long> _works = [];
    private (long StartNs, long WorkBefore)[] _ring = new (long, long)[16];
    private int _row;
    private long _seen;
    private long _work;
    private long _most;
    private long _latestNs = long.MinValue;

    /// <summary>From the start of the longest run to its end, with what interrupted it.</summary>
    public long LongestNs { get; private set; }

    /// <summary>The most work of one run.</summary>
    public long LongestWorkNs => _works.Count > 0 ? _works[0] : 0;

    /// <param name="workNs">What it took itself, without what interrupted it.</param>
    public void Add(long startNs, long endNs, long workNs)
    {
        // Runs are told in the order of their ends. One that others interrupted began before them: counting it later brings it nearer to
        // what follows, and never farther.
        _latestNs = Math.Max(_latestNs, startNs);
        LongestNs = Math.Max(LongestNs, endNs - startNs);
        if (_seen == _ring.Length && _ring.Length < Sizes[^1])
        {
            Array.Resize(ref _ring, _ring.Length * 2);
        }

        _ring[_seen % _ring.Length] = (_latestNs, _work);
        (_seen, _work) = (_seen + 1, _work + workNs);
        _most = Math.Max(_most, _seen);
        for (int i = 0; i < Sizes.Length && Sizes[i] <= _seen; i++)
        {
            (long first, long before) = _ring[(_seen - Sizes[i]) % _ring.Length];
            if (i == _spans.Count)
            {
                _spans.Add(long.MaxValue);
                _works.Add(0);
            }

            _spans[i] = Math.Min(_spans[i], _latestNs - first);
            _works[i] = Math.Max(_works[i], _work - before);
        }
    }

    /// <summary>What is told next is of this row of runs; another one begins where records were missing.</summary>
    public void GoOnIn(int row)
    {
        if (row != _row)
        {
            (_row, _seen, _work, _latestNs) = (row, 0, 0, long.MinValue);
        }
    }

    /// <summary>The most runs of which some part can lie in a window.</summary>
    public double RunsIn(double windowNs)
    {
        // What runs when the window begins may have begun as long before as the longest took.
        double reach = windowNs + LongestNs;
        if (_spans.Count == Sizes.Length && reach >= _spans[^1])
        {
            double whole = _spans[^1] == 0 ? double.PositiveInfinity : Math.Floor(reach / _spans[^1]);
            return double.IsInfinity(whole) ? whole : whole * (Sizes[^1] - 1) + RunsWithin(reach - whole * _spans[^1]);
        }

        return RunsWithin(reach);
    }

    /// <summary>The most work in a window, by the most that so many runs in a row took.</summary>
    public double WorkIn(double windowNs) => Math.Min(windowNs, WorkOf(RunsIn(windowNs)));

    /// <summary>The same, were each run as long as the longest.</summary>
    public double StrictWorkIn(double windowNs) => Math.Min(windowNs, RunsIn(windowNs) * LongestWorkNs);

    private double RunsWithin(double reach)
    {
        int within = 0;
        while (within < _spans.Count && _spans[within] <= reach)
        {
            within++;
        }

        if (within == 0)
        {
            return 0;
        }

        double most = within < _spans.Count ? Sizes[within] - 1 : Math.Min(_most, within < Sizes.Length ? Sizes[within] - 1 : Sizes[^1]);
        (int size, long span) = (Sizes[within - 1], _spans[within - 1]);

        // As many as a window holds in which one more has no room, and those of the rest.
        return most > size && span > 0 ? Math.Min(most, size - 1 + RunsWithin(reach - span)) : most;
    }

    private double WorkOf(double runs)
    {
        if (_works.Count == 0 || runs <= 0)
        {
            return 0;
        }

        double work = 0;
        int last = Sizes[_works.Count - 1];
        if (runs > last)
        {
            double whole = Math.Floor(runs / last);
            work = whole * _works[^1];
            runs -= whole * last;
        }

        while (runs > 0)
        {
            int next = 0;
            while (Sizes[next] < runs)
            {
                next++;
            }

            if (Sizes[next] == runs || next == 0)
            {
                return work + _works[next];
            }

            // As many as the size below and the rest, which can't be more than the size above.
            double parts = _works[next - 1] + WorkOf(runs - Sizes[next - 1]);
            return work + Math.Min(parts, _works[next]);
        }

        return work;
    }

    private static int[] SizesUpTo(int each, int most)
    {
        List<int> sizes = [.. Enumerable.Range(1, each)];
        while (sizes[^1] < most)
        {
            sizes.Add(Math.Min(most, sizes[^1] + sizes[^1] / 4));
        }

        return [.. sizes];
    }
}
