using System.Runtime.InteropServices;
using System.Text;
using Tracer.Capture;
using Tracer.Contract;
using Tracer.Etl;
using Tracer.Etl.Kernel;

namespace Tracer.TracerCommand;

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
    private static readonly TraceLoggingProvider Driver = new(TracerProvider.Name, TracerProvider.Id);
    private static readonly TraceLoggingEventSchema StartSchema = SchemaOf(TracerProvider.Start);
    private static readonly TraceLoggingEventSchema SyncSchema = SchemaOf(TracerProvider.ClockSync);
    private static readonly TraceLoggingEventSchema WakeupSchema = SchemaOf(TracerProvider.Wakeup);
    private static readonly TraceLoggingEventSchema FirstWakeupSchema = SchemaOf(TracerProvider.WakeupVersion1);
    private static readonly TraceLoggingEventSchema TimerStateSchema = SchemaOf(TracerProvider.TimerState);
    private static readonly TraceLoggingEventSchema BeginSchema = SchemaOf(TracerProvider.EpisodeBegin);
    private static readonly TraceLoggingEventSchema SampleSchema = SchemaOf(TracerProvider.PitSample);
    private static readonly TraceLoggingEventSchema EndSchema = SchemaOf(TracerProvider.EpisodeEnd);
    private static readonly TraceLoggingEventSchema StopSchema = SchemaOf(TracerProvider.Stop);

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

    /// <summary>Wake-ups written.</summary>
    public long Wakeups { get; private set; }

    public long Episodes { get; private set; }

    public long Samples { get; private set; }

    /// <summary>Bytes that belong to no record.</summary>
    public long DamagedBytes { get; private set; }

    /// <summary>Records left out, because they say what can't be.</summary>
    public long BadRecords { get; private set; }

    /// <summary>Writes the trace.</summary>
    /// <param name="recording">The records, from the beginning.</param>
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

    private static TraceLoggingEventSchema SchemaOf(ProviderEvent described) => new(
        Driver,
        described.Name,
        described.Fields.Select(field => field.IsArray
            ? new TraceLoggingField(field.Name, field.InType, field.OutType).AsArray()
            : new TraceLoggingField(field.Name, field.InType, field.OutType)));

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

        var payload = new TraceLoggingPayload(_payload);
        payload.UInt8((byte)start.Mode);
        payload.UInt8((byte)start.Clock);
        payload.UInt64(start.ClockHz);
        payload.UInt64(start.ThresholdNs);
        payload.UInt64(start.PeriodNs);
        payload.UInt64(start.FloorNs);
        payload.ArrayCount(start.PriorityCount);
        for (int i = 0; i < start.PriorityCount; i++)
        {
            payload.UInt8(start.Priorities[i]);
        }

        payload.UInt32((uint)start.Capabilities);
        Log(StartSchema, start.Header.Cpu, 0, payload.Bytes);
        return true;
    }

    /// <summary>The counter that the record names is the trace's only where the run measured in it.</summary>
    private bool AddClockSync(in ClockSyncRecord sync)
    {
        if (!Advance(sync.Clock, out long ticks))
        {
            return false;
        }

        var payload = new TraceLoggingPayload(_payload);
        payload.UInt64(sync.Clock);
        payload.UInt64((ulong)ticks);
        Log(SyncSchema, sync.Header.Cpu, 0, payload.Bytes);
        return true;
    }

    private bool AddWakeup(in WakeupRecord wakeup)
    {
        if (!Advance(wakeup.Thread, out _))
        {
            return false;
        }

        var payload = new TraceLoggingPayload(_payload);
        payload.UInt64(wakeup.Sequence);
        payload.UInt16(wakeup.Header.Cpu);
        payload.UInt8((byte)wakeup.Mode);
        payload.UInt64(wakeup.Expected);
        payload.UInt64(wakeup.Isr);
        payload.UInt64(wakeup.Dpc);
        payload.UInt64(wakeup.Thread);
        payload.UInt8(wakeup.Priority);
        payload.UInt64(wakeup.InterruptedIp);
        payload.UInt16(wakeup.InterruptedCs);
        bool isFirst = wakeup.Header.Size == DriverAbi.WakeupBytesVersion1;
        if (!isFirst)
        {
            payload.UInt64(wakeup.Tick);
            payload.UInt16(wakeup.TimerCpu);
            payload.UInt64(wakeup.Callback);
            payload.UInt64(wakeup.Queued);
        }

        Log(isFirst ? FirstWakeupSchema : WakeupSchema, wakeup.Header.Cpu, ThreadOf(wakeup.Header.Cpu, wakeup.Priority), payload.Bytes);
        Wakeups++;
        return true;
    }

    private bool AddEpisodeBegin(in EpisodeBeginRecord begin)
    {
        var payload = new TraceLoggingPayload(_payload);
        payload.UInt32(begin.Episode);
        payload.UInt64(begin.LatencyNs);
        payload.UInt16(begin.Header.Cpu);
        Log(BeginSchema, begin.Header.Cpu, 0, payload.Bytes);
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
        payload.UInt32(sample.Episode);
        payload.UInt32(sample.Index);
        payload.UInt16(sample.Header.Cpu);
        payload.UInt64(sample.Ip);
        payload.UInt16(sample.Cs);
        payload.UInt64(sample.Clock);
        payload.UInt64(sample.Flags);
        payload.UInt8((byte)sample.Source);
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
        var payload = new TraceLoggingPayload(_payload);
        payload.UInt32(end.Episode);
        payload.UInt32(end.Samples);
        payload.UInt64(end.Overwritten);
        payload.UInt32(end.SmiCount);
        Log(EndSchema, end.Header.Cpu, 0, payload.Bytes);
        return true;
    }

    private bool AddStop(in StopRecord stop)
    {
        var payload = new TraceLoggingPayload(_payload);
        payload.UInt64(stop.Probes);
        payload.UInt64(stop.Dropped);
        Log(StopSchema, stop.Header.Cpu, 0, payload.Bytes);
        return true;
    }

    private bool AddTimerState(in TimerStateRecord state)
    {
        if (!Advance(state.Clock, out _))
        {
            return false;
        }

        var payload = new TraceLoggingPayload(_payload);
        payload.UInt16(state.Header.Cpu);
        payload.UInt64(state.Clock);
        payload.UInt64(state.FloorNs);
        payload.UInt64(state.TickNs);
        payload.UInt64(state.OwnNs);
        payload.UInt64(state.RunNs);
        payload.UInt64(state.LateTimers);
        payload.UInt64(state.Discarded);
        payload.UInt16(state.UnmeasuredCpus);
        Log(TimerStateSchema, state.Header.Cpu, 0, payload.Bytes);
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
