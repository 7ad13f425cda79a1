using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Modern Standby: the display goes off, all CPUs idle so deeply that no clock and no profile interrupt comes, the network or a timer wakes
/// the machine for moments, and at last somebody does. That nothing goes on while it sleeps is nobody's fault; what a driver does when it
/// is awake again is the driver's.
/// </summary>
internal static class ModernStandby
{
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const int FirstOfWindows11 = 22_000;
    private const int Priority = 13;

    public static Scenario Alone { get; } = new()
    {
        Name = "modern-standby",
        Explanation = "The machine is in Modern Standby now and then, where it sleeps for 0.3 to 30 s at a time: that blames nobody.",
        Verdict = Verdict.None,
        Duration = Duration.FromSeconds(8),
        Cpus = 4,
        Suits = build => build.Number >= FirstOfWindows11,
        HasModernStandby = true,
        NeedsIdleCpus = true,
        MoreKinds = RecordKinds.Standby,
        MostInnocentNs = 40 * Microsecond,
        Build = machine =>
        {
            InterruptingDevice nic = Nic(machine);
            Add(machine, nic, _ => { });
            return new ScenarioTruth(null, nic.Dpc.Owner.Name);
        },
    };

    public static Scenario SlowResume { get; } = Alone with
    {
        Name = "modern-standby-nic",
        Explanation = "Each time the machine has left Modern Standby a NIC's DPCs take 1 to 4 ms for a second.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<network miniport>",
        Mechanism = Mechanism.Dpc,
        MostInnocentNs = 420 * Microsecond,
        Build = machine =>
        {
            InterruptingDevice nic = Nic(machine);
            RandomSequence random = machine.Engine.Random("resume");
            Add(machine, nic, engine =>
            {
                for (long i = random.Between(3, 6), at = 0; i > 0; i--)
                {
                    at += random.Between(60 * Millisecond, 250 * Millisecond);
                    engine.After(at, later =>
                    {
                        nic.NextDpcNs = random.Between(Millisecond, 4 * Millisecond);
                        later.Raise(nic.Isr);
                    });
                }
            });
            return new ScenarioTruth(nic.Dpc.Owner.Name, CodeOwner.Power.Name);
        },
    };

    /// <summary>The provider that tells was not recorded: nobody can know whether it slept or stood still.</summary>
    public static Scenario Unrecorded { get; } = Alone with
    {
        Name = "modern-standby-untold",
        Explanation = "The machine sleeps in Modern Standby for 0.3 to 30 s at a time, and no record tells that it did.",
        Verdict = Verdict.Unknown,
        MoreKinds = RecordKinds.None,
    };

    private static InterruptingDevice Nic(SimulatedMachine machine) =>
        new(machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc, cpus: [0]);

    /// <param name="woken">What else happens when it is awake again.</param>
    private static void Add(SimulatedMachine machine, InterruptingDevice nic, Action<Machine> woken)
    {
        StackBuilder stacks = machine.Stacks;
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(6, () => stacks.WorkItem(stacks.At("PopPowerAggregatorHandleStateEvent"))));
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(machine.Inventory.SystemProcess)]);
        RandomSequence random = machine.Engine.Random("standby");
        SimulatedThread? self = null;
        self = machine.AddThread(machine.Inventory.SystemProcess, Priority, Program, wait);

        IEnumerable<Step> Program()
        {
            Machine engine = machine.Engine;
            while (true)
            {
                yield return Step.Sleep(random.Between(900 * Millisecond, 1_600 * Millisecond), wait);
                yield return Step.Run(code, random.Between(100 * Microsecond, 400 * Microsecond));
                engine.Log.StandbyEntered(engine.NowNs, engine.CurrentCpu, self!.Id);
                long enteredNs = engine.NowNs;
                long sleptNs = 0;
                int sleeps = 0;
                yield return Step.Sleep(random.Between(80 * Millisecond, 300 * Millisecond), wait);
                for (long left = random.Between(2, 4); left > 0; left--)
                {
                    // As often below the five seconds for which a machine may stand still as above.
                    long ns = random.Happens(0.5) ? random.Between(300, 4_500) : random.Between(5_500, 30_000);
                    engine.SleepWhenIdle(ns * Millisecond, 20 * Millisecond, awake =>
                    {
                        sleptNs += ns * Millisecond;
                        sleeps++;
                        awake.Raise(nic.Isr);
                    });
                    yield return Step.Sleep(random.Between(40 * Millisecond, 150 * Millisecond), wait);
                }

                yield return Step.Run(code, random.Between(100 * Microsecond, 400 * Microsecond));
                engine.Log.StandbyLeft(
                    engine.NowNs, engine.CurrentCpu, self.Id, engine.NowNs - enteredNs + sleptNs, sleptNs, sleeps);
                woken(engine);
            }
        }
    }
}
