using Tracer.Analysis.Facts;
using Tracer.Analysis.Machine;

namespace Tracer.Analysis.Delays;

/// <summary>
/// Finds the clock tick that should have served a measured timer: until that tick the timer waited only because of its own granularity.
/// Uses what the probe or the driver says it was (version 2 of the event), else the records of clock interrupts or, where there are none,
/// the grid shown by the wake-ups themselves.
/// </summary>
internal sealed class TimerTicks
{
    /// <summary>Mode of the local APIC's own timer, which no clock tick serves.</summary>
    private const byte OwnInterrupt = 0;

    /// <summary>Fewest intervals between ticks from which their period is judged.</summary>
    private const int FewestIntervals = 8;

    /// <summary>Most intervals before a time that are examined.</summary>
    private const int IntervalsAsked = 32;

    private readonly Dictionary<(int Cpu, long DueTicks), long> _ticks = [];
    private readonly long _toleranceTicks;

    /// <summary>Looks for a grid in the wake-ups of each CPU.</summary>
    /// <param name="wakeups">The wake-ups, sorted by due time.</param>
    /// <param name="thresholdTicks">Only wake-ups at least this late will be asked for.</param>
    public TimerTicks(IReadOnlyList<MeasuredWakeup> wakeups, long thresholdTicks, long ticksPerSecond)
    {
        const long ToleranceNanoseconds = 5_000;
        _toleranceTicks = TickRate.TicksOf(ToleranceNanoseconds, ticksPerSecond);
        foreach (IGrouping<(int Cpu, byte Mode), MeasuredWakeup> run in wakeups
            .Where(wakeup => wakeup is { Mode: not OwnInterrupt, TickTicks: null, QueuedTicks: null })
            .GroupBy(wakeup => (wakeup.Cpu, wakeup.Mode)))
        {
            if (!run.Any(IsLate) || TimerGrid.Find([.. run.Select(Times)], ticksPerSecond) is not { } ticks)
            {
                continue;
            }

            int at = 0;
            foreach (MeasuredWakeup wakeup in run)
            {
                if (IsLate(wakeup))
                {
                    _ticks.TryAdd((wakeup.Cpu, wakeup.ExpectedTicks), ticks[at]);
                }

                at++;
            }
        }

        bool IsLate(MeasuredWakeup wakeup) => wakeup.ServedTicks - wakeup.ExpectedTicks >= thresholdTicks;
    }

    /// <summary>
    /// The tick that should have served a wake-up, in ticks of the trace's clock; the wake-up's due time where no tick is known.
    /// </summary>
    public long Of(CpuHistory cpu, in MeasuredWakeup wakeup)
    {
        long due = wakeup.ExpectedTicks;
        if ((wakeup.QueuedTicks ?? wakeup.TickTicks) is { } given)
        {
            return given; // What was queued waits for no tick: the timer of all CPUs has expired by then.
        }

        if (wakeup.Mode == OwnInterrupt)
        {
            return due;
        }

        long tick = Recorded(cpu, due) ?? (_ticks.TryGetValue((wakeup.Cpu, due), out long known) ? known : due);
        long served = Times(wakeup).Served;
        return tick <= due ? due : tick <= served + _toleranceTicks ? Math.Min(tick, served) : due;
    }

    private static (long Due, long Served) Times(MeasuredWakeup wakeup) =>
        (wakeup.ExpectedTicks, wakeup.IsrTicks ?? wakeup.DpcTicks ?? wakeup.ServedTicks);

    /// <summary>
    /// The first recorded clock interrupt at or after a time or, if that one is late itself, the time at which it should have come.
    /// </summary>
    private static long? Recorded(CpuHistory cpu, long due)
    {
        long next = cpu.ClockInterrupts.FirstAfter(due - 1);
        int intervals = (int)Math.Min(IntervalsAsked, next - 1 - cpu.ClockInterrupts.First);
        if (intervals < FewestIntervals)
        {
            return null;
        }

        Span<long> lengths = stackalloc long[IntervalsAsked];
        for (int i = 0; i < intervals; i++)
        {
            lengths[i] = cpu.ClockInterrupts[next - 1 - i].Ticks - cpu.ClockInterrupts[next - 2 - i].Ticks;
        }

        lengths[..intervals].Sort();
        long period = Math.Max(1, lengths[intervals / 2]);
        long last = cpu.ClockInterrupts[next - 1].Ticks;
        long expected = last + ((((due - last) + period - 1) / period) * period);
        long recorded = next < cpu.ClockInterrupts.Next ? cpu.ClockInterrupts[next].Ticks : long.MaxValue;
        if (recorded <= expected + (period / 16))
        {
            return recorded;
        }

        // Either the interrupt is late itself, or the clock is set anew for each timer, so that intervals differ.
        int regular = 0;
        foreach (long length in lengths[..intervals])
        {
            regular += Math.Abs(length - period) <= period / 16 ? 1 : 0;
        }

        return regular * 4 >= intervals * 3 ? expected : null;
    }
}
