namespace Tracer.Symbols.Pdb;

/// <summary>
/// The calls of one procedure whose callees' code stands in it, and which of them is the innermost at each address. By RVA, so that code
/// of the procedure that was put elsewhere is in it too.
/// </summary>
internal sealed class InlineSites
{
    public const int None = -1;

    /// <summary>Deeper ones are left out: a look-up walks from the innermost to the outermost.</summary>
    public const int MaximumDepth = 256;

    private readonly List<Site> _sites = [];
    private readonly List<Row> _rows = [];
    private uint[] _edges = [];
    private int[] _innermost = [];

    /// <summary>Bytes that it takes, about.</summary>
    public int Cost => 64 + (_sites.Count * 16) + (_rows.Count * 16) + (_edges.Length * 8);

    /// <summary>Adds a site with its rows; sites inside it must be added later.</summary>
    /// <param name="record">The record.</param>
    /// <param name="parent">The site around it, or <see cref="None"/>.</param>
    /// <param name="parts">The procedure and the separated parts of it: its RVAs.</param>
    /// <param name="own">Which of the parts the record stands in.</param>
    /// <returns>The number of the site.</returns>
    public int Add(int parent, InlineSiteRecord record, ReadOnlySpan<CodePart> parts, int own)
    {
        int first = _rows.Count;
        var annotations = new BinaryAnnotations(record.Annotations);
        bool isOpen = false;
        for (BinaryAnnotations.Step step; (step = annotations.Next()) != BinaryAnnotations.Step.End;)
        {
            int number = annotations.Part == 0 ? own : annotations.Part;
            if (number >= parts.Length)
            {
                break;
            }

            uint place = unchecked(parts[number].Start + annotations.Place);
            if (isOpen)
            {
                _rows[^1] = _rows[^1] with { End = place };
            }

            isOpen = step == BinaryAnnotations.Step.Begin;
            if (step != BinaryAnnotations.Step.Close)
            {
                uint end = isOpen ? parts[number].End : unchecked(place + annotations.Bytes);
                _rows.Add(new Row(place, end, annotations.Line, annotations.FileOffset));
            }
        }

        Tidy(first);
        _sites.Add(new Site(parent, record.Inlinee, first, _rows.Count - first));
        return _sites.Count - 1;
    }

    /// <summary>Finds the innermost site of each address, when all were added.</summary>
    public void Finish()
    {
        List<Stretch> stretches = [];
        for (int site = 0; site < _sites.Count; site++)
        {
            AddStretches(site, stretches);
        }

        stretches.Sort();
        uint[] places = new uint[stretches.Count * 2];
        for (int i = 0; i < stretches.Count; i++)
        {
            (places[2 * i], places[(2 * i) + 1]) = (stretches[i].Start, stretches[i].End);
        }

        Array.Sort(places);
        var active = new PriorityQueue<Stretch, int>();
        List<uint> edges = new(places.Length);
        List<int> innermost = new(places.Length);
        int next = 0;
        for (int i = 0; i < places.Length; i++)
        {
            if (i > 0 && places[i] == places[i - 1])
            {
                continue;
            }

            for (; next < stretches.Count && stretches[next].Start == places[i]; next++)
            {
                active.Enqueue(stretches[next], -stretches[next].Site);
            }

            while (active.TryPeek(out Stretch top, out _) && top.End <= places[i])
            {
                active.Dequeue();
            }

            int site = active.TryPeek(out Stretch inner, out _) ? inner.Site : None;
            if (innermost.Count == 0 || innermost[^1] != site)
            {
                edges.Add(places[i]);
                innermost.Add(site);
            }
        }

        _edges = [.. edges];
        _innermost = [.. innermost];
        _sites.TrimExcess();
        _rows.TrimExcess();
    }

    /// <summary>
    /// The innermost site that holds an address and is inside sites that all hold it; <see cref="None"/> where none does.
    /// </summary>
    public int Innermost(uint rva)
    {
        int at = Array.BinarySearch(_edges, rva);
        at = at < 0 ? ~at - 1 : at;
        int found = at < 0 ? None : _innermost[at];
        for (int site = found; site != None; site = _sites[site].Parent)
        {
            if (!TryRow(site, rva, out _))
            {
                found = _sites[site].Parent;
            }
        }

        return found;
    }

    public int Parent(int site) => _sites[site].Parent;

    public uint Inlinee(int site) => _sites[site].Inlinee;

    public bool TryRow(int site, uint rva, out Row row)
    {
        int first = _sites[site].FirstRow;
        int low = SortedSearch.FirstNot(first, first + _sites[site].Rows, (_rows, rva), static (at, i) => at._rows[i].Start <= at.rva);
        row = low > first ? _rows[low - 1] : default;
        return rva < row.End;
    }

    /// <summary>Leaves out rows without bytes, and sorts the others where annotations went back.</summary>
    private void Tidy(int first)
    {
        bool isTidy = true;
        for (int i = first; i < _rows.Count; i++)
        {
            isTidy &= _rows[i].End > _rows[i].Start && (i == first || _rows[i - 1].Start <= _rows[i].Start);
        }

        if (!isTidy)
        {
            Row[] tidy = [.. _rows.Skip(first).Where(row => row.End > row.Start).OrderBy(row => row.Start)];
            _rows.RemoveRange(first, _rows.Count - first);
            _rows.AddRange(tidy);
        }
    }

    /// <summary>Rows of one site that follow each other without a gap are one stretch.</summary>
    private void AddStretches(int site, List<Stretch> stretches)
    {
        int end = _sites[site].FirstRow + _sites[site].Rows;
        for (int i = _sites[site].FirstRow; i < end; i++)
        {
            if (stretches.Count > 0 && stretches[^1].Site == site && stretches[^1].End >= _rows[i].Start)
            {
                stretches[^1] = stretches[^1] with { End = Math.Max(stretches[^1].End, _rows[i].End) };
            }
            else
            {
                stretches.Add(new Stretch(_rows[i].Start, _rows[i].End, site));
            }
        }
    }

    /// <summary>Code that stands together.</summary>
    internal readonly record struct CodePart(uint Start, uint End);

    /// <summary>A line of a callee: so many lines behind its first, in that file.</summary>
    internal readonly record struct Row(uint Start, uint End, int Line, uint File);

    private readonly record struct Site(int Parent, uint Inlinee, int FirstRow, int Rows);

    private readonly record struct Stretch(uint Start, uint End, int Site) : IComparable<Stretch>
    {
        public int CompareTo(Stretch other) => Start != other.Start ? Start.CompareTo(other.Start) : Site.CompareTo(other.Site);
    }
}
