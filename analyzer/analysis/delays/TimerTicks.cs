namespace Tracer.Analysis;

/// <summary>
/// Tells which clock tick should have served a measured timer: until then it waited for nothing but the timer's own granularity. From the
/// records of clock interrupts; where there are none, from the grid that the wake-ups themselves show.
/// </summary>
internal sealed class TimerTicks
{
    /// <summary>The local APIC's own timer: no tick of the clock serves it.</summary>
    private const byte OwnInterrupt = 0;

    /// <summary>Fewer intervals between ticks do not tell their period.</summary>
    private const int FewestIntervals = 8;

    /// <summary>So many intervals before a time are asked.</summary>
    private const int IntervalsAsked = 32;

    private readonly Dictionary<(int Cpu, long DueTicks), long> _ticks = [];
    private readonly long _toleranceTicks;

    /// <summary>Looks for a grid in the wake-ups of each CPU.</summary>
    /// <param name="wakeups">The wake-ups by due time.</param>
    /// <param name="thresholdTicks">Only those as late as this are asked for.</param>
    /// <param name="ticksPerSecond">Of the trace's clock.</param>
    public TimerTicks(IReadOnlyList<MeasuredWakeup> wakeups, long thresholdTicks, long ticksPerSecond)
    {
        const long Tolerance = 200_000; // 5 us: that part of a second
        _toleranceTicks = ticksPerSecond / Tolerance;
        foreach (IGrouping<(int Cpu, byte Mode), MeasuredWakeup> run in wakeups.Where(wakeup => wakeup.Mode != OwnInterrupt)
            .GroupBy(wakeup => (wakeup.Cpu, wakeup.Mode)))
        {
            if (!run.Any(IsLate) || TimerGrid.Find([.. run.Select(Moments)], ticksPerSecond) is not { } ticks)
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

    /// <summary>The tick that should have served a wake-up, in ticks of the trace's clock; when it was due where none is known.</summary>
    /// <param name="cpu">The CPU that it came to.</param>
    /// <param name="wakeup">The wake-up.</param>
    public long Of(CpuHistory cpu, in MeasuredWakeup wakeup)
    {
        long due = wakeup.ExpectedTicks;
        if (wakeup.Mode == OwnInterrupt)
        {
            return due;
        }

        long tick = Recorded(cpu, due) ?? (_ticks.TryGetValue((wakeup.Cpu, due), out long known) ? known : due);
        long served = Moments(wakeup).Served;
        return tick <= due ? due : tick <= served + _toleranceTicks ? Math.Min(tick, served) : due;
    }

    private static (long Due, long Served) Moments(MeasuredWakeup wakeup) =>
        (wakeup.ExpectedTicks, wakeup.IsrTicks ?? wakeup.DpcTicks ?? wakeup.ServedTicks);

    /// <summary>The first recorded clock interrupt at or after a time, unless it is late itself: then when it should have come.</summary>
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

        // It is late itself, or the clock is set anew for each timer: then the intervals differ.
        int regular = 0;
        foreach (long length in lengths[..intervals])
        {
            regular += Math.Abs(length - period) <= period / 16 ? 1 : 0;
        }

        return regular * 4 >= intervals * 3 ? expected : null;
    }
}
