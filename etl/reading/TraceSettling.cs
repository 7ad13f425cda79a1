namespace Tracer.Etl.Reading;

/// <summary>
/// Holds what a file's header and its time stamps say against what the machine's own records prove, from the buffers at the beginning and
/// the end of each CPU and those that are out of order. The order of the index is put right.
/// </summary>
internal sealed class TraceSettling
{
    /// <summary>So many buffers that are out of order are looked into.</summary>
    private const int MostOpened = 1 << 13;

    /// <summary>Stray times of first buffers hide which buffers come first; each round finds more of these.</summary>
    private const int Rounds = 4;

    /// <summary>So many bytes of buffers are worth a thread.</summary>
    private const long BytesOfThread = 1024 * 1024;

    /// <summary>A damaged buffer may claim any CPU: so many of the CPUs up to the highest have buffers where it is believed.</summary>
    private const int LeastPartOfCpus = 4;

    private readonly TraceInput _input;
    private readonly BufferIndex _index;
    private readonly EtlFileHeader? _header;
    private readonly Dictionary<long, OpenedBuffer> _opened = [];

    /// <summary>Where the opened buffers are of which no time is the trace's.</summary>
    private readonly HashSet<long> _timeless = [];
    private readonly int _threads;
    private Widths _widths;

    private TraceSettling(TraceInput input, BufferIndex index, EtlFileHeader? header, int threads)
    {
        _input = input;
        _index = index;
        _header = header;
        _threads = threads;
    }

    /// <param name="input">The file; it can go back.</param>
    /// <param name="index">Its buffers, whose order is put right.</param>
    /// <param name="header">What its first event says; null where that could not be read.</param>
    /// <param name="threads">How many threads may be used.</param>
    /// <returns>The header as the machine proves it, what of it is wrong, and what puts times right.</returns>
    public static (EtlFileHeader? Header, IReadOnlyList<HeaderContradiction> Contradictions, StrayTimes Times) Of(
        TraceInput input, BufferIndex index, EtlFileHeader? header, int threads)
    {
        var settling = new TraceSettling(input, index, header, threads);
        return settling.Settle();
    }

    private (EtlFileHeader? Header, IReadOnlyList<HeaderContradiction> Contradictions, StrayTimes Times) Settle()
    {
        OpenAll(place => place.Offset == 0 || _index.IsOdd(place.Offset));
        OpenEnds();
        (EtlFileHeader? header, List<HeaderContradiction> contradictions) = ClockOf();
        header = header is null ? null : ClockRates.Proven(header, _opened.Values, contradictions);
        OpenOfOtherClock(header);
        TimeSupport support = Supported(header);
        for (int round = 0; round < Rounds && Repair(support); round++)
        {
            OpenEnds();
            support = Supported(header);
        }

        if (header is not null)
        {
            header = MachineOf(HeaderTimeOf(header, support, contradictions), contradictions);
        }

        return (header, contradictions, new StrayTimes(support.From, support.To));
    }

    /// <summary>Opens the first and the last buffer of each CPU, of those that may have times of the trace.</summary>
    private void OpenEnds()
    {
        var ends = new List<(int Which, BufferIndex.Place Place)>();
        for (int which = 0; which < _index.Cpus.Count; which++)
        {
            ReadOnlySpan<BufferIndex.Place> places = _index.Of(which);
            int first = 0;
            int last = places.Length - 1;
            while (first < last && _timeless.Contains(places[first].Offset))
            {
                first++;
            }

            while (first < last && _timeless.Contains(places[last].Offset))
            {
                last--;
            }

            ends.Add((which, places[first]));
            if (last > first)
            {
                ends.Add((which, places[last]));
            }
        }

        Open(ends);
    }

    /// <summary>Opens the buffers that seem to begin at a time of another clock than the trace's.</summary>
    private void OpenOfOtherClock(EtlFileHeader? header) => OpenAll(place => TimeSupport.IsOtherClock(place.FirstTicks, header));

    private void OpenAll(Func<BufferIndex.Place, bool> isWanted)
    {
        var wanted = new List<(int Which, BufferIndex.Place Place)>();
        for (int which = 0; which < _index.Cpus.Count; which++)
        {
            foreach (ref readonly BufferIndex.Place place in _index.Of(which))
            {
                if (isWanted(place))
                {
                    wanted.Add((which, place));
                }
            }
        }

        Open(wanted);
    }

    /// <summary>Opens buffers, several at once; those that are kept, and their order, are as if one came after the other.</summary>
    private void Open(List<(int Which, BufferIndex.Place Place)> wanted)
    {
        wanted.RemoveAll(one => _opened.ContainsKey(one.Place.Offset));
        for (int start = 0; start < wanted.Count;)
        {
            int room = MostOpened + (2 * _index.Cpus.Count) - _opened.Count;
            int count = Math.Min(room, wanted.Count - start);
            if (count <= 0)
            {
                return;
            }

            var opened = new (OpenedBuffer? Buffer, Widths Widths)[count];
            int from = start;
            long bytes = 0;
            for (int i = 0; i < count; i++)
            {
                bytes += wanted[from + i].Place.HeldBytes;
            }

            int threads = (int)Math.Min(_threads, 1 + (bytes / BytesOfThread));
            ParallelPieces.Do(threads, threads, part =>
            {
                using var opening = new BufferOpening(_input, _header);
                for (int i = part; i < count; i += threads)
                {
                    opened[i] = opening.Open(wanted[from + i].Which, wanted[from + i].Place);
                }
            });
            foreach ((OpenedBuffer? buffer, Widths widths) in opened)
            {
                if (buffer is not null)
                {
                    _opened.Add(buffer.Place.Offset, buffer);
                    _widths = _widths.Plus(widths);
                }
            }

            start += count;
        }
    }

    private TimeSupport Supported(EtlFileHeader? header)
    {
        (long Count, long First, long Last) unopened = (0, long.MaxValue, long.MinValue);
        for (int which = 0; which < _index.Cpus.Count; which++)
        {
            foreach (ref readonly BufferIndex.Place place in _index.Of(which))
            {
                if (!_opened.ContainsKey(place.Offset) && !TimeSupport.IsOtherClock(place.FirstTicks, header))
                {
                    unopened = (unopened.Count + 1, Math.Min(unopened.First, place.FirstTicks), Math.Max(unopened.Last, place.FirstTicks));
                }
            }
        }

        return TimeSupport.Of([.. _opened.Values], unopened, header);
    }

    /// <summary>Puts right when the opened buffers begin.</summary>
    /// <returns>Whether that changed.</returns>
    private bool Repair(TimeSupport support)
    {
        bool isChanged = false;
        using var opening = new BufferOpening(_input, _header);
        foreach (OpenedBuffer opened in _opened.Values)
        {
            BufferIndex.Place place = opened.Place;
            long first = opened.FirstTicks;
            if (opened.MinimumTicks < support.From || opened.MaximumTicks > support.To)
            {
                if (!opening.TryFirst(in place, support, out long? own))
                {
                    continue;
                }

                isChanged |= own is null && _timeless.Add(place.Offset);
                first = own ?? _index.BeginBehind(opened.Which, place.Offset, support.FirstTicks, support.LastTicks);
            }

            isChanged |= _index.Begin(opened.Which, place.Offset, first);
        }

        _index.Sort();
        return isChanged;
    }

    /// <summary>The clock that the time stamps prove: those of the system time lie near the time of day when the trace began.</summary>
    private (EtlFileHeader? Header, List<HeaderContradiction> Contradictions) ClockOf()
    {
        if (_header is null || _header.Clock.StartFileTime <= 0)
        {
            return (_header, []);
        }

        long fileTimes = 0;
        long others = 0;
        foreach (OpenedBuffer opened in _opened.Values)
        {
            foreach (long ticks in opened.Samples)
            {
                Count(ticks, 1);
            }
        }

        // Each of the others counts as one that was opened: these are at the ends, and odd.
        for (int which = 0; which < _index.Cpus.Count; which++)
        {
            foreach (ref readonly BufferIndex.Place place in _index.Of(which))
            {
                Count(place.FirstTicks, _opened.ContainsKey(place.Offset) ? 0 : OpenedBuffer.MostSamples);
            }
        }

        bool isSystemTime = _header.Clock.Kind == TraceClockKind.SystemTime;
        long rate = isSystemTime ? _header.PerformanceFrequency ?? _header.Clock.TicksPerSecond : TimeSupport.FileTimePerSecond;
        TraceClockKind found = isSystemTime ? TraceClockKind.Qpc : TraceClockKind.SystemTime;
        if (_header.UnknownClockKind is not (null or 0) || rate <= 0 || (isSystemTime ? others <= fileTimes : fileTimes <= others))
        {
            return (_header, []);
        }

        TraceClock told = _header.Clock;
        return (_header with
        {
            Clock = new TraceClock(found, rate, told.HeaderTicks, told.StartFileTime),
            PerformanceFrequency = isSystemTime ? null : _header.PerformanceFrequency ?? told.TicksPerSecond,
        },
        [new HeaderContradiction(HeaderStatement.ClockKind, (long)told.Kind, (long)found)]);

        void Count(long ticks, int votes) => (fileTimes, others) = TimeSupport.IsFileTime(ticks, _header.Clock.StartFileTime)
            ? (fileTimes + votes, others)
            : (fileTimes, others + votes);
    }

    private static EtlFileHeader HeaderTimeOf(EtlFileHeader header, TimeSupport support, List<HeaderContradiction> contradictions)
    {
        TraceClock clock = header.Clock;
        if (clock.HeaderTicks >= support.From && clock.HeaderTicks <= support.To)
        {
            return header;
        }

        contradictions.Add(new HeaderContradiction(HeaderStatement.HeaderTicks, clock.HeaderTicks, support.FirstTicks));
        return header with { Clock = new TraceClock(clock.Kind, clock.TicksPerSecond, support.FirstTicks, clock.StartFileTime) };
    }

    /// <summary>The width of the machine's pointers, and its processors.</summary>
    private EtlFileHeader MachineOf(EtlFileHeader header, List<HeaderContradiction> contradictions)
    {
        // Only a 64-bit system runs 64-bit programs; 32-bit programs run on both.
        (long kernels32, long kernels64, long programs64) = _widths;
        int pointerBytes = kernels64 > kernels32 || (kernels32 + kernels64 == 0 && programs64 > 0) ? sizeof(ulong)
            : kernels32 > kernels64 ? sizeof(uint)
            : header.PointerBytes == sizeof(uint) ? sizeof(uint) : sizeof(ulong);
        if (pointerBytes != header.PointerBytes)
        {
            contradictions.Add(new HeaderContradiction(HeaderStatement.PointerBytes, header.PointerBytes, pointerBytes));
        }

        int processors = _index.Cpus.Count > 0 ? _index.Cpus[^1] + 1 : 0;
        bool canBe = header.ProcessorCount <= EtlBufferHeader.MaximumProcessors;
        if (canBe && (processors <= header.ProcessorCount || processors > LeastPartOfCpus * _index.Cpus.Count))
        {
            return header with { PointerBytes = pointerBytes };
        }

        contradictions.Add(new HeaderContradiction(HeaderStatement.ProcessorCount, header.ProcessorCount, processors));
        return header with { PointerBytes = pointerBytes, ProcessorCount = processors };
    }
}
