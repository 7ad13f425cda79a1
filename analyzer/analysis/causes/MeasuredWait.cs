using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;
using Tracer.Analysis.Modules;

namespace Tracer.Analysis.Causes;

/// <summary>
/// Accounts for the wake-ups that our driver or probe process measured: the wait for the timer, its interrupt, its DPC and the thread.
/// </summary>
internal sealed class MeasuredWait(
    EpisodeAnalysisSettings settings, CpuHistories cpus, BlackoutSearch blackouts, Accounting accounting)
{
    /// <summary>
    /// A measured wake-up first waits for the interrupt of its timer and for a DPC, which no thread can delay. Both are waited for on the
    /// CPU that served the timer, which need not be the victim's. Where the timer of all CPUs queued the DPC, only the DPC is waited for,
    /// on the victim's CPU: what came before is the timer's own delay.
    /// </summary>
    public List<CauseShare> CausesOf(CpuHistory cpu, EpisodeCandidate candidate, MeasuredWakeup wakeup)
    {
        (long Ticks, int Cpu)? ready = wakeup is { IsrTicks: null, DpcTicks: null, ThreadId: var thread }
            ? settings.Readies.Last(thread, candidate.FromTicks, candidate.ToTicks)
            : null;
        CpuHistory server = ready is { } made && cpus[made.Cpu] is { } other ? other : cpu;
        long interval = server.SampleIntervalAt(candidate.ToTicks);
        long tick = Within(candidate, settings.Ticks.Of(server, in wakeup));
        long served = ready is { } known
            ? Math.Min(candidate.ToTicks, WaitedCpu.DispatchedFrom(server, cpu, known.Ticks))
            : Within(candidate, wakeup.DpcTicks ?? wakeup.IsrTicks ?? candidate.FromTicks);
        long dpc = Math.Max(tick, served);
        long isr = Math.Clamp(Within(candidate, wakeup.IsrTicks ?? candidate.FromTicks), tick, dpc);
        List<CauseShare> causes = [];
        if (tick > candidate.FromTicks)
        {
            causes.Add(new CauseShare
            {
                Detail = TickAwaited.Instance,
                Ticks = tick - candidate.FromTicks,
                AtTicks = candidate.FromTicks,
            });
        }

        if (wakeup.IsrTicks is not null)
        {
            blackouts.LookAtInterrupt(cpu, tick, isr);
        }

        causes.AddRange(accounting.Of(server, tick, isr, WaitedCpu.AboveThreads, interval, victim: null, CodeLevel.Isr));
        // A CPU that was asked by its own timer's interrupt, or whose own callback queued the DPC, is awake.
        bool isAwake = wakeup.IsrTicks is not null || (wakeup.QueuedTicks is not null && wakeup.TimerCpu == wakeup.Cpu);
        causes.AddRange(accounting.Of(server, isr, dpc, WaitedCpu.AboveThreads, interval, victim: null, CodeLevel.Dpc, isAwake: isAwake));
        AddServed(cpu, dpc, candidate, cpu.SampleIntervalAt(candidate.ToTicks), causes);
        return causes;
    }

    /// <summary>
    /// Accounts for the time from the DPC of a measured wake-up to its thread. Suspensions by the thread's own runtime come first.
    /// </summary>
    private void AddServed(CpuHistory cpu, long fromTicks, EpisodeCandidate candidate, long interval, List<CauseShare> causes)
    {
        long at = fromTicks;
        uint victim = candidate.ThreadId ?? 0;
        bool isAwake = candidate.Delay.Wakeup is { } wakeup && (wakeup.DpcTicks ?? wakeup.IsrTicks) is not null;
        foreach (TickSpan pause in settings.PausesOf(victim, fromTicks, candidate.ToTicks))
        {
            causes.AddRange(accounting.Of(
                cpu, at, pause.StartTicks, candidate.Priority, interval, candidate.ThreadId, isAwake: isAwake));
            causes.Add(new CauseShare
            {
                Ticks = pause.EndTicks - pause.StartTicks,
                AtTicks = pause.StartTicks,
                IsInferred = true,
                Detail = new ThreadRan(victim, candidate.Priority, IsOwnPause: true),
            });
            at = pause.EndTicks;
        }

        causes.AddRange(accounting.Of(
            cpu, at, candidate.ToTicks, candidate.Priority, interval, candidate.ThreadId, isAwake: isAwake));
    }

    private static long Within(EpisodeCandidate candidate, long ticks) => Math.Clamp(ticks, candidate.FromTicks, candidate.ToTicks);
}
