using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Delays;

/// <summary>The delays among the wake-ups that our driver or probe process measured.</summary>
internal static class MeasuredDelays
{
    /// <returns>The delays, sorted by end.</returns>
    public static List<Delay> Of(IEnumerable<MeasuredWakeup> wakeups, long thresholdTicks)
    {
        List<Delay> measured = [];
        foreach (MeasuredWakeup wakeup in wakeups)
        {
            long end = wakeup.ServedTicks;
            if (end - wakeup.FromTicks >= thresholdTicks)
            {
                measured.Add(new Delay
                {
                    Probe = ProbeKind.Wakeup,
                    FromTicks = wakeup.FromTicks,
                    ToTicks = end,
                    Cpu = wakeup.Cpu,
                    ThreadId = wakeup.ThreadId,
                    Priority = wakeup.Priority,
                    Wakeup = wakeup,
                });
            }
        }

        measured.Sort(static (one, other) => one.ToTicks.CompareTo(other.ToTicks));
        return measured;
    }

    /// <summary>
    /// How often the timer of all CPUs came late by the threshold or more: from its tick to its callback, on the CPU that ran that. The
    /// wake-ups of all CPUs that it served tell of it; it is one delay.
    /// </summary>
    /// <returns>The delays, sorted by end.</returns>
    public static List<Delay> OfTimer(IEnumerable<MeasuredWakeup> wakeups, long thresholdTicks)
    {
        Dictionary<(int Cpu, long Tick), Delay> late = [];
        foreach (MeasuredWakeup wakeup in wakeups)
        {
            if (wakeup.TimerLateTicks >= thresholdTicks && wakeup is { TickTicks: { } tick, CallbackTicks: { } callback })
            {
                late.TryAdd((wakeup.TimerCpu, tick), new Delay
                {
                    Probe = ProbeKind.Wakeup,
                    FromTicks = tick,
                    ToTicks = callback,
                    Cpu = wakeup.TimerCpu,
                    IsOfTimer = true,
                });
            }
        }

        return [.. late.Values.OrderBy(delay => delay.ToTicks).ThenBy(delay => delay.Cpu)];
    }
}
