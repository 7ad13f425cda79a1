using System.Runtime.InteropServices;

namespace Tracer.Analysis;

/// <summary>One wake-up as our driver or probe process measured it, in ticks of the trace's clock.</summary>
[StructLayout(LayoutKind.Auto)]
public readonly record struct MeasuredWakeup
{
    /// <summary>Stands for what was not measured.</summary>
    internal const long NotMeasured = long.MinValue;

    /// <summary>When the interrupt was due.</summary>
    public required long ExpectedTicks { get; init; }

    /// <summary>When the thread logged it.</summary>
    public required long LoggedTicks { get; init; }

    /// <summary>First instruction of the ISR; null where it was not measured.</summary>
    public long? IsrTicks => Isr == NotMeasured ? null : Isr;

    /// <summary>First instruction of the DPC; null where it was not measured, as by the probe process.</summary>
    public long? DpcTicks => Dpc == NotMeasured ? null : Dpc;

    /// <summary>First instruction of the thread; null where it was not measured.</summary>
    public long? ThreadTicks => Thread == NotMeasured ? null : Thread;

    /// <summary>The last of the measured moments: when the victim ran at last.</summary>
    public long ServedTicks => Thread != NotMeasured ? Thread : Dpc != NotMeasured ? Dpc : Isr;

    /// <summary>Instruction that the interrupt came before; 0 where it was not measured.</summary>
    public required ulong InterruptedIp { get; init; }

    /// <summary>The measured thread.</summary>
    public required uint ThreadId { get; init; }

    /// <summary>Logical processor of the interrupt.</summary>
    public required int Cpu { get; init; }

    /// <summary>Priority of the thread, 0 to 31.</summary>
    public required byte Priority { get; init; }

    /// <summary>What made the interrupt: 0 the local APIC, 1 a timer, 2 the probe process.</summary>
    public required byte Mode { get; init; }

    internal long Isr { get; init; }

    internal long Dpc { get; init; }

    internal long Thread { get; init; }
}

/// <summary>What a CPU executed: one sample of the buffer that our driver dumped after an episode.</summary>
/// <param name="Episode">Place of its episode in <see cref="TracerEvents.Episodes"/>; -1 where that one's begin is missing.</param>
/// <param name="Index">Number of the sample in the episode, oldest first.</param>
/// <param name="Cpu">Logical processor that was sampled.</param>
/// <param name="Ticks">When, in ticks of the trace's clock.</param>
/// <param name="Ip">Interrupted instruction.</param>
/// <param name="Source">Which interrupt took it: 0 PIT, 1 NMI, 2 latency ISR.</param>
/// <param name="Callers">Return addresses, innermost first.</param>
/// <param name="Flags">RFLAGS of the interrupted code.</param>
public sealed record PitSample(
    int Episode, uint Index, int Cpu, long Ticks, ulong Ip, byte Source, IReadOnlyList<ulong> Callers, ulong Flags)
{
    private const ulong InterruptFlag = 1 << 9;

    /// <summary>Whether the code had interrupts masked: an NMI took the sample.</summary>
    public bool IsMasked => (Flags & InterruptFlag) == 0;
}

/// <summary>An episode as our driver announced it.</summary>
/// <param name="Number">Its number in its run.</param>
/// <param name="Ticks">When it was announced, in ticks.</param>
/// <param name="Cpu">Logical processor that was late.</param>
/// <param name="LatencyNanoseconds">The latency.</param>
/// <param name="Samples">Samples that its end announces; null where the end is missing.</param>
/// <param name="Overwritten">Samples that the ring had lost already.</param>
/// <param name="SmiCount">System management interrupts in it; null where they were not read.</param>
public sealed record DriverEpisode(
    uint Number, long Ticks, int Cpu, ulong LatencyNanoseconds, uint? Samples, ulong Overwritten, uint? SmiCount);
