using System.Runtime.InteropServices;

namespace Tracer.Analysis.Facts;

/// <summary>One wake-up as measured by our driver or probe process, in ticks of the trace's clock.</summary>
[StructLayout(LayoutKind.Auto)]
public readonly record struct MeasuredWakeup()
{
    /// <summary>Stands for a time that was not measured.</summary>
    internal const long NotMeasured = long.MinValue;

    /// <summary>When the timer interrupt was due.</summary>
    public required long ExpectedTicks { get; init; }

    /// <summary>
    /// The clock tick that should have served the timer, as the probe or the driver found it; null where that is not known. Until then the
    /// timer's own granularity is all that was waited for.
    /// </summary>
    public long? TickTicks => Tick == NotMeasured ? null : Tick;

    /// <summary>First instruction of the callback of the timer that serves all CPUs; null where each CPU has its own.</summary>
    public long? CallbackTicks => Callback == NotMeasured ? null : Callback;

    /// <summary>When that callback queued the DPC of this CPU; null where each CPU has its own timer.</summary>
    public long? QueuedTicks => Queued == NotMeasured ? null : Queued;

    /// <summary>The CPU that ran the callback; 0 where there was none.</summary>
    public int TimerCpu { get; init; }

    /// <summary>
    /// From when the latency counts: from the moment at which the DPC was queued; where each CPU has a timer of its own from the tick or,
    /// where that is not known, from when the timer was due.
    /// </summary>
    public long FromTicks => Queued != NotMeasured ? Queued : Tick != NotMeasured ? Tick : ExpectedTicks;

    /// <summary>How late the timer of all CPUs was, from its tick to its callback; 0 where that is not known, or there is none.</summary>
    public long TimerLateTicks => Callback == NotMeasured || Tick == NotMeasured ? 0 : Math.Max(0, Callback - Tick);

    public required long LoggedTicks { get; init; }

    /// <summary>First instruction of the ISR; null where that was not measured.</summary>
    public long? IsrTicks => Isr == NotMeasured ? null : Isr;

    /// <summary>First instruction of the DPC; null where that was not measured, as by the probe process.</summary>
    public long? DpcTicks => Dpc == NotMeasured ? null : Dpc;

    /// <summary>First instruction of the thread; null where that was not measured.</summary>
    public long? ThreadTicks => Thread == NotMeasured ? null : Thread;

    /// <summary>The last of the measured times: when the victim finally ran.</summary>
    public long ServedTicks => Thread != NotMeasured ? Thread : Dpc != NotMeasured ? Dpc : Isr;

    /// <summary>Address of the instruction that was interrupted; 0 where it was not measured.</summary>
    public required ulong InterruptedIp { get; init; }

    public required uint ThreadId { get; init; }

    /// <summary>Logical processor that took the interrupt.</summary>
    public required int Cpu { get; init; }

    /// <summary>Priority of the thread, 0 to 31.</summary>
    public required byte Priority { get; init; }

    /// <summary>Source of the interrupt: 0 the local APIC, 1 a timer, 2 the probe process.</summary>
    public required byte Mode { get; init; }

    internal long Tick { get; init; } = NotMeasured;

    internal long Callback { get; init; } = NotMeasured;

    internal long Queued { get; init; } = NotMeasured;

    internal long Isr { get; init; }

    internal long Dpc { get; init; }

    internal long Thread { get; init; }
}

/// <summary>One sample of what a CPU executed, from the buffer that our driver dumped after an episode.</summary>
/// <param name="Episode">
/// Index of the sample's episode in <see cref="TracerEvents.Episodes"/>; -1 where the begin of the episode is missing.
/// </param>
/// <param name="Index">Number of the sample within the episode, oldest first.</param>
/// <param name="Source">The interrupt that took the sample: 0 PIT, 1 NMI, 2 latency ISR.</param>
/// <param name="Callers">Return addresses, innermost first.</param>
public sealed record PitSample(
    int Episode, uint Index, int Cpu, long Ticks, ulong Ip, byte Source, IReadOnlyList<ulong> Callers, ulong Flags)
{
    private const ulong InterruptFlag = 1 << 9;

    /// <summary>Whether the interrupted code had interrupts disabled: then an NMI took the sample.</summary>
    public bool IsMasked => (Flags & InterruptFlag) == 0;
}

/// <summary>An episode as announced by our driver.</summary>
/// <param name="Number">The episode's number within its run.</param>
/// <param name="Samples">Number of samples given by the episode's end event; null where that event is missing.</param>
/// <param name="Overwritten">Number of samples that the ring buffer had already overwritten.</param>
/// <param name="SmiCount">System management interrupts during the episode; null where they were not counted.</param>
public sealed record DriverEpisode(
    uint Number, long Ticks, int Cpu, ulong LatencyNanoseconds, uint? Samples, ulong Overwritten, uint? SmiCount);
