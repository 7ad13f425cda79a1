using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Jones and Regehr (HotOS 1999, 4.1): a clock that ticks each 976 us, and a program that asks for each millisecond. Its due times drift
/// through the ticks, and it is served with the next one: nothing interferes, and it is up to a tick late.
/// </summary>
internal static class TimerBeat
{
    private const long PeriodNs = 1_000_000;
    private const long TickNs = 976_562;
    private const long SyncNs = 1_000_000_000;
    private const int Priority = 28;
    private const string Recorder = "TracerLatency.sys";

    public static Scenario Scenario { get; } = new()
    {
        Name = "hal-beat",
        Explanation = "The clock ticks each 976 us and a program asks for each 1 ms: it is up to a tick late, and nobody's fault.",
        Verdict = Verdict.None,
        Duration = Duration.FromSeconds(2),
        ChangeEngine = options => options with { ClockIntervalNs = TickNs },
        MoreKinds = RecordKinds.MeasuredWakeups,
        SometimesKinds = RecordKinds.ClockInterrupts,
        MostInnocentNs = 60_000,
        Build = Build,
    };

    private static ScenarioTruth Build(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess system = machine.Inventory.SystemProcess;
        SimulatedImage driver = machine.Inventory.AddDriver(Recorder);
        machine.Inventory.Load(driver);
        var owner = new CodeOwner(CulpritKind.Driver, Recorder);
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(system)]);
        CodeStretch measure = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => stacks.KernelThread(new CodeFrame(driver, "MeasuringThread"))));
        CodeStretch deferred = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(4, () => stacks.Dpc(new CodeFrame(driver, "TimerDpc"))));
        var signalled = new KernelEvent();
        long isrNs = 0;
        long dpcNs = 0;
        long tickNs = 0;
        ulong routine = driver.Routine("TimerDpc");
        var dpc = new Dpc(owner, routine, DpcSteps) { RoutineName = driver.Describe(routine) };
        long first = (10 * PeriodNs) + machine.Random.NextBelow(PeriodNs);
        KernelTimer? timer = null;
        timer = machine.Engine.AddTimer("measuring timer", 0, Arrivals.Every(PeriodNs, first), dpc);
        SimulatedThread? self = null;
        self = machine.AddThread(system, Priority, Program, wait, SimulatedMachine.Only(0), owner);
        return new ScenarioTruth(null);

        IEnumerable<Step> DpcSteps()
        {
            dpcNs = machine.Engine.NowNs;
            tickNs = machine.Engine.ClockDueNs(0);
            isrNs = machine.Engine.ClockServedNs(0);
            yield return Step.Run(deferred, 900);
            yield return Step.Signal(signalled);
        }

        IEnumerable<Step> Program()
        {
            IKernelLog log = machine.Engine.Log;
            ulong sequence = 0;
            long nextSync = SyncNs;
            log.MeasuringStarted(Now(), 0, self!.Id, Priority, PeriodNs, machine.Engine.Options.ThresholdNs);
            log.ClocksRelated(Now(), 0, self.Id);
            while (machine.DurationNs == 0 || Now() < machine.DurationNs - (3 * PeriodNs))
            {
                yield return Step.Wait(signalled, wait);
                machine.Engine.Measure(timer, self, tickNs);
                var wakeup = new SimulatedWakeup
                {
                    Sequence = ++sequence,
                    DueNs = timer.DueNs,
                    IsrNs = isrNs,
                    DpcNs = dpcNs,
                    ThreadNs = Now(),
                    Priority = Priority,
                };
                yield return Step.Run(measure, 1_500);
                log.WakeupMeasured(Now(), 0, self.Id, wakeup);
                if (Now() >= nextSync)
                {
                    log.ClocksRelated(Now(), 0, self.Id);
                    nextSync += SyncNs;
                }
            }

            log.ClocksRelated(Now(), 0, self.Id);
            log.MeasuringStopped(Now(), 0, self.Id, sequence);
        }

        long Now() => machine.Engine.NowNs;
    }
}
