using Tracer.Etl.Reading;

namespace Tracer.Etl;

/// <summary>
/// Reads .etl files of Windows 7 and later on any operating system: sequential, circular, appended, merged and relogged ones, compressed
/// or not, also those that were cut, damaged or never closed. See <see cref="IEtlReader"/>.
/// </summary>
/// <remarks>
/// Memory: one block of the input and, by CPU or time, an index of 24 bytes for each buffer and one open buffer for each CPU. Input that
/// can be read once only, such as a pipe, is given in file order as it comes; any other order copies it to a temporary file first.
/// </remarks>
public sealed class EtlReader : IEtlReader
{
    /// <summary>How far a trace whose start is damaged is searched for its first good buffer.</summary>
    private const int SearchedBytes = 64 * 1024 * 1024;

    private readonly string _name;
    private readonly Func<Stream> _makeCopy;

    /// <summary>Where the first buffer is looked for: 0, but where a pipe has passed its lost start.</summary>
    private readonly long _start;
    private readonly bool _hasHeader;
    private TraceInput _input;
    private InputWindow _window;
    private BufferIndex? _index;
    private IReadOnlyList<TraceLoss>? _losses;

    /// <summary>The reading whose damage <see cref="_losses"/> knows.</summary>
    private TraceHealth? _lossesOf;
    private StrayTimes? _settled;

    /// <summary>What puts the times of events right where they are read; null where they stay as they are.</summary>
    private StrayTimes? _times;
    private bool _isUsedUp;
    private byte[] _decompressed = [];

    private EtlReader(TraceInput input, string name, Func<Stream> makeCopy)
    {
        _input = input;
        _name = name;
        _makeCopy = makeCopy;
        _window = new InputWindow(input);
        EtlFileHeader? header = ReadHeader();
        _hasHeader = header is not null;
        _start = header is null ? FindStart() : 0;

        Header = header ?? UnknownHeader();
        Health = NewHealth();
    }

    /// <summary>What the first event of the file says; after <see cref="Settle"/> what the machine's own records prove instead.</summary>
    public EtlFileHeader Header { get; private set; }

    /// <summary>What the machine's own records prove wrong in the header; empty before <see cref="Settle"/>.</summary>
    public IReadOnlyList<HeaderContradiction> Contradictions { get; private set; } = [];

    /// <summary>Whether <see cref="Header"/> was read; where not, it holds assumptions and events have no known time of day.</summary>
    public bool HasHeader => _hasHeader;

    /// <summary>Whether time stamps can be turned into times: whether the header was read, and tells the clock and its rate.</summary>
    public bool IsClockKnown => _hasHeader && Header.IsClockKnown;

    /// <inheritdoc/>
    public TraceHealth Health { get; private set; }

    /// <summary>
    /// Whether the input can be read more than once; what a pipe gives can't, until <see cref="MakeRereadable"/> was called.
    /// </summary>
    public bool CanReadAgain => _input.CanGoBack;

    /// <summary>
    /// How much of the input the current reading has gone through, 0 to 1; null where the input's length is not known. May be
    /// asked by another thread, to show progress.
    /// </summary>
    public double? Progress => _input.Length is > 0 and < long.MaxValue
        ? Math.Min(1, _input.BytesRead / (double)_input.Length)
        : null;

    /// <summary>
    /// How many threads readings in order of time and counting readings may use, at least 1; at first one for each processor of this
    /// machine. What they give is the same with any number; a reading that is going on does not notice a change.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1.</exception>
    public int Threads
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    } = Environment.ProcessorCount;

    /// <summary>The logical processors that have buffers, ascending. Indexes the file.</summary>
    /// <exception cref="IOException">The storage failed.</exception>
    public IReadOnlyList<int> Cpus => Index().Cpus;

    /// <summary>
    /// Where in time events may be missing, by time: what the buffers tell, and what the readings so far have found damaged inside them,
    /// so ask when all events have been read. Costs nothing for a whole trace; otherwise the headers of all buffers are read again, and
    /// what stands beside a loss.
    /// </summary>
    /// <remarks>
    /// What a header counts as lost has no place: it is told by <see cref="Health"/> alone. So are single records that could not be read.
    /// What a ring overwrote is no loss: there a CPU is known from its first event on, and of the time before all CPUs are known no gap
    /// proves anything. Numbers of buffers that were taken but never
    /// written are no loss either; a finished header tells them apart, since it counts what was written.
    /// </remarks>
    /// <exception cref="IOException">The storage failed.</exception>
    /// <exception cref="InvalidOperationException">The input is a pipe that has been read already.</exception>
    public IReadOnlyList<TraceLoss> Losses
    {
        get
        {
            BufferIndex index = Index();
            if (_losses is null || _lossesOf != Health)
            {
                using var search = new LossSearch(_input, index, _hasHeader ? Header : null, _start, _times);
                _losses = search.Find(Health);
                _lossesOf = Health;
            }

            return _losses;
        }
    }

    /// <summary>How many bytes of the input the current reading has read, some of them more than once.</summary>
    internal long BytesRead => _input.BytesRead;

    /// <summary>Opens a trace.</summary>
    /// <param name="path">A file, or what the system offers as one: a named pipe works.</param>
    /// <exception cref="EtlFormatException">It is no .etl trace.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be read.</exception>
    public static EtlReader Open(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Open(TraceInput.OfPath(path), path);
    }

    /// <summary>Opens a trace from a stream, which the reader then owns.</summary>
    /// <param name="stream">A stream at the start of a trace; one that cannot seek is taken for a pipe.</param>
    /// <param name="name">What messages call it.</param>
    /// <param name="makeCopy">
    /// Makes what a pipe is copied to where it is read in another order: empty, to be read, written and sought, and disposed of by the
    /// reader; null for a temporary file.
    /// </param>
    /// <exception cref="EtlFormatException">It is no .etl trace.</exception>
    /// <exception cref="IOException">It cannot be read.</exception>
    public static EtlReader Open(Stream stream, string name = "the input", Func<Stream>? makeCopy = null)
    {
        ArgumentNullException.ThrowIfNull(stream);
        return Open(TraceInput.OfStream(stream), name, makeCopy);
    }

    /// <summary>
    /// Makes sure that the input can be read more than once: what comes through a pipe is copied to a temporary file, which the system
    /// deletes when the reader is closed.
    /// </summary>
    /// <exception cref="InvalidOperationException">The pipe has been read already.</exception>
    /// <exception cref="IOException">The storage failed.</exception>
    public void MakeRereadable()
    {
        if (!_input.CanGoBack)
        {
            Spool();
        }
    }

    /// <summary>
    /// Holds the header against the machine's own records, which win (<see cref="Header"/>, <see cref="Contradictions"/>), and finds
    /// the times that no neighbour supports. Looks into the first and last buffers of each CPU, and those out of order, once.
    /// </summary>
    /// <param name="eventTimes">
    /// Whether later readings put the times of events right: an event with a time that no neighbour supports comes with that of the event
    /// before it and is counted (<see cref="HealthCounter.StrayTimes"/>), and clocks are moved (<see cref="MoveClock"/>).
    /// </param>
    /// <exception cref="IOException">The storage failed.</exception>
    /// <exception cref="InvalidOperationException">The input is a pipe that has been read already.</exception>
    public void Settle(bool eventTimes = true)
    {
        if (_settled is null)
        {
            BufferIndex index = Index(); // First: it may replace the input by a copy.
            (EtlFileHeader? header, Contradictions, _settled) = TraceSettling.Of(_input, index, _hasHeader ? Header : null, Threads);
            Header = header ?? Header;
        }

        _times = eventTimes ? _settled : null;
    }

    /// <summary>Moves the times of a CPU whose clock is known to be off, in all later readings; <see cref="Settle"/> comes first.</summary>
    /// <param name="cpu">One of <see cref="Cpus"/>.</param>
    /// <param name="ticks">By so many ticks.</param>
    public void MoveClock(int cpu, long ticks)
    {
        Settle();
        _times!.Move(cpu, ticks);
        if (Index().WhichIs(cpu) is >= 0 and int which)
        {
            Index().Move(which, ticks);
        }

        _losses = null;
    }

    /// <inheritdoc/>
    public bool Read<TSink>(EtlOrder order, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        _input.Restart();
        if (_times is not null && order is (EtlOrder.File or EtlOrder.Any))
        {
            BufferIndex all = BeginIndexed();
            using var walk = new CpuWalk(_input, _times, Health);
            return walk.GiveAll(all.InFileOrder(), ref sink);
        }

        switch (order)
        {
            case EtlOrder.File:
                return ReadInFileOrder(ref sink);
            case EtlOrder.Any:
                BufferWalk walk = BeginWalk();
                return new UnorderedWalk(_window).GiveAll(walk, Health, ref sink) && CountMissing(walk.Buffers);
            case EtlOrder.Cpu:
                BufferIndex index = BeginIndexed();
                using (var cpus = new CpuWalk(_input, _times, Health))
                {
                    return cpus.GiveAll(index, ref sink);
                }

            default:
                BufferIndex byTime = BeginIndexed(); // First: it may replace the input by a copy.
                return new TimeMerge(_input, byTime, Health, Threads, Threads > 1, _times).GiveAll(ref sink);
        }
    }

    /// <summary>
    /// Gives the events of some buffers by time, in the same order as <see cref="Read{TSink}(EtlOrder, ref TSink)"/> gives them; the others
    /// are not opened, and what is damaged inside them is not told.
    /// </summary>
    /// <typeparam name="TSink">The sink; a struct lets the compiler join it with the reader's loop.</typeparam>
    /// <param name="selection">Which buffers, found by an earlier reading.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>Whether all events of these buffers were given; false when the sink ended the reading.</returns>
    /// <exception cref="IOException">The storage failed, not the format.</exception>
    public bool Read<TSink>(BufferSelection selection, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(selection);
        _input.Restart();
        BufferIndex index = BeginIndexed();
        return new TimeMerge(_input, index.Only(selection), Health, Threads, Threads > 1, _times).GiveAll(ref sink);
    }

    /// <summary>
    /// Gives the events of the first and the last two buffers of each CPU, CPU by CPU and as written; the others are not opened. May go on
    /// beside another reading, so <see cref="Health"/> tells nothing of it; <see cref="Settle"/> comes first.
    /// </summary>
    /// <returns>Whether all of them were given; false when the sink ended the reading.</returns>
    /// <exception cref="IOException">The storage failed, not the format.</exception>
    public bool ReadEnds<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        BufferIndex index = Index();
        using var walk = new CpuWalk(_input, _times, new TraceHealth());
        return walk.GiveAll(index.Only(index.Ends()), ref sink);
    }

    /// <summary>
    /// Gives the events by time, as <see cref="Read{TSink}(EtlOrder, ref TSink)"/> does in <see cref="EtlOrder.Time"/>, but has another
    /// thread read ahead; and leaves out stack records that belong to no event of some kinds, which are most of many a trace.
    /// </summary>
    /// <param name="sink">Takes the events, on the caller's thread.</param>
    /// <param name="stacksOf">
    /// Hook ids of the kernel events whose stacks are wanted; records of hook ids 0x1820 and 0x1825 that are of none of them are left out.
    /// </param>
    /// <returns>Whether all events were given; false when the sink ended the reading.</returns>
    /// <exception cref="IOException">The storage failed, not the format.</exception>
    public bool ReadAhead<TSink>(ref TSink sink, params ReadOnlySpan<ushort> stacksOf)
        where TSink : IEtlEventSink, allows ref struct
    {
        _input.Restart();
        BufferIndex index = BeginIndexed();
        // With two threads, the one that merges has time to load as well.
        var merge = new TimeMerge(_input, index, Health, Threads, Threads > 2, _times, stacksOf.ToArray());
        return Reading.ReadAhead.GiveAll(merge, Threads, ref sink);
    }

    /// <summary>
    /// Gives the events by rounds of time, those of each CPU by time to a sink of its own, several CPUs at once (<see cref="Threads"/>).
    /// For whoever follows each CPU by itself. Leaves out stacks as <see cref="ReadAhead{TSink}"/> does.
    /// </summary>
    /// <param name="sinkOf">The sink of a CPU, asked once, on the caller's thread; it shares nothing that changes with another.</param>
    /// <param name="endRound">Called, on the caller's thread, with the time before which all events have come, in ticks.</param>
    /// <param name="follow">
    /// What follows on a round that has ended: done after <paramref name="endRound"/> and before that of the next round, beside the sinks
    /// of that one. The parts begin in this order and go on beside each other where there are threads for it: a later one may wait for an
    /// earlier one.
    /// </param>
    /// <param name="roundEvents">Most events of a CPU in one round, at least 1; more only where they share one time stamp.</param>
    /// <param name="stacksOf">Hook ids of the kernel events whose stacks are wanted.</param>
    /// <returns>Whether all events were given; false when a sink ended the reading with a round that was not told to have ended.</returns>
    /// <exception cref="IOException">The storage failed, not the format.</exception>
    public bool ReadRounds<TSink>(
        Func<int, TSink> sinkOf, Action<long> endRound, Action[] follow, int roundEvents, params ReadOnlySpan<ushort> stacksOf)
        where TSink : struct, IEtlEventSink
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(roundEvents, 1);
        _input.Restart();
        BufferIndex index = BeginIndexed();
        var merge = new TimeMerge(_input, index, Health, Threads, Threads > 2, _times, stacksOf.ToArray(), roundEvents);
        return new RoundWalk<TSink>(merge, index.Cpus, roundEvents, sinkOf, endRound, follow)
            .GiveAll(Math.Min(Threads, 1 + follow.Length + index.Cpus.Count));
    }

    /// <summary>
    /// Gives the events in no order to counters, several threads at once, and those that they do not take to a sink, on the caller's
    /// thread. Which counter is asked, and the order in which the sink gets the rest, follow from the file alone.
    /// </summary>
    /// <param name="counters">Each is used by one thread at a time; more threads than these are not used.</param>
    /// <param name="sink">Takes what no counter took.</param>
    /// <returns>Whether all events were given; false when the sink ended the reading.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public bool ReadCounting<TCounter, TSink>(TCounter[] counters, ref TSink sink)
        where TCounter : struct, IEtlEventCounter
        where TSink : IEtlEventSink, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(counters);
        ArgumentOutOfRangeException.ThrowIfZero(counters.Length, nameof(counters));
        _input.Restart();
        BufferIndex index = BeginIndexed();
        return new CountingWalk(_input, index.InFileOrder(), _times, Threads).GiveAll(counters, Health, ref sink);
    }

    /// <summary>Gives the events of one CPU, by time.</summary>
    /// <param name="cpu">One of <see cref="Cpus"/>; any other has no events.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>Whether all events were given.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public bool ReadCpu<TSink>(int cpu, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        BufferIndex index = BeginIndexed();
        int which = index.WhichIs(cpu);
        using var walk = new CpuWalk(_input, _times, Health);
        return which < 0 || walk.GiveAll(index.Of(which), ref sink);
    }

    /// <summary>Gives the events of every CPU, each by time and to a sink of its own, several CPUs at once.</summary>
    /// <param name="threads">How many threads, at least 1.</param>
    /// <param name="sinkOfCpu">Makes the sink of a CPU; called from several threads.</param>
    /// <returns>The sinks, in the order of <see cref="Cpus"/>.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public TSink[] ReadCpus<TSink>(int threads, Func<int, TSink> sinkOfCpu)
        where TSink : IEtlEventSink
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(threads, 1);
        ArgumentNullException.ThrowIfNull(sinkOfCpu);
        BufferIndex index = BeginIndexed();
        var sinks = new TSink[index.Cpus.Count];
        var healths = new TraceHealth[index.Cpus.Count];

        // The longest first: so that all end at about the same time.
        int[] order = [.. index.ByLength()];
        ParallelPieces.Do(order.Length, threads, at =>
        {
            int which = order[at];
            healths[which] = new TraceHealth();
            TSink sink = sinkOfCpu(index.Cpus[which]);
            using var walk = new CpuWalk(_input, _times, healths[which]);
            walk.GiveAll(index.Of(which), ref sink);
            sinks[which] = sink;
        });

        foreach (TraceHealth health in healths)
        {
            Health.Add(health);
        }

        return sinks;
    }

    /// <summary>
    /// Gives the events of some stretches of the trace, spread over all of it, CPU by CPU; all events where these take no more bytes.
    /// </summary>
    /// <param name="stretches">How many, at least 1.</param>
    /// <param name="bytes">About so many bytes of the file are read.</param>
    /// <param name="sink">Takes the events.</param>
    /// <returns>Of which times all events were given; null where the sink ended the reading.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public SampledTimes? ReadSample<TSink>(int stretches, long bytes, ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(stretches, 1);
        _input.Restart();
        BufferIndex index = BeginIndexed();
        return SampleWalk.GiveAll(_input, index, _times, Health, stretches, bytes, ref sink);
    }

    /// <inheritdoc/>
    public void Dispose() => _input.Dispose();

    private static EtlReader Open(TraceInput input, string name, Func<Stream>? makeCopy = null)
    {
        try
        {
            return new EtlReader(input, name, makeCopy ?? SpoolFile.Make);
        }
        catch
        {
            input.Dispose();
            throw;
        }
    }

    /// <summary>Assumptions where the first event is lost: enough to read events, not to tell their time of day.</summary>
    private static EtlFileHeader UnknownHeader() => new()
    {
        Clock = new TraceClock(TraceClockKind.Qpc, LogFileHeaderEvent.AssumedTicksPerSecond, 0, 0),
        ProcessorCount = 0,
        BufferBytes = 0,
    };

    private bool ReadInFileOrder<TSink>(ref TSink sink)
        where TSink : IEtlEventSink, allows ref struct
    {
        BufferWalk walk = BeginWalk();
        while (walk.MoveNext())
        {
            ReadOnlySpan<byte> data = walk.Data(ref _decompressed, Health);
            if (!EventWalk.GiveAll(data, walk.Header.Cpu, walk.Offset, Health, ref sink))
            {
                return false;
            }
        }

        return CountMissing(walk.Buffers);
    }

    private BufferWalk BeginWalk()
    {
        if (!_input.CanGoBack)
        {
            if (_isUsedUp)
            {
                throw new InvalidOperationException($"{_name} can be read only once");
            }

            _isUsedUp = true;
        }

        Health = NewHealth();
        return new BufferWalk(_window, _hasHeader ? Header : null, Health, _start);
    }

    private BufferIndex BeginIndexed()
    {
        BufferIndex index = Index();
        Health = NewHealth();
        Health.Add(index.Health);
        CountMissing(index.Buffers);
        return index;
    }

    private BufferIndex Index()
    {
        if (_index is not null)
        {
            return _index;
        }

        MakeRereadable();
        return _index = BufferIndex.Of(_input, _hasHeader ? Header : null, _start);
    }

    /// <summary>Copies what can be read once only to a temporary file, which the system deletes when it is closed.</summary>
    private void Spool()
    {
        if (_isUsedUp)
        {
            throw new InvalidOperationException($"{_name} can be read only once");
        }

        _isUsedUp = true; // From here on the pipe is at another place, whatever happens.
        Stream copy = _makeCopy();
        try
        {
            _window.CopyTo(copy);
            copy.Flush();
        }
        catch (IOException failure) when (failure is not EtlFormatException && SpoolFile.IsFull(failure))
        {
            copy.Dispose();
            throw new IOException(
                $"{_name} is copied while it is read, and the disk of {Path.GetTempPath()} is full: free some space, or set "
                + $"{(OperatingSystem.IsWindows() ? "TEMP" : "TMPDIR")} to a folder with more room",
                failure);
        }
        catch
        {
            copy.Dispose();
            throw;
        }

        _input.Dispose();
        _input = TraceInput.OfStream(copy);
        _window = new InputWindow(_input);
    }

    private TraceHealth NewHealth()
    {
        var health = new TraceHealth();
        if (!_hasHeader)
        {
            health.Add(HealthCounter.MissingHeader);
            if (_start > 0)
            {
                health.AddDamage(new DamagedBuffer(0, $"no buffer was found in the first {_start} bytes"));
            }

            return health;
        }

        health.Add(HealthCounter.EventsLost, Header.EventsLost);
        health.Add(HealthCounter.BuffersLost, Header.BuffersLost);
        if (Header.EndFileTime == 0 || Header.BuffersWritten == 0)
        {
            health.Add(HealthCounter.UnfinishedHeader);
        }

        return health;
    }

    /// <summary>Counts what the header counts but the file does not hold.</summary>
    /// <returns>True.</returns>
    private bool CountMissing(long buffers)
    {
        // A ring's header counts what was overwritten too; and what is kept in memory is written when that is asked for, or never.
        const EtlLogFileMode KeepsNewest = EtlLogFileMode.Circular | EtlLogFileMode.Buffering;
        if (_hasHeader && Header.BuffersWritten > buffers && (Header.Mode & KeepsNewest) == 0)
        {
            Health.Add(HealthCounter.MissingBuffers, Header.BuffersWritten - buffers);
        }

        return true;
    }

    private EtlFileHeader? ReadHeader()
    {
        ReadOnlySpan<byte> head = _window.Peek(0, EtlBufferHeader.HeaderBytes);
        if (head.IsEmpty)
        {
            throw new EtlFormatException($"{_name} is empty");
        }

        if (head.Length < EtlBufferHeader.HeaderBytes)
        {
            throw NoTrace();
        }

        EtlBufferHeader buffer = EtlBufferHeader.Read(head);
        if (BufferRules.Implausible(buffer) is not null)
        {
            return null;
        }

        ReadOnlySpan<byte> data = _window.Peek(0, (int)buffer.BufferSize);
        data = BufferDecompression.Data(buffer, data, ref _decompressed, 0, new TraceHealth());
        if (!EtlEvent.TryRead(data[EtlBufferHeader.HeaderBytes..], buffer.Cpu, 0, out EtlEvent first)
            || !LogFileHeaderEvent.TryParse(first, out EtlFileHeader? header))
        {
            return null;
        }

        if (header.LayoutMajor == 1 && header.LayoutMinor < 3 && header.OsMajor < 6)
        {
            throw new EtlFormatException(string.Create(
                CultureInfo.InvariantCulture,
                $"{_name} was written by Windows {header.OsMajor}.{header.OsMinor}, whose layout is not supported: Windows 7 or later is"));
        }

        return header;
    }

    /// <summary>Finds the first good buffer of a trace whose first buffer is damaged.</summary>
    private long FindStart()
    {
        long start = new BufferSearch(_window, new BufferRules(sessionBytes: 0), new TraceHealth()).Find(1, SearchedBytes);
        return start < 0 ? throw NoTrace() : _window.CanGoBack ? 0 : start;
    }

    private EtlFormatException NoTrace() => new($"{_name} is not an .etl trace: neither its start nor what follows is a trace buffer");
}
