using System.Runtime.CompilerServices;
using System.Text.Json;
using Tracer.Etl;

namespace Tracer.Contract;

/// <summary>One field of a provider event.</summary>
/// <param name="Name">Its name in the schema.</param>
/// <param name="InType">How it is stored.</param>
/// <param name="OutType">How it is shown.</param>
/// <param name="IsArray">Whether a u16 count and so many values are stored, instead of one value.</param>
/// <param name="Meaning">What it tells, with its unit.</param>
public sealed record ProviderField(string Name, TraceLoggingInType InType, TraceLoggingOutType OutType, bool IsArray, string Meaning);

/// <param name="Name">Its name in the schema.</param>
/// <param name="Meaning">When it is logged and what it tells.</param>
/// <param name="Fields">Its fields in the order of the payload, which has no padding.</param>
public sealed record ProviderEvent(string Name, string Meaning, IReadOnlyList<ProviderField> Fields)
{
    /// <summary>The event as a trace writer takes it.</summary>
    public TraceLoggingEventSchema Schema() => new(
        new TraceLoggingProvider(TracerProvider.Name, TracerProvider.Id),
        Name,
        Fields.Select(field => field.IsArray
            ? new TraceLoggingField(field.Name, field.InType, field.OutType).AsArray()
            : new TraceLoggingField(field.Name, field.InType, field.OutType)));
}

/// <summary>
/// The Tracer provider: self-describing TraceLogging events, logged by the driver and by the probe process and written into its files by
/// 'tracer capture', that WPA, PerfView and others decode without a manifest. The one home of their schema in C#: a row for each field of
/// the structures beside it (<see cref="ProviderPayload"/>), by which they are read and written. The driver's records
/// (<see cref="WakeupRecord"/> and the others) have the same fields. Clock fields are in the clock that <see cref="Start"/> names.
/// </summary>
public static class TracerProvider
{
    public const string Name = "Tracer.Latency";

    /// <summary>The provider's GUID: the name hashed by the EventSource rule (<see cref="ProviderIdFromName"/>).</summary>
    public static Guid Id { get; } = new("756a3088-fc63-5673-dad5-1a2bf23c1aa7");

    private const int WakeupVersion1Fields = 10;

    public static ProviderEvent Start { get; } = Event<StartEvent>("Start", "A run begins; the first event of it.", e =>
    [
        Row(e.Mode, "what makes the interrupt: 0 local APIC, 1 timer, 2 probe process"),
        Row(e.Clock, "what clock fields count: 0 TSC, 1 QPC"),
        Row(e.ClockHz, "rate of that clock, Hz"),
        Row(e.ThresholdNs, "latency from which a wake-up is an episode, ns"),
        Row(e.PeriodNs, "from one wake-up to the next, ns"),
        Row(e.FloorNs, "latency of the idle machine, ns"),
        new("priorities", TraceLoggingInType.UInt8, TraceLoggingOutType.Default, IsArray: true, "priorities of the measured threads"),
        new("capabilities", TraceLoggingInType.UInt32, TraceLoggingOutType.Hex, IsArray: false, "bits of TRACER_CAN_* in tracer_records.h"),
    ]);

    public static ProviderEvent ClockSync { get; } = Event<ClockSyncEvent>(
        "ClockSync",
        "One moment in both clocks: first, last and each second.",
        e =>
    [
        Row(e.Clock, "in the run's clock"),
        Row(e.Qpc, "in the performance counter"),
    ]);

    public static ProviderEvent Wakeup { get; } = Event<WakeupEvent>("Wakeup", "One measured wake-up.", e =>
    [
        Row(e.Sequence, "counts all wake-ups of the run, logged or not"),
        Row(e.Cpu, "logical processor of the interrupt"),
        Row(e.Mode, "as in Start"),
        Row(e.Expected, "clock: when the interrupt, or the timer, was due"),
        Row(e.Isr, "clock: first instruction of the ISR; 0 = not measurable"),
        Row(e.Dpc, "clock: first instruction of the DPC"),
        Row(e.Thread, "clock: first instruction of the thread"),
        Row(e.Priority, "of the thread"),
        Address(e.InterruptedIp, "instruction that the interrupt came before"),
        Row(e.InterruptedCs, "its code segment"),
        Row(
            e.Tick,
            "since version 2, clock: the clock tick that should have served the timer, latency counts from it unless queued does; 0 = not "
            + "known"),
        Row(e.TimerCpu, "since version 2: logical processor that ran the timer's callback; 0 where callback is 0"),
        Row(e.Callback, "since version 2, clock: first instruction of the timer's callback; 0 = there was none"),
        Row(e.Queued, "since version 2, clock: when the callback queued the DPC, latency counts from it; 0 = there was none"),
    ]);

    /// <summary>
    /// <see cref="Wakeup"/> as version 1 had it: without the tick, and what follows it. Still read; what is imported from recordings of
    /// that version is written so.
    /// </summary>
    public static ProviderEvent WakeupVersion1 { get; } = Wakeup with { Fields = [.. Wakeup.Fields.Take(WakeupVersion1Fields)] };

    /// <summary>A latency at or above the threshold.</summary>
    public static ProviderEvent EpisodeBegin { get; } = Event<EpisodeBeginEvent>(
        "EpisodeBegin",
        "A latency at or above the threshold; its samples follow.",
        e =>
    [
        Row(e.Episode, "number of the episode in this run"),
        Row(e.LatencyNs, "the latency, ns"),
        Row(e.Cpu, "logical processor that was late"),
    ]);

    /// <summary>One sample of the dumped circular buffer.</summary>
    public static ProviderEvent PitSample { get; } = Event<PitSampleEvent>(
        "PitSample",
        "What a CPU executed: one sample of the dumped circular buffer.",
        e =>
    [
        Row(e.Episode, "number of the episode"),
        Row(e.Index, "number of the sample in it, oldest first"),
        Row(e.Cpu, "logical processor that was sampled"),
        Address(e.Ip, "interrupted instruction"),
        Row(e.Cs, "its code segment"),
        Row(e.Clock, "when, in the run's clock"),
        Hex(e.Flags, "RFLAGS of the interrupted code"),
        Row(e.Source, "which interrupt took it: 0 PIT, 1 NMI, 2 latency ISR"),
        new("callers", TraceLoggingInType.HexInt64, TraceLoggingOutType.CodePointer, IsArray: true, "return addresses, innermost first"),
    ]);

    /// <summary>All samples of an episode have been logged.</summary>
    public static ProviderEvent EpisodeEnd { get; } = Event<EpisodeEndEvent>(
        "EpisodeEnd",
        "All samples of an episode have been logged.",
        e =>
    [
        Row(e.Episode, "number of the episode"),
        Row(e.Samples, "samples logged"),
        Row(e.Overwritten, "samples that the ring had lost already"),
        Row(e.SmiCount, "system management interrupts in the episode; 0xFFFFFFFF = not read"),
    ]);

    public static ProviderEvent Stop { get; } = Event<StopEvent>("Stop", "The run is over; the last event of it.", e =>
    [
        Row(e.Probes, "wake-ups measured"),
        Row(e.Dropped, "records that were lost because nobody read them in time"),
    ]);

    /// <summary>How the timer of all CPUs is doing.</summary>
    public static ProviderEvent TimerState { get; } = Event<TimerStateEvent>(
        "TimerState",
        "How the driver's timer of all CPUs is doing: behind the start, when the clock's ticks have changed, and before the stop.",
        e =>
    [
        Row(e.Cpu, "logical processor that ran the last callback"),
        Row(e.Clock, "when, in the run's clock"),
        Row(e.FloorNs, "latency when nothing is wrong, ns; 0 = not known"),
        Row(e.TickNs, "from one clock tick to the next, ns; 0 = the timer is served when it is due, or the ticks are not known"),
        Row(e.OwnNs, "CPU time of the run's callbacks, DPCs and threads on all CPUs so far, ns"),
        Row(e.RunNs, "how long the run has been on, ns, without what it was paused for"),
        Row(e.LateTimers, "callbacks at or above the threshold behind their tick"),
        Row(e.Discarded, "wake-ups that a change of the power state spoilt; in no count and no histogram"),
        Row(e.UnmeasuredCpus, "logical processors that came after the run began"),
    ]);

    /// <summary>The flight recorder itself was at work.</summary>
    public static ProviderEvent CaptureWork { get; } = Event<CaptureWorkEvent>(
        "CaptureWork",
        "The flight recorder was at work: what is late then may be late because of it. Written by the merge, at the start of the trace.",
        e =>
    [
        Row(e.What, "0 snapshot, 1 rundown, 2 merge and analysis, 3 start of the recording, 4 the machine slept"),
        Row(e.Begin, "trace clock (QPC): from here"),
        Row(e.End, "trace clock (QPC): to here"),
    ]);

    /// <summary>The episode that a trace was captured for.</summary>
    public static ProviderEvent Capture { get; } = Event<CaptureEvent>(
        "Capture",
        "The episode that the flight recorder wrote this trace for, and what it recorded. Outside the window there is only what names "
        + "things: rundown, configuration, ends of processes and threads, unloads.",
        e =>
    [
        Row(e.Trigger, "what measured it: 0 driver, 1 wakeup, 2 dpc, 3 isr, 4 event, 5 process, 6 asked for by the user"),
        Row(e.ThresholdNs, "latency from which a measurement was an episode, ns"),
        Row(
            e.EpisodeStart,
            "trace clock (QPC): when the victim should have run, the routine began, the event was logged, or the user asked"),
        Row(e.LatencyNs, "how late it was, or how long it ran, ns; 0 for an event and what was asked for"),
        Row(e.Cpu, "its logical processor"),
        Row(e.WindowBegin, "trace clock (QPC): first moment that was kept"),
        Row(e.WindowEnd, "trace clock (QPC): last moment that was kept"),
        Row(e.PreCoveredUs, "how much of the time before the episode all CPUs cover, us: less than asked for if the ring was short"),
        new("wanted", TraceLoggingInType.UInt32, TraceLoggingOutType.Hex, IsArray: true, "group masks asked for, word by word"),
        new("granted", TraceLoggingInType.UInt32, TraceLoggingOutType.Hex, IsArray: true, "group masks that Windows says are on"),
        new("stacksWanted", TraceLoggingInType.UInt16, TraceLoggingOutType.Hex, IsArray: true, "hook ids whose stacks were asked for"),
        new(
            "stacksGranted",
            TraceLoggingInType.UInt16,
            TraceLoggingOutType.Hex,
            IsArray: true,
            "hook ids whose stacks Windows says are on"),
    ]);

    /// <summary>Which part of a longer trace a trace is.</summary>
    public static ProviderEvent Slice { get; } = Event<SliceEvent>(
        "Slice",
        "The trace is a part of a longer one, cut by 'analyzer slice'. Blame judges what began from 'from' to 'to'. Of what lies outside "
        + "'keptFrom' to 'keptTo' there is only what names things, and the last state before.",
        e =>
    [
        Row(e.From, "trace clock: first moment that is judged; 0 = from the start"),
        Row(e.To, "trace clock: last moment that is judged"),
        Row(e.KeptFrom, "trace clock: first moment of which all is there"),
        Row(e.KeptTo, "trace clock: last moment of which all is there"),
        Row(e.Samples, "profile samples that were left behind"),
        Row(e.Routines, "runs of ISRs and DPCs that were left behind"),
        Row(e.Switches, "context switches that were left behind"),
        Row(e.Stacks, "stacks that were left behind"),
    ]);

    /// <summary>The rundown behind a snapshot lost records.</summary>
    public static ProviderEvent RundownLoss { get; } = Event<RundownLossEvent>(
        "RundownLoss",
        "The list of processes, threads and images behind the snapshot lost records: some code has no name. Written only then.",
        e =>
    [
        Row(e.EventsLost, "events that found no buffer"),
        Row(e.BuffersLost, "buffers that could not be written, or can't be read"),
    ]);

    public static IReadOnlyList<ProviderEvent> Events { get; } =
        [Start, ClockSync, Wakeup, EpisodeBegin, PitSample, EpisodeEnd, Stop, TimerState, CaptureWork, Capture, Slice, RundownLoss];

    private static ProviderEvent Event<TFields>(string name, string meaning, Func<TFields, IReadOnlyList<ProviderField>> rows)
        where TFields : unmanaged => new(name, meaning, rows(default));

    private static ProviderField Row(byte value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Plain(field, TraceLoggingInType.UInt8, meaning);

    private static ProviderField Row(ushort value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Plain(field, TraceLoggingInType.UInt16, meaning);

    private static ProviderField Row(uint value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Plain(field, TraceLoggingInType.UInt32, meaning);

    private static ProviderField Row(ulong value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Plain(field, TraceLoggingInType.UInt64, meaning);

    /// <summary>Times in ticks never use the sign that they have in files.</summary>
    private static ProviderField Row(long value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Plain(field, TraceLoggingInType.UInt64, meaning);

    private static ProviderField Hex(ulong value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Row(value, meaning, field) with { OutType = TraceLoggingOutType.Hex };

    private static ProviderField Address(ulong value, string meaning, [CallerArgumentExpression(nameof(value))] string field = "") =>
        Row(value, meaning, field) with { InType = TraceLoggingInType.HexInt64, OutType = TraceLoggingOutType.CodePointer };

    /// <summary>A row named by the structure's field: <c>e.ClockHz</c> is <c>clockHz</c>.</summary>
    private static ProviderField Plain(string field, TraceLoggingInType inType, string meaning) =>
        new(JsonNamingPolicy.CamelCase.ConvertName(field[2..]), inType, TraceLoggingOutType.Default, IsArray: false, meaning);
}
