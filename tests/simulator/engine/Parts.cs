using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;

namespace Tracer.Simulator.Tests;

/// <summary>Drivers and code that tests of the machine are built from.</summary>
internal static class Parts
{
    public const long Us = 1_000;
    public const long Ms = 1_000_000;
    public const long Second = 1_000_000_000;

    public static CodeOwner Driver(string name, params string[] through) => new(CulpritKind.Driver, name, through);

    public static CodeStretch Code(ulong address) => new(0xFFFFF805_00000000 + address, 0xFFFFF805_00000001);

    public static CodeStretch User(ulong address) => new(0x7FF6_0000_0000 + address);

    public static TruthDeclaration Declared(Verdict verdict, string? culprit = null, Mechanism? mechanism = null) =>
        new() { Scenario = "test", Verdict = verdict, Culprit = culprit, Mechanism = mechanism };

    /// <summary>A machine whose own work takes no time: what scenarios ask for is all there is, to the nanosecond.</summary>
    public static MachineOptions Costless(int cpus = 1, Recording recording = Recording.All, ulong seed = 1) => new()
    {
        Seed = seed,
        Cpus = cpus,
        Recording = recording,
        IdleStates = [],
        InterruptEntryNs = 0,
        DpcEntryNs = 0,
        ClockCostNs = 0,
        ProfileCostNs = 0,
        IpiCostNs = 0,
        TimerExpiryCostNs = 0,
        SwitchCostNs = 0,
    };

    /// <summary>A body of steps that are always the same.</summary>
    public static Func<IEnumerable<Step>> Always(params Step[] steps) => () => steps;

    /// <summary>A device with an ISR that queues a DPC.</summary>
    public static Isr Device(
        Machine machine, CodeOwner owner, ulong address, int irql, int[] cpus, Spread isr, Spread dpc, params Step[] then)
    {
        var deferred = new Dpc(owner, 0xFFFFF805_00000100 + address, machine.Body(owner.Name + " dpc", Code(address + 0x100), dpc, then))
        {
            RoutineName = owner.Name + "+0x100",
        };
        var service = new Isr(
            owner, 0xFFFFF805_00000200 + address, machine.Body(owner.Name + " isr", Code(address + 0x200), isr, Step.Queue(deferred)))
        {
            RoutineName = owner.Name + "+0x200",
        };
        machine.Connect((ushort)(irql * 16), irql, cpus, service);
        return service;
    }

    /// <summary>A thread that waits for a timer again and again and then runs for a while.</summary>
    public static SimulatedThread Periodic(
        Machine machine, SimulatedProcess process, int priority, int cpu, KernelTimer timer, Spread work, string name)
    {
        RandomSequence random = machine.Random(name);
        return machine.AddThread(new ThreadOptions
        {
            Process = process,
            Priority = priority,
            Affinity = 1UL << cpu,
            IdealCpu = cpu,
            Program = Program,
        });

        IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Wait(timer.Expired);
                yield return Step.Run(User(0x1000), work.Next(random));
            }
        }
    }

    /// <summary>A thread that computes without end.</summary>
    public static SimulatedThread Hog(Machine machine, SimulatedProcess process, int priority, ulong affinity = ulong.MaxValue)
    {
        return machine.AddThread(new ThreadOptions { Process = process, Priority = priority, Affinity = affinity, Program = Program });

        static IEnumerable<Step> Program()
        {
            while (true)
            {
                yield return Step.Run(User(0x9000), 10 * Second);
            }
        }
    }

    /// <summary>A machine with a bit of everything, whose kind and numbers follow the seed.</summary>
    public static (Machine Machine, RecordedLog Log) Busy(
        ulong seed, int cpus, long durationNs, Recording recording = Recording.All, bool onlyCounts = false, bool withDigest = false)
    {
        var log = new RecordedLog { OnlyCounts = onlyCounts, HasDigest = withDigest };
        var machine = new Machine(
            new MachineOptions
            {
                Seed = seed,
                Cpus = cpus,
                Recording = recording,
                CpusPerReadyQueue = 1 + (int)(seed % 2),
                QuantumNs = 6 * Ms,
            },
            log);
        RandomSequence random = machine.Random("machine");
        var done = new KernelEvent(isCounter: true);
        int[] every = [.. Enumerable.Range(0, cpus)];
        Isr disk = Device(
            machine, Driver("disk.sys"), 0x10000, 5, every,
            Spread.Uniform(3 * Us, 9 * Us), Spread.LogNormal(20 * Us, 0.6, Ms), Step.Signal(done));
        machine.RaiseAgain("disk", disk, Arrivals.Random(Spread.Exponential(700 * Us)));
        Isr nic = Device(
            machine, Driver("nic.sys", "ndis.sys"), 0x20000, 7, [0],
            Spread.Uniform(2 * Us, 60 * Us), Spread.LogNormal(90 * Us, 1.2, 3 * Ms));
        machine.RaiseAgain("nic", nic, Arrivals.Every(2 * Ms, 0, Ms));
        Isr sound = Device(
            machine, Driver("sound.sys"), 0x30000, 9, [cpus - 1], Spread.Constant(12 * Us), Spread.Uniform(10 * Us, 700 * Us));
        machine.RaiseAgain("sound", sound, Arrivals.Every(10 * Ms));
        var worker = new Dpc(Driver("lazy.sys"), 0x40000, machine.Body("lazy", Code(0x41000), Spread.Constant(30 * Us)))
        {
            Importance = (DpcImportance)random.NextBelow(4),
            TargetCpu = (int)random.NextBelow(cpus),
        };
        var threaded = new Dpc(Driver("threaded.sys"), 0x50000, machine.Body("threaded", Code(0x51000), Spread.Constant(200 * Us)))
        {
            IsThreaded = true,
        };
        machine.AddTimer("lazy", 0, Arrivals.Every(9 * Ms), new Dpc(
            Driver("lazy.sys"),
            0x42000,
            machine.Body("lazy timer", Code(0x42000), Spread.Constant(9 * Us), Step.Queue(worker), Step.Queue(threaded))));
        machine.StallAgain("smi", CodeOwner.Hardware, Arrivals.Random(Spread.Exponential(90 * Ms)), Spread.Uniform(50 * Us, 4 * Ms));
        var audio = new SimulatedProcess(500, "audio.exe");
        for (int i = 0; i < 3; i++)
        {
            int cpu = i % cpus;
            KernelTimer timer = machine.AddTimer($"beat {i}", (cpu + 1) % cpus, Arrivals.Every((3 + i) * Ms));
            Periodic(machine, audio, 20 + i, cpu, timer, Spread.Uniform(50 * Us, 700 * Us), $"victim {i}");
        }

        var apps = new SimulatedProcess(600, "app.exe");
        RandomSequence work = machine.Random("apps");
        for (int i = 0; i < cpus + 2; i++)
        {
            machine.AddThread(new ThreadOptions
            {
                Process = apps,
                Program = App,
                Priority = 8 + (i % 2),
                Affinity = i == 0 ? UInt128.One << (cpus - 1) : UInt128.MaxValue,
            });
        }

        machine.Run(durationNs);
        return (machine, log);

        IEnumerable<Step> App()
        {
            CodeStretch driver = new(Driver("raised.sys"), new CodePoint(1, 0xFFFFF805_00060000));
            while (true)
            {
                yield return Step.Wait(done);
                yield return Step.Run(User(0x3000), work.NextBelow(4 * Ms));
                yield return Step.RaiseIrql(Irql.Dispatch);
                yield return Step.Run(driver, work.NextBelow(900 * Us));
                yield return Step.MaskInterrupts();
                yield return Step.Run(driver, work.NextBelow(800 * Us));
                yield return Step.UnmaskInterrupts();
                yield return Step.LowerIrql();
                yield return Step.Run(User(0x3000), work.NextBelow(Ms));
                yield return Step.Sleep(work.NextBelow(3 * Ms));
            }
        }
    }
}
