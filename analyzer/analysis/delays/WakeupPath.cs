using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>The path of a wake-up through a DPC queue, as far as the trace shows it. Times in ticks.</summary>
/// <param name="Interrupt">The ISR that queued the DPC; null where no ISR was running at the enqueue.</param>
/// <param name="ReadyTicks">When the DPC made the thread ready.</param>
internal sealed record WakeupPath(LevelSpan? Interrupt, QueuedDpc Queued, LevelSpan Dpc, int DpcCpu, long ReadyTicks);

/// <summary>
/// Follows a wake-up back to its interrupt. This is possible only after the routines involved have returned, because their records are
/// logged then.
/// </summary>
internal static class WakeupPaths
{
    /// <summary>Most ISRs and DPCs that are examined between a time and the record of what ran then.</summary>
    private const int MostSpans = 4096;

    /// <summary>Follows a wake-up back to its interrupt.</summary>
    /// <returns>Null where it was not caused by a DPC whose enqueue is known.</returns>
    public static WakeupPath? Find(CpuHistories cpus, in Wake wake)
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
        return new WakeupPath(interrupt, queued, dpc, cpu.Cpu, wake.ReadyTicks);
    }

    /// <summary>
    /// The DPC that was running when a thread was made ready. If the ready record does not itself say that a DPC was running, the time must
    /// lie well inside the DPC.
    /// </summary>
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
