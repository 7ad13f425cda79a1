using System.Runtime.CompilerServices;
using Tracer.Analysis.Clocks;
using Tracer.Analysis.Contents;
using Tracer.Etl.Decoding;
using Tracer.Etl.Stacks;

namespace Tracer.Analysis.Facts;

/// <summary>
/// Everything about a trace that must be known before its events can be interpreted, from a first reading: images, threads, stacks, the
/// machine, what was recorded and where. Memory is bounded. Not thread-safe.
/// </summary>
public sealed class TraceFacts
{
    private const ushort GroupMasksExtension = 0x0005;
    private const ushort GroupMasksEndExtension = 0x0020;
    private const ushort PartitionInfo = 0x0050;

    /// <summary>Microsoft-Windows-Kernel-Power and Microsoft-Windows-Kernel-Processor-Power.</summary>
    private static readonly Guid[] PowerProviders =
    [
        StandbyTimes.Provider,
        ParkedProcessors.Provider,
    ];

    /// <summary>
    /// The upper byte of a hook id is its event group; group 0 is that of the header (EVENT_TRACE_GROUP_HEADER in ntwmi.h).
    /// </summary>
    private const int GroupShift = 8;

    /// <summary>Event groups of a session's masks (PERF_DPC and PERF_INTERRUPT in ntwmi.h).</summary>
    internal const uint DpcGroup = 0x2000_0080;

    /// <inheritdoc cref="DpcGroup"/>
    internal const uint InterruptGroup = 0x2000_4000;

    private const uint HardFaultGroup = 0x0000_2000;

    /// <summary>The unit of file times.</summary>
    private const long NanosecondsOfFileTime = 100;

    /// <summary>A header that claims a longer recording is damaged, and believed up to this.</summary>
    private const long LongestSeconds = 366L * 24 * 3600;

    /// <summary>
    /// The trace is counted in so many parts, by as many threads at most: their number must not follow the machine's, or results would.
    /// </summary>
    internal const int Counters = 8;

    private readonly CpuSlots<CpuActivity> _cpuByIndex = new();
    private readonly Counter[] _counters;
    private readonly int _pointerBytes;
    private readonly long _ticksPerSecond;
    private readonly uint[] _groupMasks = new uint[GroupMasksRecord.WordCount];
    private readonly List<CpuActivity> _cpus = [];
    private bool _isInPartition;
    private bool _hasHypervisorEvents;

    private TraceFacts(EtlFileHeader header, bool hasHeader, Func<TmfCatalog?> messages, long maximumStackBytes)
    {
        _counters = [.. Enumerable.Range(0, Counters).Select(_ => new Counter(header.PointerBytes))];
        Contents = new TraceContents(messages);
        Stacks = new StackDefinitions(maximumStackBytes);
        DateTime? recordedAt = hasHeader && header.Clock.FileTimeAt(header.Clock.HeaderTicks) is { } start and > 0
            ? DateTime.FromFileTimeUtc(start)
            : null;
        EndTicks = hasHeader && header.EndFileTime > header.Clock.StartFileTime && header.Clock.StartFileTime > 0
            ? header.Clock.TicksAt(NanosecondsOfFileTime * Math.Min(
                header.EndFileTime - header.Clock.StartFileTime, LongestSeconds * TimeSpan.TicksPerSecond))
            : null;
        KeepsNewest = (header.Mode & (EtlLogFileMode.Circular | EtlLogFileMode.Buffering)) != 0;
        _pointerBytes = header.PointerBytes;
        _ticksPerSecond = header.Clock.TicksPerSecond;
        Images = new ImageTable(header.PointerBytes, recordedAt);
        Tracer = new TracerEvents(header.Clock);
    }

    /// <summary>The kinds of events, the machine, its load.</summary>
    public TraceContents Contents { get; }

    public StackDefinitions Stacks { get; }

    /// <summary>Which image was mapped where and when.</summary>
    public ImageTable Images { get; }

    public ThreadTable Threads { get; } = new();

    /// <summary>Devices and their drivers, and the numbers of processors.</summary>
    public DriverDevices Devices { get; } = new();

    /// <summary>What our own driver and probe process measured.</summary>
    public TracerEvents Tracer { get; }

    public SampleIntervals SampleIntervals { get; } = new();

    public AcpiMethods AcpiMethods { get; } = new();

    /// <summary>When .NET runtimes had suspended the threads of their processes.</summary>
    public RuntimePauses RuntimePauses { get; } = new();

    /// <summary>Windows' own records that something was late.</summary>
    public GlitchRecords Glitches => Contents.Glitches;

    /// <summary>What Windows recorded as glitches; where a process is asked about, its late frames as well.</summary>
    /// <param name="process">Its image or id; null for none.</param>
    public IReadOnlyList<RecordedGlitch> GlitchesOf(string? process) => process is null || Glitches.LateFrames.Count == 0
        ? Glitches.All
        :
        [
            .. Glitches.All.Concat(Glitches.LateFrames.Where(frame => frame.Records[0].Process is var id
                && ThreadTable.IsMeant(process, id, Threads.NameOf(id, frame.Ticks)))).OrderBy(glitch => glitch.Ticks),
        ];

    /// <summary>The marks that people set.</summary>
    public TraceMarks Marks { get; } = new();

    /// <summary>Names of the files in which pages were faulted in.</summary>
    public FaultedFiles FaultedFiles { get; } = new();

    public ParkedProcessors Parked { get; } = new();

    /// <summary>When the machine was in Modern Standby.</summary>
    public StandbyTimes Standby { get; } = new();

    /// <summary>Time stamp of the first event, in ticks; 0 where there is none.</summary>
    internal long FirstTicks => Contents.FirstTicks ?? 0;

    /// <summary>Time stamp of the last event, in ticks; 0 where there is none.</summary>
    internal long LastTicks => Contents.LastTicks ?? 0;

    /// <summary>The interrupt that takes the profile samples, if the trace has records of it.</summary>
    public ProfileInterrupt ProfileInterrupt { get; } = new();

    /// <summary>The processors that have events, sorted by index.</summary>
    public IReadOnlyList<CpuActivity> Cpus => _cpus;

    /// <summary>CPUs whose clocks disagree with the others; null where the clocks agree as far as the trace tells.</summary>
    public ClockDisagreement? Clocks => Contents.Clocks;

    /// <summary>Oddities found by this reading.</summary>
    public TraceHealth Health { get; private set; } = new();

    /// <summary>Where events may be missing, in order of time; see <see cref="EtlReader.Losses"/>.</summary>
    public IReadOnlyList<TraceLoss> Losses { get; private set; } = [];

    /// <summary>
    /// Whether the trace tells which event groups were enabled. If not, the absence of a kind of event may mean either that it was not
    /// recorded or that it did not happen.
    /// </summary>
    public bool HasGroupMasks => _groupMasks.AsSpan().ContainsAnyExcept(0u);

    /// <summary>
    /// Whether DPCs were recorded. A running Windows has one each second: where a longer trace has none they are missing, whatever was
    /// switched on.
    /// </summary>
    public bool HasDpcs => _cpus.Exists(cpu => cpu.Dpcs > 0)
        || (WasOn(DpcGroup) && LastTicks - FirstTicks < _ticksPerSecond);

    /// <summary>
    /// Whether all that may interrupt a thread was recorded: only then what is left of its time on a CPU is its own work.
    /// </summary>
    public bool HasInterruptions => HasDpcs && (WasOn(InterruptGroup) || _cpus.Exists(cpu => cpu.Isrs > 0));

    /// <summary>Whether hard page faults were recorded, if there were any.</summary>
    public bool HasHardFaults => WasOn(HardFaultGroup) || FaultedFiles.HasAny;

    /// <summary>
    /// Whether the system ran on a hypervisor: it had a hypercall page, ran in a partition, or a hypervisor logged events. Null where the
    /// trace does not tell; no trace can tell that there was none.
    /// </summary>
    public bool? HasHypervisor => Contents.Machine.Hypervisor == true || _isInPartition || _hasHypervisorEvents ? true : null;

    /// <summary>Whether the recording overwrote its oldest records where it had no room for more.</summary>
    internal bool KeepsNewest { get; }

    /// <summary>
    /// When the recording ended, as the file's header tells, in ticks: the file may hold less. Null where the header does not tell.
    /// </summary>
    internal long? EndTicks { get; }

    private IEnumerable<FrequentCounts> AllFrequent => _counters.SelectMany(counter => counter.ByCpu.Items);

    /// <summary>
    /// The highest priority of a thread that was switched in anywhere in the trace, the idle threads left out; -1 where none was.
    /// </summary>
    internal int HighestPriority => AllFrequent.Select(frequent => frequent.HighestPriority).DefaultIfEmpty(-1).Max();

    /// <summary>
    /// Whether the trace holds power events (idle states, frequencies, sleep), from the kernel's power group or from the power providers.
    /// </summary>
    public bool HasPowerEvents { get; private set; }

    /// <summary>How many records the tables ignored because they made no sense or would have taken too much memory.</summary>
    public long Dropped => Images.Dropped + Threads.Dropped + SampleIntervals.Dropped + AcpiMethods.Damaged + Stacks.Dropped
        + Devices.Dropped + RuntimePauses.Dropped + Parked.Dropped + Standby.Dropped + Tracer.Bad + Tracer.Dropped + Glitches.Doubtful;

    /// <summary>Reads a whole trace, in the fastest order.</summary>
    /// <param name="reader">The trace. If it is a pipe, this method copies it to a temporary file, so that it can be read again.</param>
    /// <param name="messages">Loads the formats of WPP messages; called only if there are such messages, may return null.</param>
    /// <param name="maximumStackBytes">Most memory for the definitions of stack keys, in bytes.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static TraceFacts Read(
        IEtlReader reader, Func<TmfCatalog?>? messages = null, long maximumStackBytes = StackDefinitions.DefaultMaximumBytes)
    {
        ArgumentNullException.ThrowIfNull(reader);
        bool hasHeader = true;
        ClockDisagreement? clocks = null;
        if (reader is EtlReader file)
        {
            file.MakeRereadable();
            clocks = ClockOffsets.Settle(file);
            hasHeader = file.HasHeader;
        }

        var facts = new TraceFacts(reader.Header, hasHeader, messages ?? (() => null), maximumStackBytes);
        facts.Contents.Begin(reader.Header, withRates: false);
        var sink = new Sink(facts);
        if (reader is EtlReader counted)
        {
            facts.Contents.Settled(counted, clocks);
            counted.ReadCounting(facts._counters, ref sink);
        }
        else
        {
            reader.Read(EtlOrder.Any, ref sink);
        }

        facts.Contents.End(reader.Health);
        facts.Health = reader.Health;
        int threads = reader is EtlReader { Threads: var most } ? most : 1;
        facts.Losses = BesideWork.Do(threads, () => (reader as EtlReader)?.Losses ?? [], () => facts.Complete(threads));
        return facts;
    }

    /// <summary>Whether an event group was enabled at any time.</summary>
    /// <param name="groupConstant">
    /// The constant of the API, with the index of the word in its top three bits: 0x20000080 is bit 0x80 of word 1, DPCs.
    /// </param>
    public bool WasOn(uint groupConstant) => (_groupMasks[(int)(groupConstant >> 29)] & groupConstant & 0x1FFF_FFFF) != 0;

    /// <summary>The activity of a processor; null where the trace has no events of it.</summary>
    public CpuActivity? Cpu(int cpu) => _cpuByIndex[cpu];

    public TraceSummary Summary(string path, EtlReader reader)
    {
        ArgumentNullException.ThrowIfNull(path);
        ArgumentNullException.ThrowIfNull(reader);
        TraceSummary summary = InfoReportOfTrace.Trace(path, reader, Contents, Health);
        return summary with { Machine = summary.Machine with { Hypervisor = summary.Machine.Hypervisor ?? HasHypervisor } };
    }

    /// <param name="threads">How many threads may be used.</param>
    private void Complete(int threads)
    {
        foreach (Counter counter in _counters)
        {
            foreach ((int cpu, FrequentCounts frequent) in counter.ByCpu.All)
            {
                AddFrequent(cpu, frequent);
            }
        }

        Images.Complete(threads);
        ProfileInterrupt.Find([.. AllFrequent.Select(frequent => frequent.Interrupts)]);
        Threads.Complete();
        SampleIntervals.Complete();
        AcpiMethods.Complete();
        RuntimePauses.Complete();
        Devices.Complete();
        Parked.Complete(Devices.ProcessorOf, EtlBufferHeader.MaximumProcessors);
        Standby.Complete();
        Tracer.Complete();
        Marks.Add(Tracer.Recorder);
        _cpus.AddRange(_cpuByIndex.Items);
        HasPowerEvents = InfoReportOfTrace.Has(Contents).Power
            || Contents.Counts.Classes.Any(count => Array.IndexOf(PowerProviders, count.Provider) >= 0);
    }

    /// <summary>The stacks of the trace, each with its count and the time of its first occurrence.</summary>
    internal IEnumerable<CallStacks> CallStacks()
    {
        CallStacks keyed = new(_pointerBytes);
        for (int list = 0; list < Stacks.DifferentStacks; list++)
        {
            keyed.Add(Stacks.FramesOf(list), LastTicks);
        }

        return [.. _counters.Select(counter => counter.Stacks), keyed];
    }

    /// <summary>Forgets the stacks that only <see cref="CallStacks"/> is for: they may take a fifth of what blame takes.</summary>
    internal void ForgetCallStacks()
    {
        foreach (Counter counter in _counters)
        {
            counter.Stacks.Clear();
        }
    }

    /// <summary>The numbers of the message-signalled interrupts that a routine served on all CPUs, a bit each.</summary>
    internal ulong MessagesOf(ulong routine) => AllFrequent
        .Select(frequent => frequent.Interrupts.Counts.GetValueOrDefault(routine).Messages)
        .Aggregate(0UL, static (all, messages) => all | messages);

    /// <summary>The routines of ISRs and DPCs.</summary>
    internal IEnumerable<ulong> InterruptRoutines() => AllFrequent
        .SelectMany(frequent => frequent.Interrupts.Counts.Keys.Concat(frequent.Interrupts.Dpcs)).Distinct();

    private void Add(in EtlEvent traceEvent)
    {
        ushort? kernelHook = Contents.Add(in traceEvent);
        CpuActivity? cpu = null;
        if ((uint)traceEvent.Cpu < EtlBufferHeader.MaximumProcessors)
        {
            cpu = ActivityOf(traceEvent.Cpu);
            cpu.Events++;
            long ticks = traceEvent.TimestampTicks;
            // The header's own events are written when the session starts, however much of the CPU's buffers is overwritten later.
            bool isOfHeader = kernelHook is { } hook && hook >> GroupShift == 0;
            if (!isOfHeader && (ticks != 0 || traceEvent.Kind != EtlHeaderKind.Message))
            {
                cpu.FirstTicks = Math.Min(cpu.FirstTicks, ticks);
                cpu.LastTicks = Math.Max(cpu.LastTicks, ticks);
            }
        }

        if (kernelHook is not { } hookId)
        {
            AddOther(in traceEvent);
        }
        else if (cpu is null || !IsCounted(cpu, hookId))
        {
            AddKernel(hookId, in traceEvent);
        }
    }

    private CpuActivity ActivityOf(int cpu) => _cpuByIndex[cpu] ?? _cpuByIndex.Add(cpu, new CpuActivity { Cpu = cpu });

    private void AddFrequent(int cpu, FrequentCounts frequent)
    {
        CpuActivity activity = ActivityOf(cpu);
        activity.FirstTicks = Math.Min(activity.FirstTicks, frequent.FirstTicks);
        activity.LastTicks = Math.Max(activity.LastTicks, frequent.LastTicks);
        Contents.Widen(frequent.FirstTicks, frequent.LastTicks);
        foreach ((ushort hookId, EtlHeaderKind kind, ushort version, long count, long bytes) in frequent.All)
        {
            activity.Events += count;
            IsCounted(activity, hookId, count);
            Contents.Add(hookId, kind, version, count, bytes);
        }
    }

    /// <summary>Counts an event of a frequent kind.</summary>
    /// <returns>Whether nothing else need be known of the event.</returns>
    private static bool IsCounted(CpuActivity cpu, ushort hookId, long count = 1)
    {
        switch (hookId)
        {
            case KernelHook.SampledProfile:
                cpu.Samples += count;
                return true;
            case KernelHook.ContextSwitch or KernelHook.CompactContextSwitch:
                cpu.ContextSwitches += count;
                return true;
            case KernelHook.ReadyThread:
                cpu.ReadyThreads += count;
                return true;
            case KernelHook.Isr or KernelHook.IsrMessageSignalled or KernelHook.PassiveIsr:
                cpu.Isrs += count;
                return true;
            case KernelHook.Dpc or KernelHook.ThreadedDpc or KernelHook.TimerDpc or KernelHook.IoTimerDpc:
                cpu.Dpcs += count;
                return true;
            default:
                return false;
        }
    }

    private void AddKernel(ushort hookId, in EtlEvent traceEvent)
    {
        switch ((KernelGroup)(hookId >> 8))
        {
            case KernelGroup.Process or KernelGroup.Image:
                Images.Add(hookId, in traceEvent);
                Threads.Add(hookId, in traceEvent);
                break;
            case KernelGroup.Thread:
                Threads.Add(hookId, in traceEvent);
                break;
            case KernelGroup.StackWalk:
                Stacks.OnEvent(in traceEvent);
                Threads.Add(hookId, in traceEvent);
                break;
            case KernelGroup.PerfInfo:
                SampleIntervals.Add(hookId, in traceEvent);
                Marks.Add(hookId, in traceEvent);
                break;
            case KernelGroup.Memory when hookId == KernelHook.HardFault:
                FaultedFiles.AddFault(in traceEvent);
                Threads.Add(in traceEvent);
                break;
            case KernelGroup.SystemConfig:
                Devices.Add(hookId, in traceEvent);
                Standby.AddConfiguration(hookId, in traceEvent);
                Threads.Add(in traceEvent);
                break;
            case KernelGroup.Header:
                AddHeader(hookId, in traceEvent);
                Threads.Add(in traceEvent);
                break;
            case KernelGroup.Hypervisor or KernelGroup.HypervisorExtended:
                _hasHypervisorEvents = true;
                Threads.Add(in traceEvent);
                break;
            default:
                Threads.Add(in traceEvent);
                break;
        }
    }

    /// <summary>Adds an event without a hook id.</summary>
    private void AddOther(in EtlEvent traceEvent)
    {
        Images.Add(in traceEvent);
        Threads.Add(in traceEvent);
        AcpiMethods.Add(in traceEvent);
        RuntimePauses.Add(in traceEvent);
        Parked.Add(in traceEvent);
        Standby.Add(in traceEvent);
        Tracer.Add(in traceEvent);
        Stacks.OnEvent(in traceEvent);
    }

    private void AddHeader(ushort hookId, in EtlEvent traceEvent)
    {
        if (hookId is GroupMasksExtension or GroupMasksEndExtension
            && GroupMasksRecord.TryRead(in traceEvent, out GroupMasksRecord masks))
        {
            for (int word = 0; word < _groupMasks.Length; word++)
            {
                _groupMasks[word] |= masks.GroupMask(word);
            }
        }
        else if (hookId == PartitionInfo && PartitionInfoRecord.TryRead(in traceEvent, out PartitionInfoRecord partition))
        {
            _isInPartition |= partition.PartitionId != Guid.Empty;
        }
    }

    /// <summary>Counts the most frequent events, by CPU.</summary>
    internal readonly struct Counter(int pointerBytes) : IEtlEventCounter
    {
        public CallStacks Stacks { get; } = new(pointerBytes);

        public CpuSlots<FrequentCounts> ByCpu { get; } = new();

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public bool TryCount(scoped in EtlEvent traceEvent) => traceEvent.IsKernelHook
            && (uint)traceEvent.Cpu < EtlBufferHeader.MaximumProcessors
            && (ByCpu[traceEvent.Cpu] ?? Add(traceEvent.Cpu)).TryCount(in traceEvent);

        private FrequentCounts Add(int cpu) => ByCpu.Add(cpu, new FrequentCounts(Stacks));
    }

    private readonly struct Sink(TraceFacts facts) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            facts.Add(in traceEvent);
            return true;
        }
    }
}
