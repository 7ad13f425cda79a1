namespace Tracer.Analysis;

/// <summary>The way of a wake-up through a queue of DPCs, as far as the trace shows it. Times in ticks.</summary>
/// <param name="Interrupt">The ISR that queued the DPC; null where none was around the enqueue.</param>
/// <param name="Queued">How the DPC was put into its queue.</param>
/// <param name="Dpc">The DPC.</param>
/// <param name="DpcCpu">Where it ran.</param>
/// <param name="ReadyTicks">When it made the thread ready.</param>
internal sealed record WakeupTrail(LevelSpan? Interrupt, QueuedDpc Queued, LevelSpan Dpc, int DpcCpu, long ReadyTicks);

/// <summary>
/// Follows a wake-up back to the interrupt, when the records of its routines have come, which are logged when they return.
/// </summary>
internal static class WakeupTrails
{
    /// <summary>So many ISRs and DPCs that may lie between a time and the record of what ran then are looked at.</summary>
    private const int MostSpans = 4096;

    /// <summary>Follows one back.</summary>
    /// <param name="cpus">The CPUs' histories.</param>
    /// <param name="wake">How the thread was made ready.</param>
    /// <returns>Null where no DPC did it whose enqueue is known.</returns>
    public static WakeupTrail? Find(CpuHistory?[] cpus, in Wake wake)
    {
        if (!wake.HasDpc || cpus[wake.Cpu] is not { } cpu || DpcAround(cpu, in wake) is not { } dpc || dpc.Routine != wake.Dpc.Routine
            || dpc.StartTicks < wake.Dpc.Queued.Ticks)
        {
            return null;
        }

        QueuedDpc queued = wake.Dpc.Queued;
        LevelSpan? interrupt = (uint)queued.Cpu < (uint)cpus.Length && cpus[queued.Cpu] is { } from
            && InnermostAround(from, queued.Ticks) is { IsIsr: true } isr
            ? isr
            : null;
        return new WakeupTrail(interrupt, queued, dpc, cpu.Cpu, wake.ReadyTicks);
    }

    /// <summary>The DPC that ran when a thread was made ready. A record that does not say so itself counts only well inside.</summary>
    private static LevelSpan? DpcAround(CpuHistory cpu, in Wake wake)
    {
        long at = wake.ReadyTicks;
        long first = cpu.FirstSpanEndingAfter(wake.IsFromDpc ? at - 1 : at);
        for (long number = first; number < Math.Min(cpu.Spans.Next, first + MostSpans); number++)
        {
            LevelSpan span = cpu.Spans[number];
            if (!span.IsIsr)
            {
                return span.StartTicks < at || (wake.IsFromDpc && span.StartTicks == at) ? span : null;
            }
        }

        return null;
    }

    private static LevelSpan? InnermostAround(CpuHistory cpu, long at)
    {
        long first = cpu.FirstSpanEndingAfter(at - 1);
        for (long number = first; number < Math.Min(cpu.Spans.Next, first + MostSpans); number++)
        {
            if (cpu.Spans[number].StartTicks <= at)
            {
                return cpu.Spans[number];
            }
        }

        return null;
    }
}
