using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// An audio callback takes a lock in the middle of its work that a thread of low priority holds for a moment now and then. Who keeps that
/// thread from going on keeps the callback: a program of a priority between the two (priority inversion), or a driver's DPC.
/// </summary>
internal static class LockHolders
{
    private const int CallbackCpu = 0;
    private const int HolderCpu = 1;
    private const int HolderPriority = 9;
    private const int HogPriority = 13;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const double Often = 0.4;

    public static Scenario Preempted { get; } = new()
    {
        Name = "lock-holder-preempted",
        Explanation = "An audio callback waits for a lock; a program of priority 13 has preempted the thread of priority 9 that holds it.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(6),
        LeastCpus = 2,
        LeastShare = 0.85, // The holder's own work is a little of it.
        ProbePeriodNs = 0,
        Build = machine => Build(machine, isPreempted: true),
    };

    public static Scenario InDpc { get; } = Preempted with
    {
        Name = "lock-holder-in-dpc",
        Explanation = "An audio callback waits for a lock; on the CPU of the thread that holds it a driver's DPC runs for 3 to 7 ms.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Build = machine => Build(machine, isPreempted: false),
    };

    /// <summary>The callback waits for a mixer, the mixer for the holder, and the holder for its CPU.</summary>
    public static Scenario BehindMixer { get; } = Preempted with
    {
        Name = "callback-lock-holder",
        Explanation = "An audio callback waits for a mixer, which waits for a lock; a program has preempted the thread that holds that.",
        LeastShare = 0.8, // The mixer's and the holder's own work are a little of it.
        Build = BuildMixer,
    };

    private static ScenarioTruth BuildMixer(SimulatedMachine machine)
    {
        const long PeriodNs = AudioCallback.LongPeriodNs;
        const long MixNs = 300 * Microsecond;
        StackBuilder stacks = machine.Stacks;
        var hog = new WokenHog(machine, HolderPriority + 3, HolderCpu, Spread.Uniform(4 * Millisecond, 8 * Millisecond));
        InventoryProcess mixer = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        var shared = new SharedLock(machine, mixer);
        CodeStretch mix = SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.UserCode(mixer, "MixStreams")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(mixer)]);
        RandomSequence random = machine.Engine.Random("lock holder");
        (KernelTimer timer, KernelEvent mixed) = AudioCallback.Mixer(machine, HolderCpu, PeriodNs, MixNs);
        machine.AddThread(mixer, (int)machine.Random.Between(14, 15), Mix, wait, SimulatedMachine.Only(HolderCpu));
        machine.AddThread(mixer, HolderPriority, () => Hold(mix, shared, random, hog.Wake), affinity: SimulatedMachine.Only(HolderCpu));
        var callback = new AudioCallback(machine, PeriodNs, CallbackCpu) { Wanted = mixed };
        callback.Add();
        return new ScenarioTruth(hog.Process.Name, callback.Process.Name, mixer.Name);

        IEnumerable<Step> Mix()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired, wait);
                yield return Step.Run(mix, MixNs / 2);
                yield return shared.Take();
                yield return Step.Run(mix, MixNs / 2);
                yield return shared.Give();
                yield return Step.Signal(mixed);
            }
        }
    }

    private static ScenarioTruth Build(SimulatedMachine machine, bool isPreempted)
    {
        StackBuilder stacks = machine.Stacks;
        var lengths = Spread.Uniform(3 * Millisecond, 7 * Millisecond);
        WokenHog? hog = isPreempted ? new WokenHog(machine, HogPriority, HolderCpu, lengths) : null;
        InterruptingDevice? device = isPreempted ? null : new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [HolderCpu]);
        InventoryProcess program = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        var shared = new SharedLock(machine, program);
        CodeStretch update = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => stacks.UserCode(program, "UpdateParameters")));
        RandomSequence random = machine.Engine.Random("lock holder");
        machine.AddThread(program, HolderPriority, () => Hold(update, shared, random, Disturb), affinity: SimulatedMachine.Only(HolderCpu));
        var callback = new AudioCallback(machine, AudioCallback.SomePeriod(machine), CallbackCpu, program) { Between = Inside };
        callback.Add();
        return isPreempted
            ? new ScenarioTruth(hog!.Process.Name, program.Name)
            : new ScenarioTruth(device!.Dpc.Owner.Name, program.Name);

        IEnumerable<Step> Inside(CodeStretch code, RandomSequence inside, long workNs)
        {
            yield return shared.Take();
            yield return Step.Run(code, inside.Between(5 * Microsecond, 20 * Microsecond));
            yield return shared.Give();
        }

        void Disturb(Machine engine)
        {
            hog?.Wake(engine);
            if (device is not null)
            {
                device.NextDpcNs = lengths.Next(random);
                engine.Raise(device.Isr);
            }
        }
    }

    /// <summary>Holds a lock for a moment again and again; in some of these something happens that keeps it.</summary>
    private static IEnumerable<Step> Hold(CodeStretch code, SharedLock shared, RandomSequence random, Action<Machine> disturb)
    {
        while (true)
        {
            yield return Step.Sleep(random.Between(8 * Millisecond, 25 * Millisecond));
            yield return Step.Run(code, random.Between(50 * Microsecond, 400 * Microsecond));
            yield return shared.Take();
            if (random.Happens(Often))
            {
                yield return Step.Act(engine => engine.After(random.NextBelow(60 * Microsecond), disturb));
            }

            yield return Step.Run(code, random.Between(80 * Microsecond, 150 * Microsecond));
            yield return shared.Give();
        }
    }
}
