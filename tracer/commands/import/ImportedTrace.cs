using System.Runtime.InteropServices;
using System.Text;
using Tracer.Capture.Driver;
using Tracer.Etl.Kernel;

namespace Tracer.TracerCommand.Commands.Import;

/// <summary>
/// Writes a recording of the driver as a trace: its modules as kernel images with the ids of their PDBs, its records as events of the
/// Tracer provider. A run that measured in the performance counter has it as the trace's clock. For others, such as a bare machine's, one
/// is made from the run's clock, at 10 MHz. Records have no date: the run begins on a fixed day, so that the same recording gives the same
/// bytes.
/// </summary>
internal sealed class ImportedTrace
{
    private const long MadeCounterHz = 10_000_000;
    private const long LongestRunSeconds = 31L * 24 * 3600;
    private const uint UnknownCpuMhz = 1000;
    private const int MostModules = 4096;
    private const uint SystemProcess = 4;
    private const byte ImageVersion = 2;
    private const byte ImageIdVersion = 2;
    private const int LargestPayload = 512;

    private static readonly long Day = new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc).ToFileTimeUtc();
    private static readonly TraceLoggingEventSchema StartSchema = TracerProvider.Start.Schema();
    private static readonly TraceLoggingEventSchema SyncSchema = TracerProvider.ClockSync.Schema();
    private static readonly TraceLoggingEventSchema WakeupSchema = TracerProvider.Wakeup.Schema();
    private static readonly TraceLoggingEventSchema FirstWakeupSchema = TracerProvider.WakeupVersion1.Schema();
    private static readonly TraceLoggingEventSchema TimerStateSchema = TracerProvider.TimerState.Schema();
    private static readonly TraceLoggingEventSchema BeginSchema = TracerProvider.EpisodeBegin.Schema();
    private static readonly TraceLoggingEventSchema SampleSchema = TracerProvider.PitSample.Schema();
    private static readonly TraceLoggingEventSchema EndSchema = TracerProvider.EpisodeEnd.Schema();
    private static readonly TraceLoggingEventSchema StopSchema = TracerProvider.Stop.Schema();

    private readonly RecordingOverview _overview;
    private readonly TraceClock _clock;
    private readonly EtlWriter _writer;
    private readonly byte[] _payload = new byte[LargestPayload];

    /// <summary>Time of the latest record: the others were written in this order.</summary>
    private long _now;

    private ImportedTrace(RecordingOverview overview, TraceClock clock, EtlWriter writer)
    {
        _overview = overview;
        _clock = clock;
        _writer = writer;
        _now = clock.HeaderTicks;
    }

    public int Modules { get; private set; }

    public long Wakeups { get; private set; }

    public long Episodes { get; private set; }

    public long Samples { get; private set; }

    /// <summary>Bytes that belong to no record.</summary>
    public long DamagedBytes { get; private set; }

    /// <summary>Records left out, because they say what can't be.</summary>
    public long BadRecords { get; private set; }

    /// <param name="overview">What a first reading of them gave.</param>
    /// <param name="output">Takes the trace; it must be able to seek, and stays open.</param>
    /// <exception cref="IOException">The storage failed.</exception>
    public static ImportedTrace Write(Stream recording, RecordingOverview overview, Stream output)
    {
        bool hasCounter = overview.Clock == ProbeClock.Qpc;
        TraceClock clock = hasCounter
            ? new(TraceClockKind.Qpc, (long)overview.ClockHz, (long)overview.FirstClock, Day)
            : new(TraceClockKind.Qpc, MadeCounterHz, MadeCounterHz, Day);
        var header = new EtlFileHeader
        {
            Clock = clock,
            ProcessorCount = overview.Cpus,
            CpuMhz = hasCounter ? UnknownCpuMhz : (uint)(overview.ClockHz / 1_000_000),
            BootFileTime = Day,
            SessionName = TracerProvider.Name,
        };
        using var writer = EtlWriter.Create(output, header, leaveOpen: true);
        var trace = new ImportedTrace(overview, clock, writer);
        var reader = new DriverRecordReader(recording);
        while (reader.TryRead(out ReadOnlySpan<byte> record))
        {
            if (!trace.Add(record))
            {
                trace.BadRecords++;
            }
        }

        trace.DamagedBytes = reader.DamagedBytes;
        writer.Complete(Day + (TickRate.NanosecondsOf(trace._now - clock.HeaderTicks, clock.TicksPerSecond) / TimeSpan.NanosecondsPerTick));
        return trace;
    }

    /// <summary>A name up to its NUL; null where it has none, is empty, or is no file name in UTF-8.</summary>
    private static string? NameIn(ReadOnlySpan<byte> bytes)
    {
        int length = bytes.IndexOf((byte)0);
        if (length <= 0)
        {
            return null;
        }

        string name;
        try
        {
            name = new UTF8Encoding(false, throwOnInvalidBytes: true).GetString(bytes[..length]);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }

        return name.AsSpan().ContainsAny('/', '\\') || name.Any(char.IsControl) ? null : name;
    }

    /// <summary>Threads of different priorities are different threads; Windows numbers them by fours.</summary>
    private static uint ThreadOf(int cpu, byte priority) => 4 * (2 + ((uint)cpu * 32) + Math.Min(priority, (byte)31));

    private bool Add(ReadOnlySpan<byte> record) => MemoryMarshal.Read<DriverRecordHeader>(record).Type switch
    {
        DriverRecordType.Start => AddStart(MemoryMarshal.Read<StartRecord>(record)),
        DriverRecordType.ClockSync => AddClockSync(MemoryMarshal.Read<ClockSyncRecord>(record)),
        DriverRecordType.Wakeup => AddWakeup(DriverRecordShape.WakeupOf(record)),
        DriverRecordType.EpisodeBegin => AddEpisodeBegin(MemoryMarshal.Read<EpisodeBeginRecord>(record)),
        DriverRecordType.PitSample => AddSample(record),
        DriverRecordType.EpisodeEnd => AddEpisodeEnd(MemoryMarshal.Read<EpisodeEndRecord>(record)),
        DriverRecordType.Stop => AddStop(MemoryMarshal.Read<StopRecord>(record)),
        DriverRecordType.TimerState => AddTimerState(MemoryMarshal.Read<TimerStateRecord>(record)),
        _ => AddModule(MemoryMarshal.Read<ModuleRecord>(record)),
    };

    /// <summary>
    /// A moment of the run in ticks of the trace, before which nothing is written any more; false for one that can't be of this run.
    /// </summary>
    private bool Advance(ulong clock, out long ticks)
    {
        Int128 hz = _clock.TicksPerSecond;
        Int128 sinceFirst = ((Int128)clock - _overview.FirstClock) * hz / _overview.ClockHz;
        Int128 at = _clock.HeaderTicks + sinceFirst;
        bool isOfRun = sinceFirst >= -hz && sinceFirst <= LongestRunSeconds * hz && at >= 0;
        ticks = isOfRun ? (long)at : 0;
        _now = Math.Max(_now, ticks);
        return isOfRun;
    }

    private bool AddStart(in StartRecord start)
    {
        if (start.PriorityCount > DriverAbi.MaxPriorities)
        {
            return false;
        }

        var told = new StartEvent
        {
            Mode = (byte)start.Mode,
            Clock = (byte)start.Clock,
            ClockHz = start.ClockHz,
            ThresholdNs = start.ThresholdNs,
            PeriodNs = start.PeriodNs,
            FloorNs = start.FloorNs,
        };
        ReadOnlySpan<byte> priorities = start.Priorities;
        Log(StartSchema, start.Header.Cpu, 0, told.Payload(_payload, priorities[..start.PriorityCount], start.Capabilities));
        return true;
    }

    /// <summary>The counter that the record names is the trace's only where the run measured in it.</summary>
    private bool AddClockSync(in ClockSyncRecord sync)
    {
        if (!Advance(sync.Clock, out long ticks))
        {
            return false;
        }

        var told = new ClockSyncEvent { Clock = sync.Clock, Qpc = (ulong)ticks };
        Log(SyncSchema, sync.Header.Cpu, 0, ProviderPayload.Of(in told));
        return true;
    }

    private bool AddWakeup(in WakeupRecord wakeup)
    {
        if (!Advance(wakeup.Thread, out _))
        {
            return false;
        }

        var told = new WakeupEvent
        {
            Sequence = wakeup.Sequence,
            Cpu = wakeup.Header.Cpu,
            Mode = (byte)wakeup.Mode,
            Expected = wakeup.Expected,
            Isr = wakeup.Isr,
            Dpc = wakeup.Dpc,
            Thread = wakeup.Thread,
            Priority = wakeup.Priority,
            InterruptedIp = wakeup.InterruptedIp,
            InterruptedCs = wakeup.InterruptedCs,
            Tick = wakeup.Tick,
            TimerCpu = wakeup.TimerCpu,
            Callback = wakeup.Callback,
            Queued = wakeup.Queued,
        };
        bool isVersion1 = wakeup.Header.Size == DriverAbi.WakeupBytesVersion1;
        Log(
            isVersion1 ? FirstWakeupSchema : WakeupSchema, wakeup.Header.Cpu, ThreadOf(wakeup.Header.Cpu, wakeup.Priority),
            WakeupEvent.Payload(in told, isVersion1));
        Wakeups++;
        return true;
    }

    private bool AddEpisodeBegin(in EpisodeBeginRecord begin)
    {
        var told = new EpisodeBeginEvent { Episode = begin.Episode, LatencyNs = begin.LatencyNs, Cpu = begin.Header.Cpu };
        Log(BeginSchema, begin.Header.Cpu, 0, ProviderPayload.Of(in told));
        Episodes++;
        return true;
    }

    private bool AddSample(ReadOnlySpan<byte> record)
    {
        PitSampleRecord sample = default;
        record.CopyTo(MemoryMarshal.AsBytes(new Span<PitSampleRecord>(ref sample)));
        if (!Advance(sample.Clock, out _))
        {
            return false;
        }

        var payload = new TraceLoggingPayload(_payload);
        payload.Raw(ProviderPayload.Of(new PitSampleEvent
        {
            Episode = sample.Episode,
            Index = sample.Index,
            Cpu = sample.Header.Cpu,
            Ip = sample.Ip,
            Cs = sample.Cs,
            Clock = sample.Clock,
            Flags = sample.Flags,
            Source = (byte)sample.Source,
        }));
        payload.ArrayCount(sample.CallerCount);
        for (int i = 0; i < sample.CallerCount; i++)
        {
            payload.UInt64(sample.Callers[i]);
        }

        Log(SampleSchema, sample.Header.Cpu, 0, payload.Bytes);
        Samples++;
        return true;
    }

    private bool AddEpisodeEnd(in EpisodeEndRecord end)
    {
        var told = new EpisodeEndEvent
        {
            Episode = end.Episode,
            Samples = end.Samples,
            Overwritten = end.Overwritten,
            SmiCount = end.SmiCount,
        };
        Log(EndSchema, end.Header.Cpu, 0, ProviderPayload.Of(in told));
        return true;
    }

    private bool AddStop(in StopRecord stop)
    {
        var told = new StopEvent { Probes = stop.Probes, Dropped = stop.Dropped };
        Log(StopSchema, stop.Header.Cpu, 0, ProviderPayload.Of(in told));
        return true;
    }

    private bool AddTimerState(in TimerStateRecord state)
    {
        if (!Advance(state.Clock, out _))
        {
            return false;
        }

        var told = new TimerStateEvent
        {
            Cpu = state.Header.Cpu,
            Clock = state.Clock,
            FloorNs = state.FloorNs,
            TickNs = state.TickNs,
            OwnNs = state.OwnNs,
            RunNs = state.RunNs,
            LateTimers = state.LateTimers,
            Discarded = state.Discarded,
            UnmeasuredCpus = state.UnmeasuredCpus,
        };
        Log(TimerStateSchema, state.Header.Cpu, 0, ProviderPayload.Of(in told));
        return true;
    }

    private bool AddModule(in ModuleRecord module)
    {
        if (Modules == MostModules || module.ImageBytes == 0 || module.Base > ulong.MaxValue - module.ImageBytes
            || NameIn(module.Name) is not { } name)
        {
            return false;
        }

        var image = new KernelImage(module.Base, module.ImageBytes, ProcessId: 0, module.Timestamp, name) { Checksum = module.Checksum };
        int bytes = KernelPayloadWriter.WriteImage(_payload, image);
        int cpu = module.Header.Cpu;
        _writer.Write(
            cpu, EtlEventHeader.System(KernelHook.ImageDCStart, ImageVersion, _now, SystemProcess, threadId: 0), _payload.AsSpan(0, bytes));
        Guid idClass = KernelRecordCatalog.ImageIdClass;
        bytes = KernelPayloadWriter.WriteImageIdInfo(_payload, image);
        _writer.Write(
            cpu,
            EtlEventHeader.Full(idClass, KernelPayloadWriter.ImageIdInfoOpcode, ImageIdVersion, _now, processId: 0, threadId: 0),
            _payload.AsSpan(0, bytes));
        if (module.PdbGuid != Guid.Empty && NameIn(module.PdbName) is { } pdb)
        {
            bytes = KernelPayloadWriter.WriteImageIdRsds(_payload, module.Base, processId: 0, module.PdbGuid, module.PdbAge, pdb);
            _writer.Write(
                cpu,
                EtlEventHeader.Full(idClass, KernelPayloadWriter.ImageIdRsdsOpcode, ImageIdVersion, _now, processId: 0, threadId: 0),
                _payload.AsSpan(0, bytes));
        }

        Modules++;
        return true;
    }

    private void Log(TraceLoggingEventSchema schema, int cpu, uint threadId, ReadOnlySpan<byte> payload) =>
        _writer.Write(cpu, schema.Header(_now, SystemProcess, threadId), payload, schema.Items);
}
