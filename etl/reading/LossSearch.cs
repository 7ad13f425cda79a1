namespace Tracer.Etl.Reading;

/// <summary>
/// Finds where in time events may be missing. Each answer is as narrow as the file allows, but never too narrow: it holds whatever is
/// missing.
/// </summary>
/// <remarks>
/// A buffer gets its number when a CPU takes it into use, and a CPU has one in use at a time. So a buffer with a
/// missing number was taken into use behind all that have lower numbers and before all that have higher ones; a CPU that still filled
/// an earlier buffer by then did not have it; and what it held lies between the last event of its CPU's buffer with a lower number
/// and the first event of the one with a higher number.
/// </remarks>
internal sealed class LossSearch : IDisposable
{
    /// <summary>A gap so wide is a damaged number.</summary>
    private const long WidestGap = 1_000_000;

    /// <summary>So many losses are told apart; a trace with more counts as lost altogether.</summary>
    private const int MaximumLosses = 1 << 18;

    /// <summary>
    /// So many times a CPU is asked whether it may have had a missing buffer; with more CPUs and gaps the trace counts as lost altogether.
    /// </summary>
    private const long MaximumQuestions = 1 << 24;

    /// <summary>So many appended parts are told apart.</summary>
    private const int MaximumParts = 1024;

    /// <summary>So many buffers are read to learn when they end; beyond it their start has to do.</summary>
    private const int MaximumReadBuffers = 1 << 14;

    /// <summary>An interrupt between reservation and time stamp swaps neighbours by less: a thousandth of a second.</summary>
    private const long InversionsPerSecond = 1000;

    private readonly TraceInput _input;
    private readonly BufferIndex _index;
    private readonly EtlFileHeader? _header;
    private readonly long _start;
    private readonly GapsBehindBuffers _gaps;
    private readonly List<NumberedBuffer> _buffers = [];
    private readonly List<TraceLoss> _losses = [];

    /// <summary>The buffers of each CPU by time, the file's first buffer left out: places in <see cref="_buffers"/>.</summary>
    private readonly int[][] _ofCpu;

    /// <summary>For each buffer: its place in the order of its CPU, -1 where it holds no events.</summary>
    private int[] _rank = [];
    private BufferIndex.Place[] _places = [];
    private long?[] _lastTicks = [];
    private int _readBuffers;
    private long _questions;

    /// <param name="index">Its buffers.</param>
    /// <param name="input">The file; it can go back.</param>
    /// <param name="header">What its first event says; null where that could not be read.</param>
    /// <param name="start">Where the first buffer starts.</param>
    /// <param name="times">Puts times right; null where they stay as they are.</param>
    public LossSearch(TraceInput input, BufferIndex index, EtlFileHeader? header, long start, StrayTimes? times = null)
    {
        _gaps = new GapsBehindBuffers(input, index, header, times);
        _input = input;
        _index = index;
        _header = header;
        _start = start;
        _ofCpu = new int[index.Cpus.Count][];
    }

    private bool IsFinished => _header is { EndFileTime: not 0, BuffersWritten: not 0 };

    private bool IsRing => _header is not null && _header.Mode.HasFlag(EtlLogFileMode.Circular);

    private bool IsTooMuch => _losses.Count >= MaximumLosses || _questions > MaximumQuestions;

    /// <summary>Whether only the newest buffers were kept, so that what is missing before a CPU's first one is no loss.</summary>
    private bool KeepsNewest => _header is not null
        && (_header.Mode & (EtlLogFileMode.Circular | EtlLogFileMode.Buffering | EtlLogFileMode.NewFile)) != 0;

    /// <summary>Buffers that the header counts but the file does not hold, not even damaged or blank.</summary>
    private long Missing => IsFinished && !_header!.Mode.HasFlag(EtlLogFileMode.Buffering)
        ? Math.Max(0, _header!.BuffersWritten - (_index.Buffers - _index.Health[HealthCounter.UnusedBuffers]))
        : 0;

    /// <param name="reading">What the last reading found odd; it knows what is damaged inside buffers.</param>
    /// <returns>By time.</returns>
    public IReadOnlyList<TraceLoss> Find(TraceHealth reading)
    {
        TraceHealth health = _index.Health;
        bool isMarked = health[HealthCounter.BuffersMarkedEventsLost] + health[HealthCounter.BuffersMarkedBufferLost] > 0;
        bool isDamaged = health[HealthCounter.DamagedBuffers] + reading[HealthCounter.DamagedBuffers] > 0;
        bool isCut = health[HealthCounter.TruncatedBytes] > 0;
        bool isSuspicious = health[HealthCounter.SequenceGaps] > 0 || Missing > 0;
        foreach (TraceLoss gap in _gaps.Find())
        {
            Add(gap.Cpu, gap.FromTicks, gap.ToTicks, gap.Kind);
        }

        if (IsFinished && reading.Strays.Count == 0 && !isMarked && !isDamaged && !isCut && !isSuspicious)
        {
            return Joined();
        }

        Order();
        AddMarked();
        AddStrays(reading);
        long unreadable = AddDamaged(reading);
        AddMissing(unreadable, isCut);
        reading.AddWork(_questions + _buffers.Count);
        return Joined();
    }

    public void Dispose() => _gaps.Dispose();

    private static long Sum(long ticks, long more) => ticks > long.MaxValue - more ? long.MaxValue : ticks + more;

    /// <summary>Goes through the headers again and puts the buffers in the order of the index.</summary>
    private void Order()
    {
        var walk = new BufferWalk(
            new InputWindow(_input, blockBytes: 512), _header, new TraceHealth(), _start)
        { Numbered = _buffers };
        while (walk.MoveNext())
        {
        }

        _rank = new int[_buffers.Count];
        _places = new BufferIndex.Place[_buffers.Count];
        _lastTicks = new long?[_buffers.Count];
        Array.Fill(_rank, -1);
        for (int which = 0; which < _ofCpu.Length; which++)
        {
            var order = new List<int>();
            foreach (BufferIndex.Place place in _index.Of(which))
            {
                if (Find(place.Offset) is >= 0 and int at && !_buffers[at].IsHeader)
                {
                    _rank[at] = order.Count;
                    _places[at] = place;
                    order.Add(at);
                }
            }

            _ofCpu[which] = [.. order];
        }
    }

    /// <summary>The buffer at a place of the file; -1 where there is none that can be read.</summary>
    private int Find(long offset)
    {
        int low = SortedSearch.FirstNot(0, _buffers.Count, (_buffers, offset), static (at, i) => at._buffers[i].Offset < at.offset);

        return low < _buffers.Count && _buffers[low].Offset == offset ? low : -1;
    }

    private void AddMarked()
    {
        for (int at = 0; at < _buffers.Count; at++)
        {
            if (_rank[at] < 0)
            {
                continue;
            }

            if ((_buffers[at].Flags & BufferHeaderLayout.EventsLostFlag) != 0)
            {
                Add(_buffers[at].Cpu, End(Before(at)), Start(After(at)), LossKind.EventsLost);
            }

            if ((_buffers[at].Flags & BufferHeaderLayout.BufferLostFlag) != 0)
            {
                Add(_buffers[at].Cpu, End(Before(at)), Start(at), LossKind.BufferLost);
            }
        }
    }

    /// <summary>Adds where events have another time than they tell.</summary>
    private void AddStrays(TraceHealth reading)
    {
        foreach (StrayStretch stretch in reading.Strays)
        {
            if (Find(stretch.FileOffset) is >= 0 and int at && _rank[at] >= 0)
            {
                long from = stretch.FromTicks == long.MinValue ? End(Before(at)) : stretch.FromTicks;
                Add(_buffers[at].Cpu, from, stretch.ToTicks == long.MaxValue ? Start(After(at)) : stretch.ToTicks, LossKind.StrayTimes);
            }
        }
    }

    /// <summary>Adds the buffers that could not be read whole.</summary>
    /// <returns>How many could not be read at all: their numbers are missing.</returns>
    private long AddDamaged(TraceHealth reading)
    {
        var places = new HashSet<long>();
        long unreadable = 0;
        foreach (DamagedBuffer damaged in _index.Health.Damage)
        {
            unreadable += places.Add(damaged.FileOffset) && Find(damaged.FileOffset) < 0 ? 1 : 0;
        }

        foreach (DamagedBuffer damaged in reading.Damage)
        {
            places.Add(damaged.FileOffset);
        }

        for (int at = 0; at < _buffers.Count; at++)
        {
            if (_rank[at] >= 0 && (_buffers[at].IsCut || places.Contains(_buffers[at].Offset)))
            {
                Add(_buffers[at].Cpu, End(Before(at)), Start(After(at)), LossKind.DamagedBuffer);
            }
        }

        // Their places were not all kept.
        if (Math.Max(_index.Health[HealthCounter.DamagedBuffers], reading[HealthCounter.DamagedBuffers]) > TraceHealth.MaximumDamageKept)
        {
            Add(null, long.MinValue, long.MaxValue, LossKind.DamagedBuffer);
        }

        return unreadable;
    }

    private void AddMissing(long unreadable, bool isCut)
    {
        bool isLostByWriter = _header is { BuffersLost: > 0 } || _index.Health[HealthCounter.BuffersMarkedBufferLost] > 0;
        bool isEndKnown = IsFinished && !isCut;
        List<int[]> parts = Parts();
        long gaps = 0;
        foreach (int[] part in parts)
        {
            gaps += CountGaps(part);
        }

        // What was taken into use and never written has a number too; a finished header counts only what was written.
        bool isAnyLost = !isEndKnown || isLostByWriter || unreadable > 0 || (IsRing ? gaps > Missing : Missing > 0);
        long lower = long.MinValue;
        foreach (int[] part in parts)
        {
            lower = isAnyLost || IsRing ? AddGaps(part, mayBeOverwritten: !isAnyLost) : long.MinValue;
        }

        // Of what is missing the gaps explain each one; what they do not explain is behind the last buffer.
        long unexplained = Missing + unreadable;
        if (!isEndKnown || (unexplained > 0 && unexplained != gaps))
        {
            // In a file that its writer did not finish any number may be in use, so the last one tells nothing.
            AddEnd(isEndKnown ? lower : long.MinValue);
        }
    }

    /// <summary>
    /// The buffers by number, for each part of an appended file; a ring is one, though its numbers fall where it wrapped.
    /// </summary>
    private List<int[]> Parts()
    {
        var parts = new List<int[]>();
        int[] numbered = [.. Enumerable.Range(0, _buffers.Count).Where(at => !_buffers[at].IsHeader)];
        for (int start = 0; start < numbered.Length;)
        {
            if (parts.Count == MaximumParts)
            {
                Add(null, long.MinValue, long.MaxValue, LossKind.MissingBuffer);
                break;
            }

            int end = start + 1;
            while (end < numbered.Length && (IsRing || _buffers[numbered[end]].Part == _buffers[numbered[start]].Part))
            {
                end++;
            }

            int[] part = numbered[start..end];
            Array.Sort(part, (first, second) =>
            {
                int order = _buffers[first].SequenceNumber.CompareTo(_buffers[second].SequenceNumber);
                return order != 0 ? order : first.CompareTo(second);
            });
            parts.Add(part);
            start = end;
        }

        return parts;
    }

    /// <summary>The number before the first that is expected: 0 where a part begins with its session.</summary>
    private long NumberBefore(int[] part)
    {
        long first = _buffers[part[0]].SequenceNumber;
        bool isFromStart = _header is not null && !KeepsNewest && first is > 0 and <= WidestGap;
        return isFromStart ? 0 : unchecked(first - 1);
    }

    private long CountGaps(int[] part)
    {
        long before = NumberBefore(part);
        long gaps = 0;
        if (IsRing && _buffers[part[0]].SequenceNumber > 0)
        {
            // However many it overwrote.
            before = _buffers[part[0]].SequenceNumber;
            gaps = before - 1;
        }

        foreach (int at in part)
        {
            gaps += GapBetween(before, _buffers[at].SequenceNumber);
            before = _buffers[at].SequenceNumber;
        }

        return gaps;
    }

    private static long GapBetween(long before, long number)
    {
        ulong difference = unchecked((ulong)number - (ulong)before);
        return number > before && difference <= WidestGap ? (long)difference - 1 : 0;
    }

    /// <summary>Adds the missing numbers of a part.</summary>
    /// <param name="part">Its buffers by number.</param>
    /// <param name="mayBeOverwritten">
    /// Whether what is missing was overwritten in the ring if it can have been: not where every CPU has a buffer from before the gap, since
    /// a ring overwrites the oldest.
    /// </param>
    /// <returns>When the last of its buffers was taken into use, or earlier.</returns>
    private long AddGaps(int[] part, bool mayBeOverwritten)
    {
        // When a buffer was taken into use is not told: behind the first event of its CPU's buffer before it, and before its own first
        // event or that of any with a higher number.
        long[] upper = new long[part.Length + 1];
        upper[^1] = long.MaxValue;
        for (int i = part.Length - 1; i >= 0; i--)
        {
            upper[i] = Math.Min(upper[i + 1], _rank[part[i]] < 0 ? long.MaxValue : _places[part[i]].FirstTicks);
        }

        int[] firstOfCpu = new int[_ofCpu.Length];
        int[] latestOfCpu = new int[_ofCpu.Length];
        Array.Fill(firstOfCpu, -1);
        Array.Fill(latestOfCpu, -1);
        for (int i = part.Length - 1; i >= 0; i--)
        {
            if (_rank[part[i]] >= 0)
            {
                firstOfCpu[_index.WhichIs(_buffers[part[i]].Cpu)] = part[i];
            }
        }

        long lower = long.MinValue;
        long number = NumberBefore(part);
        for (int i = 0; i < part.Length && !IsTooMuch; i++)
        {
            int at = part[i];
            if (GapBetween(number, _buffers[at].SequenceNumber) > 0
                && !(mayBeOverwritten && (Array.IndexOf(latestOfCpu, -1) >= 0 || latestOfCpu.Length < _header!.ProcessorCount)))
            {
                AddGap(lower, upper[i], firstOfCpu, latestOfCpu);
            }

            number = _buffers[at].SequenceNumber;
            if (_rank[at] >= 0)
            {
                lower = Before(at) is >= 0 and int before ? Math.Max(lower, _places[before].FirstTicks) : lower;
                latestOfCpu[_index.WhichIs(_buffers[at].Cpu)] = at;
            }
        }

        if (IsTooMuch)
        {
            Add(null, long.MinValue, long.MaxValue, LossKind.MissingBuffer);
        }

        return lower;
    }

    /// <summary>Adds a gap to each CPU that may have had one of the missing buffers in use.</summary>
    /// <param name="lower">They were taken into use not before this.</param>
    /// <param name="upper">Nor behind this.</param>
    /// <param name="firstOfCpu">For each CPU the buffer with its lowest number; -1 where it has none.</param>
    /// <param name="latestOfCpu">For each CPU the buffer with its highest number below the gap; -1 where it has none.</param>
    private void AddGap(long lower, long upper, int[] firstOfCpu, int[] latestOfCpu)
    {
        _questions += _ofCpu.Length;
        bool isConsistent = lower <= upper;
        lower = isConsistent ? lower : long.MinValue;
        upper = isConsistent ? Sum(upper, (_header?.Clock.TicksPerSecond ?? 0) / InversionsPerSecond) : long.MaxValue;
        for (int which = 0; which < _ofCpu.Length; which++)
        {
            int before = latestOfCpu[which];
            if (before < 0 && KeepsNewest)
            {
                continue;
            }

            int after = before >= 0 ? After(before) : firstOfCpu[which];
            before = before < 0 && after >= 0 ? Before(after) : before;
            long end = End(before);
            if (end <= upper)
            {
                Add(_index.Cpus[which], Math.Max(lower, end), Start(after), LossKind.MissingBuffer);
            }
        }

        if (!KeepsNewest)
        {
            AddToCpusWithoutBuffers(lower, LossKind.MissingBuffer);
        }
    }

    private void AddEnd(long lower)
    {
        for (int which = 0; which < _ofCpu.Length; which++)
        {
            int last = _ofCpu[which].Length > 0 ? _ofCpu[which][^1] : -1;
            Add(_index.Cpus[which], Math.Max(lower, End(last)), long.MaxValue, LossKind.CutOff);
        }

        AddToCpusWithoutBuffers(lower, LossKind.CutOff);
    }

    private void AddToCpusWithoutBuffers(long lower, LossKind kind)
    {
        int cpus = _header is null || _header.Mode.HasFlag(EtlLogFileMode.NoPerProcessorBuffering) ? 0 : _header.ProcessorCount;
        cpus = Math.Min(cpus, EtlBufferHeader.MaximumProcessors);
        _questions += cpus;
        for (int cpu = 0; cpu < cpus; cpu++)
        {
            if (_index.WhichIs(cpu) < 0)
            {
                Add(cpu, lower, long.MaxValue, kind);
            }
        }
    }

    private void Add(int? cpu, long from, long to, LossKind kind)
    {
        if (from > to)
        {
            return;
        }

        if (_losses.Count < MaximumLosses)
        {
            _losses.Add(new TraceLoss(cpu, from, to, kind));
        }
        else
        {
            // Told once for all; searching ends.
            _losses[0] = new TraceLoss(null, long.MinValue, long.MaxValue, kind);
        }
    }

    /// <summary>Joins what overlaps and is of one CPU and kind; sorts by time.</summary>
    private List<TraceLoss> Joined()
    {
        _losses.Sort((first, second) =>
        {
            int order = (first.Cpu ?? -1).CompareTo(second.Cpu ?? -1);
            order = order != 0 ? order : first.Kind.CompareTo(second.Kind);
            order = order != 0 ? order : first.FromTicks.CompareTo(second.FromTicks);
            return order != 0 ? order : first.ToTicks.CompareTo(second.ToTicks);
        });
        var joined = new List<TraceLoss>();
        foreach (TraceLoss loss in _losses)
        {
            if (joined.Count > 0 && joined[^1] is var last
                && last.Cpu == loss.Cpu && last.Kind == loss.Kind && loss.FromTicks <= last.ToTicks)
            {
                joined[^1] = last with { ToTicks = Math.Max(last.ToTicks, loss.ToTicks) };
            }
            else
            {
                joined.Add(loss);
            }
        }

        joined.Sort((first, second) =>
        {
            int order = first.FromTicks.CompareTo(second.FromTicks);
            order = order != 0 ? order : (first.Cpu ?? -1).CompareTo(second.Cpu ?? -1);
            order = order != 0 ? order : first.ToTicks.CompareTo(second.ToTicks);
            return order != 0 ? order : first.Kind.CompareTo(second.Kind);
        });
        return joined;
    }

    /// <summary>The buffer of the same CPU before one; -1 where there is none.</summary>
    private int Before(int at) => _rank[at] > 0 ? _ofCpu[_index.WhichIs(_buffers[at].Cpu)][_rank[at] - 1] : -1;

    /// <summary>The buffer of the same CPU behind one; -1 where there is none.</summary>
    private int After(int at)
    {
        int[] order = _ofCpu[_index.WhichIs(_buffers[at].Cpu)];
        return _rank[at] + 1 < order.Length ? order[_rank[at] + 1] : -1;
    }

    /// <summary>When the first event of a buffer was logged; the end of time for none.</summary>
    private long Start(int at) => at < 0 ? long.MaxValue : _places[at].FirstTicks;

    /// <summary>When the last event of a buffer was logged, or earlier; the beginning of time for none.</summary>
    private long End(int at) => at < 0 ? long.MinValue : _lastTicks[at] ??= LastTicks(_places[at]);

    private long LastTicks(BufferIndex.Place place) =>
        _readBuffers++ >= MaximumReadBuffers ? place.FirstTicks : _gaps.LastTicks(place);
}
