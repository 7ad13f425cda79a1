using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// A process that measures its own wake-ups, as <c>tracer capture</c> without the driver has one: a thread of high priority on each CPU,
/// woken by a timer, logs when that was due and when it ran.
/// </summary>
internal static class MeasuringProcess
{
    private const int Priority = 28;
    private const long PeriodNs = 2_000_000;
    private const long SyncNs = 1_000_000_000;
    private const string ImageName = "tracer.exe";

    /// <param name="isSpread">
    /// Whether it waits for 1 to 2 ms each time, as ours does, and tells the clock tick that should have served it (version 2 of the
    /// event). If not, each timer is due with a tick: its granularity is not what the scenario is about.
    /// </param>
    public static void Add(SimulatedMachine machine, int timerCpu, IReadOnlyList<int> cpus, bool isSpread = false)
    {
        MachineInventory inventory = machine.Inventory;
        StackBuilder stacks = machine.Stacks;
        InventoryProcess process = inventory.AddProcess(ImageName);
        CodeStretch work = SimulatedMachine.Stretch(null, SimulatedMachine.Several(4, () => stacks.UserCode(process, "Measure")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(process)]);
        long interval = machine.Engine.Options.ClockIntervalNs;
        ulong sequence = 0;
        foreach (int cpu in cpus)
        {
            long tick = machine.Engine.ClockPhaseNs(timerCpu);
            long first = tick + (interval * machine.Random.Between(3, 6));
            Arrivals arrivals = isSpread ? Arrivals.Random(Spread.Uniform(PeriodNs / 2, PeriodNs)) : Arrivals.Every(PeriodNs, first);
            KernelTimer timer = machine.Engine.AddTimer($"measuring {cpu}", timerCpu, arrivals);
            SimulatedThread? self = null;
            bool isFirst = cpu == cpus[0];
            self = machine.AddThread(process, Priority, Program, wait, SimulatedMachine.Only(cpu));

            IEnumerable<Step> Program()
            {
                IKernelLog log = machine.Engine.Log;
                long nextSync = SyncNs;
                if (isFirst)
                {
                    log.MeasuringStarted(Now(), cpu, self!.Id, Priority, PeriodNs, machine.Engine.Options.ThresholdNs, isProcess: true);
                    log.ClocksRelated(Now(), cpu, self.Id);
                }

                while (machine.DurationNs == 0 || Now() < machine.DurationNs - (10 * PeriodNs))
                {
                    yield return Step.Wait(timer.Expired, wait);
                    long dueNs = timer.DueNs;
                    long? tickNs = isSpread ? dueNs + ((interval - ((dueNs - tick) % interval)) % interval) : null;
                    if (tickNs > Now())
                    {
                        tickNs -= interval; // The tick before was itself served a little late, and so found this timer due.
                    }

                    machine.Engine.Measure(timer, self!, tickNs ?? dueNs, isSpread);
                    var wakeup = new SimulatedWakeup
                    {
                        Sequence = ++sequence,
                        DueNs = dueNs,
                        TickNs = tickNs,
                        IsrNs = null,
                        DpcNs = null,
                        ThreadNs = Now(),
                        Priority = Priority,
                    };
                    yield return Step.Run(work, 2_500);
                    log.WakeupMeasured(Now(), cpu, self!.Id, wakeup);
                    if (isFirst && Now() >= nextSync)
                    {
                        log.ClocksRelated(Now(), cpu, self.Id);
                        nextSync += SyncNs;
                    }
                }

                if (isFirst)
                {
                    log.ClocksRelated(Now(), cpu, self!.Id);
                    log.MeasuringStopped(Now(), cpu, self.Id, sequence);
                }
            }
        }

        long Now() => machine.Engine.NowNs;
    }
}
