using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// An audio callback wakes in time and loses time while it works: to DPCs, to a thread of higher priority, to a blackout. Or it
/// loses nothing, and misses its deadline at most because its own work takes too long: then nobody is to blame.
/// </summary>
internal static class Callbacks
{
    private const int Cpu = 0;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const int HogPriority = 31;

    /// <summary>How often something happens to a callback.</summary>
    private const double Often = 0.06;

    /// <summary>None of the DPCs reaches the threshold; together they are longer than the rest of the period.</summary>
    public static Scenario Interrupted { get; } = new()
    {
        Name = "callback-interrupted",
        Explanation = "An audio callback wakes in time; storms of a driver's DPCs of 0.2 ms interrupt its work: it misses deadlines.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(6),
        ProbePeriodNs = 0,
        Build = BuildInterrupted,
    };

    public static Scenario LongDpc { get; } = Interrupted with
    {
        Name = "callback-long-dpc",
        Explanation = "An audio callback wakes in time; in the middle of its work a driver's DPC runs for most of its period.",
        Build = BuildLongDpc,
    };

    public static Scenario Preempted { get; } = Interrupted with
    {
        Name = "callback-preempted",
        Explanation = "An audio callback wakes in time; in the middle of its work a program's thread of priority 31 takes its CPU.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        LeastShare = 0.75, // Threads of 16 and 17 wait for the callback now and then.
        Build = BuildPreempted,
    };

    /// <summary>A callback on each CPU, so that most blackouts hit one at work.</summary>
    public static Scenario Stopped { get; } = Interrupted with
    {
        Name = "blackout-inside-a-job",
        Explanation = "Firmware stops all CPUs for 2 to 7 ms while audio callbacks work: they woke in time and end late.",
        Verdict = Verdict.Hardware,
        Kind = CulpritKind.Hardware,
        CulpritName = Contract.CulpritName.HardwareOrFirmware,
        Mechanism = Mechanism.Blackout,
        LeastShare = 0.7, // Threads of 16 and 17 wait for the callbacks now and then.
        Build = BuildStopped,
    };

    public static Scenario Overloaded { get; } = Interrupted with
    {
        Name = "callback-overloaded",
        Explanation = "An audio callback has too much to do now and then and misses deadlines: that is its own work, nobody else's.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 40 * Microsecond,
        // Of a long period what interrupts so much work would reach the threshold in all.
        Build = machine => BuildUndisturbed(
            machine, Spread.Mixed(0.08, Spread.Uniform(115, 150), Spread.Uniform(5, 40)), AudioCallback.ShortPeriodNs),
    };

    public static Scenario Healthy { get; } = Overloaded with
    {
        Name = "callback-healthy",
        Explanation = "An audio callback works for 5 to 40 % of its period and is always done in time: nothing to blame.",
        Build = machine => BuildUndisturbed(machine, Spread.Uniform(5, 40)),
    };

    private static ScenarioTruth BuildUndisturbed(SimulatedMachine machine, Spread percent, long? periodNs = null)
    {
        var callback = new AudioCallback(machine, periodNs ?? AudioCallback.SomePeriod(machine), Cpu) { Percent = percent };
        callback.Add();
        return new ScenarioTruth(null, callback.Process.Name);
    }

    private static ScenarioTruth BuildInterrupted(SimulatedMachine machine)
    {
        const long DpcNs = 200 * Microsecond;
        long left = 0;
        InterruptingDevice? device = null;
        RandomSequence intervals = machine.Engine.Random("intervals of the storm");
        device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, Then, [Cpu]);
        long period = AudioCallback.SomePeriod(machine);
        var callback = new AudioCallback(machine, period, Cpu)
        {
            Percent = Spread.Uniform(25, 40),
            Between = (_, random, _) => random.Happens(Often)
                ? [Step.Act(_ => Begin(random.Between(period, period * 13 / 10) / DpcNs))]
                : [],
        };
        callback.Add();
        return new ScenarioTruth(device.Dpc.Owner.Name, callback.Process.Name);

        void Begin(long count)
        {
            left = count;
            Next(machine.Engine);
        }

        void Next(Machine engine)
        {
            device!.NextDpcNs = DpcNs - intervals.Between(0, 30 * Microsecond);
            engine.Raise(device.Isr);
        }

        // The device is done again so soon after its DPC.
        IEnumerable<Step> Then()
        {
            if (left > 0 && --left > 0)
            {
                yield return Step.Act(engine => engine.After(intervals.Between(20 * Microsecond, 60 * Microsecond), Next));
            }
        }
    }

    private static ScenarioTruth BuildLongDpc(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [Cpu]);
        long period = AudioCallback.SomePeriod(machine);
        var callback = new AudioCallback(machine, period, Cpu)
        {
            Percent = Spread.Uniform(20, 40),
            Between = (_, random, work) => Meanwhile(random, work, engine =>
            {
                device.NextDpcNs = random.Between(period * 8 / 10, period * 9 / 10);
                engine.Raise(device.Isr);
            }),
        };
        callback.Add();
        return new ScenarioTruth(device.Dpc.Owner.Name, callback.Process.Name);
    }

    private static ScenarioTruth BuildPreempted(SimulatedMachine machine)
    {
        long period = AudioCallback.SomePeriod(machine);
        var hog = new WokenHog(machine, HogPriority, Cpu, Spread.Uniform(period * 8 / 10, period * 9 / 10));
        var callback = new AudioCallback(machine, period, Cpu)
        {
            Percent = Spread.Uniform(20, 40),
            Between = (_, random, work) => Meanwhile(random, work, hog.Wake),
        };
        callback.Add();
        return new ScenarioTruth(hog.Process.Name, callback.Process.Name, hog.Device.Dpc.Owner.Name);
    }

    private static ScenarioTruth BuildStopped(SimulatedMachine machine)
    {
        InventoryProcess? process = null;
        for (int cpu = 0; cpu < machine.Inventory.CpuCount; cpu++)
        {
            var callback = new AudioCallback(machine, AudioCallback.LongPeriodNs, cpu, process)
            {
                Percent = Spread.Uniform(20, 40),
                Between = (_, random, work) => random.Happens(0.5) ? [] : Meanwhile(
                    random, work, engine => engine.StallNow(CodeOwner.Hardware, random.Between(2 * Millisecond, 7 * Millisecond))),
            };
            process = callback.Process;
            callback.Add();
        }

        return new ScenarioTruth(CulpritName.HardwareOrFirmware, process!.Name);
    }

    /// <summary>Something outside happens now and then in the middle of the work.</summary>
    private static Step[] Meanwhile(RandomSequence random, long workNs, Action<Machine> action) => random.Happens(Often)
        ? [Step.Act(engine => engine.After(random.NextBelow(Math.Max(1, workNs / 4)), action))]
        : [];
}

/// <summary>A program that computes for a while when its network device has something for it.</summary>
internal sealed class WokenHog
{
    private readonly KernelEvent _arrived = new();
    private bool _isWanted;

    /// <param name="length">How long it computes each time.</param>
    public WokenHog(SimulatedMachine machine, int priority, int cpu, Spread length)
    {
        Process = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        Device = new InterruptingDevice(
            machine, DriverShape.NetworkMiniport, machine.UsualIsr, machine.UsualDpc,
            () => AudioCallback.TakeOnce(ref _isWanted) ? [Step.Signal(_arrived)] : [], [cpu]);
        CodeStretch code = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(Process, "Decode")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [machine.Stacks.Waiting(Process)]);
        RandomSequence random = machine.Engine.Random("woken hog");
        machine.AddThread(Process, priority, Program, wait, SimulatedMachine.Only(cpu));

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(_arrived, wait);
                yield return Step.Run(code, length.Next(random));
            }
        }
    }

    public InventoryProcess Process { get; }

    /// <summary>The device that wakes it.</summary>
    public InterruptingDevice Device { get; }

    public void Wake(Machine engine)
    {
        _isWanted = true;
        engine.Raise(Device.Isr);
    }
}
