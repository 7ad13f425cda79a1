using System.Text.Json.Serialization;

namespace Tracer.Contract;

/// <summary>From where to where a latency counts, as Cota-Robles &amp; Held 2.1 define it.</summary>
[JsonConverter(typeof(KebabCaseConverter<LatencyKind>))]
public enum LatencyKind
{
    /// <summary>From when the interrupt was asserted, as the processor sees it, to the first instruction of its service routine.</summary>
    Interrupt,

    /// <summary>From when a DPC was queued to its first instruction.</summary>
    Dpc,

    /// <summary>From when the interrupt was asserted to the first instruction of the DPC: the sum of the two before.</summary>
    DpcInterrupt,

    /// <summary>From when a thread was signalled to its first instruction after the wait.</summary>
    Thread,

    /// <summary>From when the interrupt was asserted to the first instruction of the thread.</summary>
    ThreadInterrupt,

    /// <summary>From when a thread was made ready until it waited for its next turn: the response of its job.</summary>
    Response,

    /// <summary>What of that was not the thread's own work.</summary>
    Lost,
}

/// <summary>What kinds of latency have in common.</summary>
public static class LatencyKinds
{
    /// <summary>Whether it is of the jobs of threads: it has work in it, or what others took in the midst of it.</summary>
    public static bool IsOfJobs(this LatencyKind kind) => kind is LatencyKind.Response or LatencyKind.Lost;

    /// <summary>What is counted, in words: <c>job</c> or <c>wait</c>.</summary>
    public static string Unit(this LatencyKind kind) => kind.IsOfJobs() ? "job" : "wait";
}

/// <summary>What measured a latency. Those of different sources are never counted together: they begin or end at other moments.</summary>
[JsonConverter(typeof(KebabCaseConverter<LatencySource>))]
public enum LatencySource
{
    /// <summary>The wake-ups of our driver.</summary>
    Driver,

    /// <summary>The wake-ups of our probe process.</summary>
    Probe,

    /// <summary>ReadyThread and context switch of every thread that woke up.</summary>
    ReadyThread,

    /// <summary>DPC queue events: every DPC that was queued and ran, other than those of <see cref="DpcQueueDeferred"/>.</summary>
    DpcQueue,

    /// <summary>
    /// DPC queue events of DPCs that Windows may leave waiting by design: of low importance, or of medium importance for another CPU.
    /// </summary>
    DpcQueueDeferred,

    /// <summary>Context switches alone: they tell no latency, but when periodic threads woke up.</summary>
    Switch,
}

/// <summary>Priorities in the groups of Cota-Robles &amp; Held 4.1.</summary>
[JsonConverter(typeof(KebabCaseConverter<PriorityGroup>))]
public enum PriorityGroup
{
    /// <summary>0 to 15: threads whose priority changes with what they do.</summary>
    Normal,

    /// <summary>16 to 23: real-time threads below the default of their class.</summary>
    RealTimeLow,

    /// <summary>24 to 27: real-time threads; 24 is the default of their class.</summary>
    RealTimeMedium,

    /// <summary>28 to 31: high real-time threads.</summary>
    RealTimeHigh,
}

/// <summary>Which measurements of a trace were left out, and why.</summary>
[JsonConverter(typeof(KebabCaseConverter<LatencyLeftOut>))]
public enum LatencyLeftOut
{
    /// <summary>Records are missing between its start and its end.</summary>
    LostEvents,

    /// <summary>The machine slept, or the recorder was at work.</summary>
    Recorder,

    /// <summary>A change of the power state spoilt the driver's measurement; the driver counts them.</summary>
    PowerState,

    /// <summary>The driver or the reader had no room for it.</summary>
    NoRoom,

    /// <summary>
    /// Nothing tells the clock tick that should have served the timer, so that it is not known from when the latency counts.
    /// </summary>
    UnknownTick,

    /// <summary>
    /// The recording has only what was late by its threshold: how the others were distributed is not known, so these can't be told in
    /// percent.
    /// </summary>
    OnlyLate,

    /// <summary>It makes no sense: an end before its start, or hours later.</summary>
    Senseless,
}
