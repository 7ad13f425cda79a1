using Tracer.Simulator.Draws;

namespace Tracer.Simulator.Engine;

/// <summary>The timers of each CPU and what their expiry brings.</summary>
internal sealed class TimerQueues(MachineState state, ThreadDispatcher dispatcher)
{
    private long _timerOrder;

    /// <summary>Puts a timer into the queue of its CPU.</summary>
    public void Set(KernelTimer timer, long dueNs) => state.Cpus[timer.Cpu].Timers.Enqueue(timer, (dueNs, _timerOrder++));

    public bool IsDue(Cpu cpu) =>
        cpu.Timers.TryPeek(out _, out (long DueNs, long Order) first) && first.DueNs <= state.NowNs;

    /// <summary>Takes all due timers of the CPU: queues their DPCs, wakes who waits for them, sets them again.</summary>
    public void Expire(Cpu cpu)
    {
        while (IsDue(cpu))
        {
            cpu.Timers.TryPeek(out _, out (long DueNs, long Order) due);
            KernelTimer timer = cpu.Timers.Dequeue();
            timer.DueNs = due.DueNs;
            timer.Note(state.NowNs);
            if (timer.Dpc is not null)
            {
                timer.Dpc.Occasion = Occasion.Of(timer.Random!.Source, (ulong)timer.DueNs);
                cpu.ExpiredDpcs.Enqueue(timer.Dpc);
                cpu.IsDispatchRequested = true;
            }

            dispatcher.Wake(timer.Expired, 0, TickOf(timer));
            if (timer.Schedule is Arrivals schedule)
            {
                long next = schedule.Next(timer.Random!);
                while (next <= state.NowNs)
                {
                    next = schedule.Next(timer.Random!);
                }

                Set(timer, next);
            }
        }
    }

    /// <summary>The clock's tick that could serve a timer.</summary>
    private TimerTick TickOf(KernelTimer timer)
    {
        long interval = state.Options.ClockIntervalNs;
        long past = (timer.DueNs - state.ClockPhaseNs(timer.Cpu)) % interval;
        long tickNs = past == 0 ? timer.DueNs : timer.DueNs + (past < 0 ? -past : interval - past);
        return new TimerTick(state.Cpus[timer.Cpu], tickNs, timer.PeriodNs);
    }
}
