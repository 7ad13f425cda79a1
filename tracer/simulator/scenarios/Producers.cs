using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// Audio callbacks that are made ready too late, or wait in the middle of their work, because of whom they wait for: a mixer in another
/// process, the kernel's workers, the device. From ready to running all is well.
/// </summary>
internal static class Producers
{
    private const int CallbackCpu = 0;
    private const int OtherCpu = 1;
    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const long PeriodNs = AudioCallback.LongPeriodNs;

    /// <summary>The usual work of a mixer: its callbacks are due so much later than its own turn.</summary>
    private const long MixNs = 400 * Microsecond;

    private const double Often = 0.07;
    private const int BelowMixer = 10;
    private const int UndisturbedPriority = 27;

    /// <summary>The mixer's priority is below the victims': only the callback counts.</summary>
    public static Scenario Preempted { get; } = new()
    {
        Name = "callback-behind-producer",
        Explanation = "An audio callback waits for a mixer in another process, which a third program preempts for 3 to 8 ms.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Duration = Duration.FromSeconds(6),
        LeastCpus = 2,
        LeastShare = 0.85, // The mixer's own work is a little of it.
        ProbePeriodNs = 0,
        Build = machine => BuildMixer(machine),
    };

    public static Scenario Slow { get; } = Preempted with
    {
        Name = "callback-slow-producer",
        Explanation = "An audio callback waits for a mixer in another process, which now and then computes for 4 to 8 ms instead of 0.4.",
        Build = machine => BuildMixer(machine, isSlow: true),
    };

    /// <summary>All are in time, although a program of lower priority computes on the mixer's CPU all the while.</summary>
    public static Scenario Healthy { get; } = Preempted with
    {
        Name = "callback-chain-healthy",
        Explanation = "An audio callback waits for a mixer in another process, which is in time although a program computes below it.",
        Verdict = Verdict.None,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        MostInnocentNs = 60 * Microsecond,
        Build = BuildHealthy,
    };

    public static Scenario Worker { get; } = Preempted with
    {
        Name = "callback-behind-worker",
        Explanation = "An audio callback asks a kernel worker of priority 12 or 13 for something; a scanner of 14 or 15 keeps its CPU.",
        Build = BuildWorker,
    };

    /// <summary>Nobody but the device knows why.</summary>
    public static Scenario LateDevice { get; } = Preempted with
    {
        Name = "late-device",
        Explanation = "An audio device itself interrupts 3 to 8 ms late now and then: its callback is late, and nobody can say why.",
        Verdict = Verdict.Unknown,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        LeastCpus = 1,
        MostInnocentNs = 60 * Microsecond,
        Build = BuildLateDevice,
    };

    /// <summary>The same, while a driver's long DPCs run on a CPU that nobody waits for.</summary>
    public static Scenario LateDeviceBesideDpcs { get; } = LateDevice with
    {
        Name = "late-device-beside-dpcs",
        Explanation = "An audio device interrupts 3 to 8 ms late now and then; a driver's DPCs of 3 to 7 ms on another CPU are innocent.",
        LeastCpus = 2,
        Build = machine => BuildLateDevice(machine) with { Innocents = [AddDecoy(machine)] },
    };

    private static ScenarioTruth BuildHealthy(SimulatedMachine machine)
    {
        ScenarioTruth truth = BuildMixer(machine, disturbance: 0);
        InventoryProcess busy = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch compile = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(8, () => machine.Stacks.UserCode(busy, "Compile")));
        machine.AddThread(busy, BelowMixer, Compile, affinity: SimulatedMachine.Only(OtherCpu));
        return new ScenarioTruth(null, [busy.Name, .. truth.Innocents]);

        IEnumerable<Step> Compile()
        {
            while (true)
            {
                yield return Step.Run(compile, PeriodNs);
            }
        }
    }

    private static string AddDecoy(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [OtherCpu]);
        LongDpcs.Add(machine, device, 60 * Millisecond, Spread.Uniform(3 * Millisecond, 7 * Millisecond));
        return device.Dpc.Owner.Name;
    }

    private static ScenarioTruth BuildMixer(SimulatedMachine machine, double disturbance = Often, bool isSlow = false)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess mixer = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch mix = SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.UserCode(mixer, "MixStreams")));
        CodeStretch wait = SimulatedMachine.Stretch(null, [stacks.Waiting(mixer)]);
        RandomSequence random = machine.Engine.Random("mixer");
        // Where nobody may disturb it nobody of an ordinary priority can.
        int priority = disturbance == 0 ? UndisturbedPriority : (int)machine.Random.Between(13, 15);
        var hog = new WokenHog(machine, priority + 2, OtherCpu, Spread.Uniform(3 * Millisecond, 8 * Millisecond));
        (KernelTimer timer, KernelEvent mixed) = AudioCallback.Mixer(machine, OtherCpu, PeriodNs, MixNs);
        machine.AddThread(mixer, priority, Mix, wait, SimulatedMachine.Only(OtherCpu));
        var callback = new AudioCallback(machine, PeriodNs, CallbackCpu)
        {
            Wanted = mixed,
            Percent = disturbance == 0 ? Spread.Uniform(2, 4) : Spread.Uniform(5, 40), // Else it is what keeps threads of 16 and 17.
        };
        callback.Add();
        return isSlow
            ? new ScenarioTruth(mixer.Name, callback.Process.Name)
            : new ScenarioTruth(hog.Process.Name, callback.Process.Name, mixer.Name);

        IEnumerable<Step> Mix()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired, wait);
                bool isDisturbed = random.Happens(disturbance);
                if (isDisturbed && !isSlow)
                {
                    yield return Step.Act(engine => engine.After(random.Between(MixNs / 10, MixNs * 8 / 10), hog.Wake));
                }

                long length = isDisturbed && isSlow ? random.Between(4 * Millisecond, 8 * Millisecond) : MixNs;
                yield return Step.Run(mix, length - random.NextBelow(20 * Microsecond));
                yield return Step.Signal(mixed);
            }
        }
    }

    private static ScenarioTruth BuildWorker(SimulatedMachine machine)
    {
        StackBuilder stacks = machine.Stacks;
        InventoryProcess system = machine.Inventory.SystemProcess;
        InventoryProcess scanner = machine.Inventory.AddProcess(machine.Inventory.InventProgramName());
        CodeStretch idle = SimulatedMachine.Stretch(null, [stacks.Waiting(system)]);
        CodeStretch serve = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(6, () => stacks.WorkItem(stacks.At("CcWriteBehind"))));
        CodeStretch scan = SimulatedMachine.Stretch(null, SimulatedMachine.Several(8, () => stacks.UserCode(scanner, "ScanFile")));
        RandomSequence random = machine.Engine.Random("worker and scanner");
        var asked = new KernelEvent();
        var done = new KernelEvent();
        machine.AddThread(system, (int)machine.Random.Between(12, 13), Serve, idle, SimulatedMachine.Only(OtherCpu));
        machine.AddThread(scanner, (int)machine.Random.Between(14, 15), Scan, affinity: SimulatedMachine.Only(OtherCpu));
        long period = AudioCallback.SomePeriod(machine);
        var callback = new AudioCallback(machine, period, CallbackCpu) { Between = Ask };
        callback.Add();
        return new ScenarioTruth(scanner.Name, callback.Process.Name, system.Name);

        IEnumerable<Step> Ask(CodeStretch code, RandomSequence asking, long workNs)
        {
            if (asking.Happens(0.3))
            {
                yield return Step.Signal(asked);
                yield return Step.WaitInside(done, null, WaitReason.Executive);
            }
        }

        IEnumerable<Step> Serve()
        {
            while (true)
            {
                yield return Step.Wait(asked, idle, WaitReason.Queue);
                yield return Step.Run(serve, random.Between(20 * Microsecond, 60 * Microsecond));
                yield return Step.Signal(done);
            }
        }

        IEnumerable<Step> Scan()
        {
            while (true)
            {
                yield return Step.Sleep(random.Between(20 * Millisecond, 70 * Millisecond));
                yield return Step.Run(scan, random.Between(3 * Millisecond, 9 * Millisecond));
            }
        }
    }

    private static ScenarioTruth BuildLateDevice(SimulatedMachine machine)
    {
        RandomSequence random = machine.Engine.Random("late device");
        KernelEvent played = AudioCallback.OfDevice(machine, PeriodNs, CallbackCpu, () => random.Happens(Often)
            ? random.Between(3 * Millisecond, 8 * Millisecond) : 0);
        var callback = new AudioCallback(machine, PeriodNs, CallbackCpu) { Wanted = played };
        callback.Add();
        return new ScenarioTruth(null, callback.Process.Name, machine.Inventory[ImageRole.AudioBus].FileName);
    }
}
