using Tracer.Analysis.Facts;

namespace Tracer.Analysis.Latencies;

/// <summary>What the wake-ups tell that our driver or probe process measured.</summary>
internal sealed class WakeupLatencies(LatencyRecorder recorder, CallbackTimes callbacks)
{
    /// <summary>Mode of the local APIC's own timer, which no clock tick serves (docs/generated/provider-events.md).</summary>
    private const byte OwnInterrupt = 0;

    /// <summary>Mode of the probe process.</summary>
    private const byte ProbeProcess = 2;

    private readonly HashSet<(int Cpu, long Tick)> _timers = [];

    /// <param name="wakeups">The wake-ups, sorted by due time.</param>
    /// <param name="thresholdTicks">The threshold of the recording; null where it tells none.</param>
    /// <returns>Whether some source logged only what was late.</returns>
    public bool Take(IReadOnlyList<MeasuredWakeup> wakeups, long? thresholdTicks)
    {
        bool[] hasOnlyLate = OnlyLate(wakeups, thresholdTicks);
        bool someOnlyLate = false;
        foreach (MeasuredWakeup wakeup in wakeups)
        {
            LatencySource source = SourceOf(in wakeup);
            someOnlyLate |= hasOnlyLate[(int)source];
            if (!hasOnlyLate[(int)source])
            {
                Take(in wakeup, source);
            }
            else if (recorder.Wants(LatencyKind.Thread, source))
            {
                recorder.LeaveOut(LatencyKind.Thread, LatencyLeftOut.OnlyLate, 1);
            }
        }

        return someOnlyLate;
    }

    private static LatencySource SourceOf(in MeasuredWakeup wakeup) =>
        wakeup.Mode == ProbeProcess ? LatencySource.Probe : LatencySource.Driver;

    /// <summary>
    /// Which sources logged only what was late: of all wake-ups some are below the threshold, because it is above what an idle machine
    /// takes.
    /// </summary>
    private static bool[] OnlyLate(IReadOnlyList<MeasuredWakeup> wakeups, long? thresholdTicks)
    {
        bool[] hasOnlyLate = new bool[Enum.GetValues<LatencySource>().Length];
        if (thresholdTicks is { } threshold)
        {
            Array.Fill(hasOnlyLate, true);
            foreach (MeasuredWakeup wakeup in wakeups)
            {
                hasOnlyLate[(int)SourceOf(in wakeup)] &= wakeup.ServedTicks - wakeup.FromTicks >= threshold
                    || wakeup.TimerLateTicks >= threshold;
            }
        }

        return hasOnlyLate;
    }

    private void Take(in MeasuredWakeup wakeup, LatencySource source)
    {
        callbacks.Woke(in wakeup, source);
        if (wakeup.QueuedTicks is { } queued)
        {
            TakeTimer(in wakeup);
            Add(in wakeup, LatencyKind.Dpc, source, queued, wakeup.DpcTicks);
        }
        else
        {
            // Where an interrupt has its own vector, its service routine queues the DPC with its first instructions.
            Add(in wakeup, LatencyKind.Dpc, source, wakeup.IsrTicks, wakeup.DpcTicks);
            TakeInterrupt(in wakeup, source);
        }

        AddThread(in wakeup, LatencyKind.Thread, source, wakeup.DpcTicks);
    }

    /// <summary>
    /// What counts from the interrupt. Where Windows' clock serves the timer, that is the tick, as the driver or the probe tells it: the
    /// record of a clock interrupt is of its service, and a due time lies up to a tick before.
    /// </summary>
    private void TakeInterrupt(in MeasuredWakeup wakeup, LatencySource source)
    {
        if ((wakeup.TickTicks ?? (wakeup.Mode == OwnInterrupt ? wakeup.ExpectedTicks : null)) is not { } asserted)
        {
            if (recorder.Wants(LatencyKind.ThreadInterrupt, source))
            {
                recorder.LeaveOut(LatencyKind.ThreadInterrupt, LatencyLeftOut.UnknownTick, 1);
            }

            return;
        }

        Add(in wakeup, LatencyKind.Interrupt, source, asserted, wakeup.IsrTicks);
        Add(in wakeup, LatencyKind.DpcInterrupt, source, asserted, wakeup.DpcTicks);
        AddThread(in wakeup, LatencyKind.ThreadInterrupt, source, asserted);
    }

    /// <summary>
    /// The timer of all CPUs, from its tick to its callback, which runs as a DPC: one latency, however many wake-ups tell of it. Ticks are
    /// known less exactly than callbacks: one that is said to lie behind its callback was served at once.
    /// </summary>
    private void TakeTimer(in MeasuredWakeup wakeup)
    {
        const int Remembered = 1 << 13; // The wake-ups of one callback come together, one for each CPU at most.
        if (wakeup is not { TickTicks: { } tick, CallbackTicks: { } callback } || !_timers.Add((wakeup.TimerCpu, tick)))
        {
            return;
        }

        if (_timers.Count > Remembered)
        {
            _timers.Clear();
            _timers.Add((wakeup.TimerCpu, tick));
        }

        recorder.Add(new WaitedLatency
        {
            Kind = LatencyKind.DpcInterrupt,
            Source = LatencySource.Driver,
            FromTicks = Math.Min(tick, callback),
            ToTicks = callback,
            Cpu = wakeup.TimerCpu,
        });
    }

    private void Add(in MeasuredWakeup wakeup, LatencyKind kind, LatencySource source, long? from, long? to)
    {
        if (from is { } start && to is { } end)
        {
            recorder.Add(new WaitedLatency { Kind = kind, Source = source, FromTicks = start, ToTicks = end, Cpu = wakeup.Cpu });
        }
    }

    private void AddThread(in MeasuredWakeup wakeup, LatencyKind kind, LatencySource source, long? from)
    {
        if (from is { } start && wakeup.ThreadTicks is { } end)
        {
            recorder.Add(new WaitedLatency
            {
                Kind = kind,
                Source = source,
                FromTicks = start,
                ToTicks = end,
                Cpu = wakeup.Cpu,
                ThreadId = wakeup.ThreadId,
                Priority = wakeup.Priority,
            });
        }
    }
}
