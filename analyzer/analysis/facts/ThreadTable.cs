namespace Tracer.Analysis.Facts;

/// <summary>
/// Which process a thread belonged to, and what a process was called, at a given time: ids are reused. Add events in any order, call
/// <see cref="Complete"/> once, then query. Memory is bounded. Queries are thread-safe.
/// </summary>
/// <remarks>
/// Thread_TypeGroup1 and Process_TypeGroup1 (MOF). Where no thread record tells, the ids in event headers (of the logging thread) and in
/// stack records are used.
/// </remarks>
public sealed class ThreadTable
{
    public const uint IdleProcess = 0;

    /// <summary>The process of the kernel's own threads.</summary>
    public const uint SystemProcess = 4;

    private const int MaximumRecords = 1 << 20;
    private const int MaximumLives = 1 << 19;

    private const ushort ProcessStart = 0x0301;
    private const ushort ProcessEnd = 0x0302;
    private const ushort ProcessDCStart = 0x0303;
    private const ushort ProcessDCEnd = 0x0304;
    private const ushort ProcessDefunct = 0x0327;
    private const ushort ThreadStart = 0x0501;
    private const ushort ThreadEnd = 0x0502;
    private const ushort ThreadDCStart = 0x0503;
    private const ushort ThreadDCEnd = 0x0504;
    private const ushort ThreadSetName = 0x0548;

    private readonly NamePool _names = new();
    private readonly List<ThreadLifetimeRecord> _threadRecords = [];
    private readonly List<ProcessLifetimeRecord> _processRecords = [];
    private readonly List<(long Ticks, uint ThreadId, string Name)> _givenNames = [];
    private readonly ThreadPairs _pairs = new();
    private ThreadLife[] _threads = [];
    private ProcessLife[] _processes = [];
    private LivesById _threadsById = new([]);
    private LivesById _processesById = new([]);
    private bool _isComplete;

    /// <summary>All threads with records, sorted by id and then by time.</summary>
    public IReadOnlyList<ThreadLife> Threads => _threads;

    /// <summary>All processes with records, sorted by id and then by time.</summary>
    public IReadOnlyList<ProcessLife> Processes => _processes;

    /// <summary>How many records were ignored because they were too short or would have taken too much memory.</summary>
    public long Dropped { get; private set; }

    /// <summary>Whether a user who names a process, by its image or its id, means one.</summary>
    /// <param name="name">Its image's name; null where it is not known.</param>
    public static bool IsMeant(string asked, uint process, string? name) =>
        string.Equals(name, asked, StringComparison.OrdinalIgnoreCase)
        || string.Equals(process.ToString(CultureInfo.InvariantCulture), asked, StringComparison.Ordinal);

    /// <summary>Adds a kernel event; events about neither threads nor processes are ignored.</summary>
    /// <param name="hookId">The event's hook id, also where it has a classic header.</param>
    public void Add(ushort hookId, in EtlEvent traceEvent)
    {
        switch (hookId)
        {
            case ThreadStart:
                AddThread(LifetimeRecordKind.Start, in traceEvent);
                break;
            case ThreadEnd:
                AddThread(LifetimeRecordKind.End, in traceEvent);
                break;
            case ThreadDCStart or ThreadDCEnd:
                AddThread(LifetimeRecordKind.There, in traceEvent);
                break;
            case ProcessStart:
                AddProcess(LifetimeRecordKind.Start, in traceEvent);
                break;
            case ProcessEnd or ProcessDefunct:
                AddProcess(LifetimeRecordKind.End, in traceEvent);
                break;
            case ProcessDCStart or ProcessDCEnd:
                AddProcess(LifetimeRecordKind.There, in traceEvent);
                break;
            case ThreadSetName when ThreadNameRecord.TryRead(in traceEvent, out ThreadNameRecord named):
                if (_givenNames.Count < MaximumRecords)
                {
                    _givenNames.Add((traceEvent.TimestampTicks, named.ThreadId, _names.OfUtf16(named.Name)));
                }

                _pairs.Add(named.ThreadId, named.ProcessId, traceEvent.TimestampTicks);
                break;
            case KernelHook.Stack when StackRecord.TryRead(in traceEvent, out StackRecord stack):
                _pairs.Add(stack.ThreadId, stack.ProcessId, stack.EventTimeStamp);
                break;
            case KernelHook.StackKernelKey or KernelHook.StackUserKey
                when StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord key):
                _pairs.Add(key.ThreadId, key.ProcessId, key.EventTimeStamp);
                break;
            default:
                break;
        }

        Add(in traceEvent);
    }

    /// <summary>Adds any other event: its header may name the thread that logged it and that thread's process.</summary>
    public void Add(in EtlEvent traceEvent)
    {
        if (traceEvent.Kind is EtlHeaderKind.PerfInfo64 or EtlHeaderKind.PerfInfo32 or EtlHeaderKind.Message)
        {
            return;
        }

        _pairs.Add(traceEvent.ThreadId, traceEvent.ProcessId, traceEvent.TimestampTicks);
    }

    /// <summary>Adds that a thread was seen in a process, as a stack record tells it.</summary>
    public void AddPair(uint threadId, uint processId, long ticks) => _pairs.Add(threadId, processId, ticks);

    /// <summary>Builds the lifetimes from all records.</summary>
    public void Complete()
    {
        if (_isComplete)
        {
            return;
        }

        _isComplete = true;
        _pairs.Complete();
        List<Lifetime<ThreadLifetimeRecord>> threads = Lifetimes.Of(_threadRecords, MaximumLives, out long droppedThreads);
        _threadsById = new LivesById([.. threads.Select(life => life.FromTicks)]);
        _threads = new ThreadLife[threads.Count];
        for (int i = 0; i < _threads.Length; i++)
        {
            _threads[i] = Thread(threads[i]);
            _threadsById.Add(_threads[i].ThreadId, i);
        }

        _givenNames.Sort();
        foreach ((long ticks, uint threadId, string name) in _givenNames)
        {
            if (_threadsById.Find(threadId, ticks) is >= 0 and int at)
            {
                _threads[at] = _threads[at] with { Name = name.Length > 0 ? name : null };
            }
        }

        List<Lifetime<ProcessLifetimeRecord>> processes = Lifetimes.Of(_processRecords, MaximumLives, out long droppedProcesses);
        _processesById = new LivesById([.. processes.Select(life => life.FromTicks)]);
        _processes = new ProcessLife[processes.Count];
        for (int i = 0; i < _processes.Length; i++)
        {
            _processes[i] = Process(processes[i]);
            _processesById.Add(_processes[i].ProcessId, i);
        }

        _threadRecords.Clear();
        _processRecords.Clear();
        _givenNames.Clear();
        Dropped += droppedThreads + droppedProcesses + _pairs.Dropped + _names.Dropped;
    }

    /// <param name="threadId">The thread; 0 is an idle thread.</param>
    /// <returns>Null where the trace does not tell.</returns>
    public uint? ProcessOf(uint threadId, long ticks) => threadId == 0
        ? IdleProcess
        : _threadsById.Find(threadId, ticks) is >= 0 and int at ? _threads[at].ProcessId : _pairs.ProcessOf(threadId, ticks);

    /// <summary>The lifetime of a thread according to its records.</summary>
    /// <param name="ticks">The time, in ticks; a thread that has ended is still found until its id is reused.</param>
    /// <returns>Null where no record tells.</returns>
    public ThreadLife? Find(uint threadId, long ticks) =>
        _threadsById.Find(threadId, ticks) is >= 0 and int at ? _threads[at] : null;

    /// <summary>The lifetime of a process according to its records.</summary>
    /// <param name="ticks">The time, in ticks; a process that has ended is still found until its id is reused.</param>
    /// <returns>Null where no record tells.</returns>
    public ProcessLife? FindProcess(uint processId, long ticks) =>
        _processesById.Find(processId, ticks) is >= 0 and int at ? _processes[at] : null;

    /// <summary>The name of a process: the file name of its image.</summary>
    /// <returns>Null where the trace does not tell.</returns>
    public string? NameOf(uint processId, long ticks) => FindProcess(processId, ticks)?.ImageName ?? processId switch
    {
        IdleProcess => "Idle",
        SystemProcess => "System",
        _ => null,
    };

    private static ThreadLife Thread(in Lifetime<ThreadLifetimeRecord> life) => new()
    {
        ThreadId = life.What.ThreadId,
        ProcessId = life.What.ProcessId,
        FromTicks = life.FromTicks,
        ToTicks = life.ToTicks,
        BasePriority = life.What.BasePriority,
        Affinity = life.What.Affinity != 0 ? life.What.Affinity : null,
        StartAddress = life.What.StartAddress != 0 ? life.What.StartAddress : null,
        Name = life.What.Name.Length > 0 ? life.What.Name : null,
    };

    private static ProcessLife Process(in Lifetime<ProcessLifetimeRecord> life) => new()
    {
        ProcessId = life.What.ProcessId,
        ParentId = life.What.ParentId,
        FromTicks = life.FromTicks,
        ToTicks = life.ToTicks,
        ImageName = life.What.Name.Length > 0 ? life.What.Name : null,
    };

    private void AddThread(LifetimeRecordKind kind, in EtlEvent traceEvent)
    {
        if (_threadRecords.Count == MaximumRecords || !ThreadRecord.TryRead(in traceEvent, out ThreadRecord record))
        {
            Dropped++;
        }
        else if (record.ThreadId != 0)
        {
            _threadRecords.Add(new ThreadLifetimeRecord(
                record.ThreadId,
                record.ProcessId,
                traceEvent.TimestampTicks,
                kind,
                record.BasePriority is >= 0 and <= 31 and sbyte priority ? priority : null,
                record.Affinity ?? 0,
                record.Win32StartAddr ?? 0,
                _names.OfUtf16(record.ThreadName)));
        }
    }

    private void AddProcess(LifetimeRecordKind kind, in EtlEvent traceEvent)
    {
        if (_processRecords.Count == MaximumRecords || !ProcessRecord.TryRead(in traceEvent, out ProcessRecord record))
        {
            Dropped++;
            return;
        }

        _processRecords.Add(new ProcessLifetimeRecord(
            record.ProcessId,
            record.UniqueProcessKey ?? 0,
            record.ParentId,
            traceEvent.TimestampTicks,
            kind,
            _names.OfText8(record.ImageFileName)));
    }
}
