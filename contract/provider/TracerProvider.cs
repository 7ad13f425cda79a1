using Tracer.Etl;

namespace Tracer.Contract;

/// <summary>One field of a provider event.</summary>
/// <param name="Name">Its name in the schema.</param>
/// <param name="InType">How it is stored.</param>
/// <param name="OutType">How it is shown.</param>
/// <param name="IsArray">Whether a u16 count and so many values are stored, instead of one value.</param>
/// <param name="Meaning">What it tells, with its unit.</param>
public sealed record ProviderField(string Name, TraceLoggingInType InType, TraceLoggingOutType OutType, bool IsArray, string Meaning);

/// <summary>One event of a provider.</summary>
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
/// 'tracer capture', that WPA, PerfView and others decode without a manifest. The one home of their schema in C#; the driver's records
/// (<see cref="WakeupRecord"/> and the others) have the same fields. Clock fields are in the clock that <see cref="Start"/> names.
/// </summary>
public static class TracerProvider
{
    public const string Name = "Tracer.Latency";

    /// <summary>The provider's GUID: the name hashed by the EventSource rule (<see cref="ProviderIdFromName"/>).</summary>
    public static Guid Id { get; } = new("756a3088-fc63-5673-dad5-1a2bf23c1aa7");

    private const int WakeupVersion1Fields = 10;

    public static ProviderEvent Start { get; } = new("Start", "A run begins; the first event of it.",
    [
        UInt8("mode", "what makes the interrupt: 0 local APIC, 1 timer, 2 probe process"),
        UInt8("clock", "what clock fields count: 0 TSC, 1 QPC"),
        UInt64("clockHz", "rate of that clock, Hz"),
        UInt64("thresholdNs", "latency from which a wake-up is an episode, ns"),
        UInt64("periodNs", "from one wake-up to the next, ns"),
        UInt64("floorNs", "latency of the idle machine, ns"),
        new("priorities", TraceLoggingInType.UInt8, TraceLoggingOutType.Default, IsArray: true, "priorities of the measured threads"),
        new("capabilities", TraceLoggingInType.UInt32, TraceLoggingOutType.Hex, IsArray: false, "bits of TRACER_CAN_* in tracer_records.h"),
    ]);

    public static ProviderEvent ClockSync { get; } = new("ClockSync", "One moment in both clocks: first, last and each second.",
    [
        UInt64("clock", "in the run's clock"),
        UInt64("qpc", "in the performance counter"),
    ]);

    /// <summary>One measured wake-up.</summary>
    public static ProviderEvent Wakeup { get; } = new("Wakeup", "One measured wake-up.",
    [
        UInt64("sequence", "counts all wake-ups of the run, logged or not"),
        UInt16("cpu", "logical processor of the interrupt"),
        UInt8("mode", "as in Start"),
        UInt64("expected", "clock: when the interrupt, or the timer, was due"),
        UInt64("isr", "clock: first instruction of the ISR; 0 = not measurable"),
        UInt64("dpc", "clock: first instruction of the DPC"),
        UInt64("thread", "clock: first instruction of the thread"),
        UInt8("priority", "of the thread"),
        Address("interruptedIp", "instruction that the interrupt came before"),
        UInt16("interruptedCs", "its code segment"),
        UInt64(
            "tick",
            "since version 2, clock: the clock tick that should have served the timer, latency counts from it unless queued does; 0 = not "
            + "known"),
        UInt16("timerCpu", "since version 2: logical processor that ran the timer's callback; 0 where callback is 0"),
        UInt64("callback", "since version 2, clock: first instruction of the timer's callback; 0 = there was none"),
        UInt64("queued", "since version 2, clock: when the callback queued the DPC, latency counts from it; 0 = there was none"),
    ]);

    /// <summary>
    /// <see cref="Wakeup"/> as version 1 had it: without the tick, and what follows it. Still read; what is imported from recordings of
    /// that version is written so.
    /// </summary>
    public static ProviderEvent WakeupVersion1 { get; } = Wakeup with { Fields = [.. Wakeup.Fields.Take(WakeupVersion1Fields)] };

    /// <summary>A latency at or above the threshold.</summary>
    public static ProviderEvent EpisodeBegin { get; } = new("EpisodeBegin", "A latency at or above the threshold; its samples follow.",
    [
        UInt32("episode", "number of the episode in this run"),
        UInt64("latencyNs", "the latency, ns"),
        UInt16("cpu", "logical processor that was late"),
    ]);

    /// <summary>One sample of the dumped circular buffer.</summary>
    public static ProviderEvent PitSample { get; } = new("PitSample", "What a CPU executed: one sample of the dumped circular buffer.",
    [
        UInt32("episode", "number of the episode"),
        UInt32("index", "number of the sample in it, oldest first"),
        UInt16("cpu", "logical processor that was sampled"),
        Address("ip", "interrupted instruction"),
        UInt16("cs", "its code segment"),
        UInt64("clock", "when, in the run's clock"),
        new("flags", TraceLoggingInType.UInt64, TraceLoggingOutType.Hex, IsArray: false, "RFLAGS of the interrupted code"),
        UInt8("source", "which interrupt took it: 0 PIT, 1 NMI, 2 latency ISR"),
        new("callers", TraceLoggingInType.HexInt64, TraceLoggingOutType.CodePointer, IsArray: true, "return addresses, innermost first"),
    ]);

    /// <summary>All samples of an episode have been logged.</summary>
    public static ProviderEvent EpisodeEnd { get; } = new("EpisodeEnd", "All samples of an episode have been logged.",
    [
        UInt32("episode", "number of the episode"),
        UInt32("samples", "samples logged"),
        UInt64("overwritten", "samples that the ring had lost already"),
        UInt32("smiCount", "system management interrupts in the episode; 0xFFFFFFFF = not read"),
    ]);

    public static ProviderEvent Stop { get; } = new("Stop", "The run is over; the last event of it.",
    [
        UInt64("probes", "wake-ups measured"),
        UInt64("dropped", "records that were lost because nobody read them in time"),
    ]);

    /// <summary>How the timer of all CPUs is doing.</summary>
    public static ProviderEvent TimerState { get; } = new(
        "TimerState",
        "How the driver's timer of all CPUs is doing: behind the start, when the clock's ticks have changed, and before the stop.",
    [
        UInt16("cpu", "logical processor that ran the last callback"),
        UInt64("clock", "when, in the run's clock"),
        UInt64("floorNs", "latency when nothing is wrong, ns; 0 = not known"),
        UInt64("tickNs", "from one clock tick to the next, ns; 0 = the timer is served when it is due, or the ticks are not known"),
        UInt64("ownNs", "CPU time of the run's callbacks, DPCs and threads on all CPUs so far, ns"),
        UInt64("runNs", "how long the run has been on, ns, without what it was paused for"),
        UInt64("lateTimers", "callbacks at or above the threshold behind their tick"),
        UInt64("discarded", "wake-ups that a change of the power state spoilt; in no count and no histogram"),
        UInt16("unmeasuredCpus", "logical processors that came after the run began"),
    ]);

    /// <summary>The flight recorder itself was at work.</summary>
    public static ProviderEvent CaptureWork { get; } = new(
        "CaptureWork",
        "The flight recorder was at work: what is late then may be late because of it. Written by the merge, at the start of the trace.",
    [
        UInt8("what", "0 snapshot, 1 rundown, 2 merge and analysis, 3 start of the recording, 4 the machine slept"),
        UInt64("begin", "trace clock (QPC): from here"),
        UInt64("end", "trace clock (QPC): to here"),
    ]);

    /// <summary>The episode that a trace was captured for.</summary>
    public static ProviderEvent Capture { get; } = new(
        "Capture",
        "The episode that the flight recorder wrote this trace for, and what it recorded. Outside the window there is only what names "
        + "things: rundown, configuration, ends of processes and threads, unloads.",
    [
        UInt8("trigger", "what measured it: 0 driver, 1 wakeup, 2 dpc, 3 isr, 4 event, 5 process, 6 asked for by the user"),
        UInt64("thresholdNs", "latency from which a measurement was an episode, ns"),
        UInt64(
            "episodeStart",
            "trace clock (QPC): when the victim should have run, the routine began, the event was logged, or the user asked"),
        UInt64("latencyNs", "how late it was, or how long it ran, ns; 0 for an event and what was asked for"),
        UInt16("cpu", "its logical processor"),
        UInt64("windowBegin", "trace clock (QPC): first moment that was kept"),
        UInt64("windowEnd", "trace clock (QPC): last moment that was kept"),
        UInt64("preCoveredUs", "how much of the time before the episode all CPUs cover, us: less than asked for if the ring was short"),
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
    public static ProviderEvent Slice { get; } = new(
        "Slice",
        "The trace is a part of a longer one, cut by 'analyzer slice'. Blame judges what began from 'from' to 'to'. Of what lies outside "
        + "'keptFrom' to 'keptTo' there is only what names things, and the last state before.",
    [
        UInt64("from", "trace clock: first moment that is judged; 0 = from the start"),
        UInt64("to", "trace clock: last moment that is judged"),
        UInt64("keptFrom", "trace clock: first moment of which all is there"),
        UInt64("keptTo", "trace clock: last moment of which all is there"),
        UInt64("samples", "profile samples that were left behind"),
        UInt64("routines", "runs of ISRs and DPCs that were left behind"),
        UInt64("switches", "context switches that were left behind"),
        UInt64("stacks", "stacks that were left behind"),
    ]);

    /// <summary>The rundown behind a snapshot lost records.</summary>
    public static ProviderEvent RundownLoss { get; } = new(
        "RundownLoss",
        "The list of processes, threads and images behind the snapshot lost records: some code has no name. Written only then.",
    [
        UInt32("eventsLost", "events that found no buffer"),
        UInt32("buffersLost", "buffers that could not be written"),
    ]);

    public static IReadOnlyList<ProviderEvent> Events { get; } =
        [Start, ClockSync, Wakeup, EpisodeBegin, PitSample, EpisodeEnd, Stop, TimerState, CaptureWork, Capture, Slice, RundownLoss];

    private static ProviderField UInt8(string name, string meaning) => Plain(name, TraceLoggingInType.UInt8, meaning);

    private static ProviderField UInt16(string name, string meaning) => Plain(name, TraceLoggingInType.UInt16, meaning);

    private static ProviderField UInt32(string name, string meaning) => Plain(name, TraceLoggingInType.UInt32, meaning);

    private static ProviderField UInt64(string name, string meaning) => Plain(name, TraceLoggingInType.UInt64, meaning);

    private static ProviderField Address(string name, string meaning) =>
        new(name, TraceLoggingInType.HexInt64, TraceLoggingOutType.CodePointer, IsArray: false, meaning);

    private static ProviderField Plain(string name, TraceLoggingInType inType, string meaning) =>
        new(name, inType, TraceLoggingOutType.Default, IsArray: false, meaning);
}
