using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Slicing;

/// <summary>
/// The first look at a trace of which a part is to be kept: what the records of the part refer to, what was the case when it began, and
/// how much is left behind. One reading, in no order; memory is bounded. Not thread-safe.
/// </summary>
public sealed class SliceSurvey
{
    /// <summary>Most stack keys and files that are told apart; beyond it all are kept.</summary>
    private const int MostReferences = 1 << 20;

    private readonly HashSet<ulong> _stackKeys = [];
    private readonly HashSet<ulong> _files = [];
    private readonly LastStates _states;
    private readonly KeptProbes _probes;
    private readonly LastParked _parked;
    private readonly int _pointerBytes;
    private readonly long[] _firstTicks = new long[EtlBufferHeader.MaximumProcessors];

    private SliceSurvey(EtlFileHeader header, TraceWindow window)
    {
        Window = window;
        _pointerBytes = header.PointerBytes;
        _states = new LastStates(window);
        _probes = new KeptProbes(header.Clock, window);
        _parked = new LastParked(window);
        Array.Fill(_firstTicks, long.MaxValue);
    }

    public TraceWindow Window { get; }

    /// <summary>What stands beside the header event.</summary>
    public HeaderRecords HeaderRecords { get; } = new();

    public LeftBehind Left { get; } = new();

    /// <summary>Highest number of a CPU that has events; -1 where there is none.</summary>
    public int HighestCpu { get; private set; } = -1;

    /// <summary>The first time stamp of a CPU, in ticks; <see cref="long.MaxValue"/> where it has no events.</summary>
    public long FirstTicks(int cpu) => _firstTicks[cpu];

    /// <exception cref="IOException">The storage failed.</exception>
    public static SliceSurvey Of(IEtlReader reader, TraceWindow window)
    {
        ArgumentNullException.ThrowIfNull(reader);
        var survey = new SliceSurvey(reader.Header, window);
        var sink = new Sink(survey);
        reader.Read(EtlOrder.Any, ref sink);
        survey._probes.Complete();
        return survey;
    }

    /// <summary>Whether the window has stacks that a key stands for.</summary>
    internal bool IsStackUsed(in EtlEvent traceEvent) => _stackKeys.Count == MostReferences
        || (StackKeyDefinitionRecord.TryRead(in traceEvent, out StackKeyDefinitionRecord defined) && _stackKeys.Contains(defined.Key));

    /// <summary>Whether a file that a record names may be meant in the window.</summary>
    internal bool IsFileUsed(in EtlEvent traceEvent)
    {
        var payload = new RecordPayload(in traceEvent);
        return _files.Count == MostReferences
            || (payload.Length >= payload.PointerBytes && _files.Contains(payload.Pointer(0)));
    }

    /// <summary>Whether a kernel record is the last before the window of what tells of changes only.</summary>
    internal bool IsLastState(ushort hook, in EtlEvent traceEvent) => _states.IsLast(hook, in traceEvent);

    /// <summary>Whether an event of a provider whose states are known is kept; null for the others.</summary>
    internal bool? IsProvidersKept(in EtlEvent traceEvent) => _probes.IsKept(in traceEvent) ?? _parked.IsKept(in traceEvent);

    private void Add(in EtlEvent traceEvent)
    {
        long ticks = traceEvent.TimestampTicks;
        ushort? known = KernelHook.Of(in traceEvent);
        if (known is { } header && header >> 8 == (int)KernelGroup.Header)
        {
            HeaderRecords.Add(in traceEvent);
            return;
        }

        HighestCpu = Math.Max(HighestCpu, traceEvent.Cpu);
        _firstTicks[traceEvent.Cpu] = Math.Min(_firstTicks[traceEvent.Cpu], ticks);
        if (known is not { } hook)
        {
            _probes.Add(in traceEvent);
            _parked.Add(in traceEvent);
            return;
        }

        bool isIn = Window.Contains(ticks);
        if (!isIn)
        {
            Left.Add(hook);
        }

        switch (hook)
        {
            case KernelHook.StackKernelKey or KernelHook.StackUserKey:
                if (StackKeyRecord.TryRead(in traceEvent, out StackKeyRecord use) && Window.Contains(use.EventTimeStamp)
                    && _stackKeys.Count < MostReferences)
                {
                    _stackKeys.Add(use.Key);
                }

                break;
            case KernelHook.HardFault when HardFaultRecord.TryRead(in traceEvent, out HardFaultRecord fault)
                && (isIn || Window.Contains(fault.InitialTime)):
                AddFile(fault.FileObject);
                break;
            default:
                if (isIn && (KernelGroup)(hook >> 8) is KernelGroup.Io or KernelGroup.File && !FaultedFiles.IsName(hook))
                {
                    AddFiles(in traceEvent);
                }

                _states.Add(hook, in traceEvent);
                break;
        }
    }

    private void AddFile(ulong file)
    {
        if (_files.Count < MostReferences)
        {
            _files.Add(file);
        }
    }

    /// <summary>
    /// Any address in an I/O record may be a file's: versions and opcodes have it at different places, and a name too many does no harm.
    /// </summary>
    private void AddFiles(in EtlEvent traceEvent)
    {
        var payload = new RecordPayload(in traceEvent);
        for (int at = 0; at + _pointerBytes <= payload.Length; at += sizeof(uint))
        {
            ulong word = payload.Pointer(at);
            if (ImageLifetimeRecord.IsKernelAddress(word, _pointerBytes))
            {
                AddFile(word);
            }
        }
    }

    private readonly struct Sink(SliceSurvey survey) : IEtlEventSink
    {
        public bool OnEvent(scoped in EtlEvent traceEvent)
        {
            survey.Add(in traceEvent);
            return true;
        }
    }
}
