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

    /// <summary>A damaged buffer may claim any CPU: so many of the CPUs up to the highest have buffers where it is believed.</summary>
    private const int LeastPartOfCpus = 4;

    private readonly TraceInput _input;
    private readonly BufferIndex _index;
    private readonly EtlFileHeader? _header;
    private readonly Dictionary<long, OpenedBuffer> _opened = [];

    /// <summary>Where the opened buffers are of which no time is the trace's.</summary>
    private readonly HashSet<long> _timeless = [];
    private readonly EventTimes _times = new();
    private readonly TraceHealth _unheard = new();
    private byte[] _stored = [];
    private byte[] _decompressed = [];
    private long _kernels32;
    private long _kernels64;
    private long _programs64;

    private TraceSettling(TraceInput input, BufferIndex index, EtlFileHeader? header)
    {
        _input = input;
        _index = index;
        _header = header;
    }

    /// <param name="input">The file; it can go back.</param>
    /// <param name="index">Its buffers, whose order is put right.</param>
    /// <param name="header">What its first event says; null where that could not be read.</param>
    /// <returns>The header as the machine proves it, what of it is wrong, and what puts times right.</returns>
    public static (EtlFileHeader? Header, IReadOnlyList<HeaderContradiction> Contradictions, StrayTimes Times) Of(
        TraceInput input, BufferIndex index, EtlFileHeader? header)
    {
        var settling = new TraceSettling(input, index, header);
        return settling.Settle();
    }

    private (EtlFileHeader? Header, IReadOnlyList<HeaderContradiction> Contradictions, StrayTimes Times) Settle()
    {
        foreach (int which in Enumerable.Range(0, _index.Cpus.Count))
        {
            foreach (BufferIndex.Place place in _index.Of(which).ToArray())
            {
                if (place.Offset == 0 || _index.IsOdd(place.Offset))
                {
                    Open(which, in place);
                }
            }
        }

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

            Open(which, in places[first]);
            Open(which, in places[last]);
        }
    }

    /// <summary>Opens the buffers that seem to begin at a time of another clock than the trace's.</summary>
    private void OpenOfOtherClock(EtlFileHeader? header)
    {
        for (int which = 0; which < _index.Cpus.Count; which++)
        {
            foreach (ref readonly BufferIndex.Place place in _index.Of(which))
            {
                if (TimeSupport.IsOtherClock(place.FirstTicks, header))
                {
                    Open(which, in place);
                }
            }
        }
    }

    private void Open(int which, in BufferIndex.Place place)
    {
        if (_opened.ContainsKey(place.Offset) || _opened.Count >= MostOpened + (2 * _index.Cpus.Count)
            || !TryRead(in place, out EtlBufferHeader header, out ReadOnlySpan<byte> data))
        {
            return;
        }

        _times.Take(data);
        CountWidths(data);
        _times.Judge(long.MinValue, long.MaxValue, TimeSupport.DisorderOf(_header));
        _opened.Add(place.Offset, OpenedBuffer.Of(which, in place, in header, _times.All));
    }

    private bool TryRead(in BufferIndex.Place place, out EtlBufferHeader header, out ReadOnlySpan<byte> data)
    {
        if (_stored.Length < place.StoredBytes)
        {
            _stored = new byte[place.StoredBytes];
        }

        data = default;
        int read = _input.ReadFully(_stored.AsSpan(0, place.StoredBytes), place.Offset);
        if (!BufferIndex.IsStill(_stored.AsSpan(0, read), in place, out header))
        {
            return false;
        }

        data = BufferDecompression.Data(header, _stored.AsSpan(0, read), ref _decompressed, place.Offset, _unheard);
        return true;
    }

    private void CountWidths(ReadOnlySpan<byte> data)
    {
        foreach (ref readonly EventTimes.Stamp stamp in _times.All)
        {
            if (!EtlEvent.TryRead(data[stamp.Place..], 0, 0, out EtlEvent read))
            {
                continue;
            }

            // The records of the header are the writing program's; all others with a hook id are the kernel's.
            if (!read.IsKernelHook)
            {
                _programs64 += read.PointerBytes == sizeof(ulong) ? 1 : 0;
            }
            else if (read.Group != KernelGroup.Header)
            {
                (_kernels32, _kernels64) = read.PointerBytes == sizeof(ulong) ? (_kernels32, _kernels64 + 1) : (_kernels32 + 1, _kernels64);
            }
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
        foreach (OpenedBuffer opened in _opened.Values)
        {
            BufferIndex.Place place = opened.Place;
            long first = opened.FirstTicks;
            if (opened.MinimumTicks < support.From || opened.MaximumTicks > support.To)
            {
                if (!TryRead(in place, out _, out ReadOnlySpan<byte> data))
                {
                    continue;
                }

                _times.Take(data);
                _times.Judge(support.From, support.To, support.Disorder);
                long? own = OpenedBuffer.FirstOf(_times.All);
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
        int pointerBytes = _kernels64 > _kernels32 || (_kernels32 + _kernels64 == 0 && _programs64 > 0) ? sizeof(ulong)
            : _kernels32 > _kernels64 ? sizeof(uint)
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
