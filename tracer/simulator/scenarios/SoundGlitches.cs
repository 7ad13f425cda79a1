using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>
/// An audio engine mixes each 10 ms what its client has delivered, and logs as Windows' does where a buffer ran empty. Both are bound to a
/// CPU of their own, and the client is one buffer ahead.
/// </summary>
internal static class SoundGlitches
{
    private const int EngineCpu = 0;
    private const int ClientCpu = 1;
    private const long Millisecond = 1_000_000;
    private const long PeriodNs = AudioCallback.LongPeriodNs;
    private const int HogPriority = 31;
    private const double Often = 0.05;
    private const double Seldom = 0.02;

    public static Scenario ByDpc { get; } = new()
    {
        Name = "glitch-dpc",
        Explanation = "A driver's DPCs of 7 to 9 ms keep the audio engine: its device starves, and Windows records the glitches.",
        Verdict = Verdict.Driver,
        Kind = CulpritKind.Driver,
        CulpritName = "<plain driver>",
        Mechanism = Mechanism.Dpc,
        Duration = Duration.FromSeconds(6),
        LeastCpus = 2,
        MostInnocentNs = 60_000,
        MoreKinds = RecordKinds.Glitches,
        ProbePeriodNs = 0,
        Build = machine => BuildDpc(machine, isStorm: false),
    };

    public static Scenario Storm { get; } = ByDpc with
    {
        Name = "glitch-storm",
        Explanation = "A driver's DPCs of 7 to 9 ms keep the audio engine for 20 passes in a row: each of them is a glitch.",
        Build = machine => BuildDpc(machine, isStorm: true),
    };

    public static Scenario ByPreemption { get; } = ByDpc with
    {
        Name = "glitch-preempted-client",
        Explanation = "A program that plays is preempted for 12 to 16 ms by another of priority 31: the engine finds nothing of it.",
        Verdict = Verdict.Process,
        Kind = CulpritKind.Process,
        CulpritName = "<program>",
        Mechanism = Mechanism.Thread,
        Build = BuildPreempted,
    };

    public static Scenario ByOwnWork { get; } = ByPreemption with
    {
        Name = "glitch-overloaded-client",
        Explanation = "A program that plays has too much to do now and then, nobody keeps it: the engine finds nothing of it.",
        Build = BuildOverloaded,
    };

    /// <summary>Nobody but the device knows why.</summary>
    public static Scenario ByDevice { get; } = ByDpc with
    {
        Name = "glitch-late-device",
        Explanation = "An audio device interrupts 7 to 9 ms late now and then, and starves; nobody can say why.",
        Verdict = Verdict.Unknown,
        Kind = null,
        CulpritName = null,
        Mechanism = null,
        Build = BuildLateDevice,
    };

    public static Scenario ByNothing { get; } = ByDevice with
    {
        Name = "glitch-unexplained",
        Explanation = "An audio device starves now and then although its engine and its client are on time: nothing tells why.",
        Build = BuildUnexplained,
    };

    /// <summary>The same, while a driver's long DPCs run on a CPU that nobody waits for.</summary>
    public static Scenario BesideDpcs { get; } = ByNothing with
    {
        Name = "glitch-beside-dpcs",
        Explanation = "An audio device starves although all are on time; a driver's DPCs of 3 to 7 ms on another CPU are innocent.",
        Cpus = 3,
        LeastCpus = 3,
        ChangeEngine = options => options with { RealTimeAffinity = SimulatedMachine.Only(EngineCpu) | SimulatedMachine.Only(ClientCpu) },
        Build = machine => BuildUnexplained(machine) with { Innocents = [AddDecoy(machine)] },
    };

    private static string AddDecoy(SimulatedMachine machine)
    {
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [2]);
        LongDpcs.Add(machine, device, 60 * Millisecond, Spread.Uniform(3 * Millisecond, 7 * Millisecond));
        return device.Dpc.Owner.Name;
    }

    private static ScenarioTruth BuildDpc(SimulatedMachine machine, bool isStorm)
    {
        const int InARow = 20;
        var device = new InterruptingDevice(
            machine, DriverShape.Plain(ImageRole.PlainDriver), machine.UsualIsr, machine.UsualDpc, cpus: [EngineCpu]);
        RandomSequence random = machine.Engine.Random("long DPCs");
        int left = 0;
        var engine = new SoundEngine(machine, EngineCpu, PeriodNs)
        {
            WhileMixing = () =>
            {
                left = left > 0 ? left - 1 : random.Happens(isStorm ? Seldom / 2 : Often) ? (isStorm ? InARow : 1) : 0;
                return left == 0 ? [] : [Step.Act(now => now.After(random.NextBelow(20_000), one =>
                {
                    device.NextDpcNs = random.Between(7 * Millisecond, 9 * Millisecond);
                    one.Raise(device.Isr);
                }))];
            },
        };
        InventoryProcess client = engine.Add(ClientCpu);
        return new ScenarioTruth(device.Dpc.Owner.Name, client.Name, engine.Process.Name);
    }

    private static ScenarioTruth BuildPreempted(SimulatedMachine machine)
    {
        var hog = new WokenHog(machine, HogPriority, ClientCpu, Spread.Uniform(12 * Millisecond, 16 * Millisecond));
        var engine = new SoundEngine(machine, EngineCpu, PeriodNs)
        {
            WhileFilling = (_, random, work) => random.Happens(Often)
                ? [Step.Act(now => now.After(random.NextBelow(Math.Max(1, work / 4)), hog.Wake))]
                : [],
        };
        InventoryProcess client = engine.Add(ClientCpu);
        return new ScenarioTruth(hog.Process.Name, client.Name, hog.Device.Dpc.Owner.Name, engine.Process.Name);
    }

    private static ScenarioTruth BuildOverloaded(SimulatedMachine machine)
    {
        var engine = new SoundEngine(machine, EngineCpu, PeriodNs)
        {
            FillPercent = Spread.Mixed(Often, Spread.Uniform(115, 150), Spread.Uniform(5, 40)),
        };
        InventoryProcess client = engine.Add(ClientCpu);
        return new ScenarioTruth(client.Name, engine.Process.Name);
    }

    private static ScenarioTruth BuildLateDevice(SimulatedMachine machine)
    {
        RandomSequence random = machine.Engine.Random("late device");
        var engine = new SoundEngine(machine, EngineCpu, PeriodNs)
        {
            LatenessNs = () => random.Happens(Often) ? random.Between(7 * Millisecond, 9 * Millisecond) : 0,
        };
        InventoryProcess client = engine.Add(ClientCpu);
        return new ScenarioTruth(null, client.Name, engine.Process.Name, machine.Inventory[ImageRole.AudioBus].FileName);
    }

    private static ScenarioTruth BuildUnexplained(SimulatedMachine machine)
    {
        RandomSequence random = machine.Engine.Random("starving device");
        var engine = new SoundEngine(machine, EngineCpu, PeriodNs) { Starves = () => random.Happens(Seldom) };
        InventoryProcess client = engine.Add(ClientCpu);
        return new ScenarioTruth(null, client.Name, engine.Process.Name);
    }
}

/// <summary>An audio engine with one client, from whose state it follows what a buffer held when it was asked for.</summary>
internal sealed class SoundEngine
{
    /// <summary>What the device still holds lasts for this part of a period.</summary>
    private const int SparePercent = 60;

    private const int EnginePriority = 26;

    /// <summary>So long after its own turn it usually makes its client ready.</summary>
    private const long UsualMixNs = 240_000;

    private const ulong Pump = 0x0000_01C5_3A20_4410;
    private const ulong Stream = 0x0000_01C5_3A21_9E80;
    private const ulong Pin = 0x0000_01C5_3A22_0330;
    private const ulong BufferBytes = 3_840;

    private readonly SimulatedMachine _machine;
    private readonly int _cpu;
    private readonly long _periodNs;

    /// <summary>How many buffers of its client are there.</summary>
    private int _available = 1;

    /// <param name="cpu">The CPU of its thread and its device.</param>
    public SoundEngine(SimulatedMachine machine, int cpu, long periodNs)
    {
        _machine = machine;
        _cpu = cpu;
        _periodNs = periodNs;
        Process = machine.Inventory.AddProcess("audiodg.exe");
    }

    public InventoryProcess Process { get; }

    /// <summary>How much later than its beat the device comes, each time; null for never.</summary>
    public Func<long>? LatenessNs { get; init; }

    /// <summary>Whether the device loses what it was given, in the pass at hand; null for never.</summary>
    public Func<bool>? Starves { get; init; }

    /// <summary>What else happens in a pass; null for nothing.</summary>
    public Func<IEnumerable<Step>>? WhileMixing { get; init; }

    /// <summary>What the client does in the midst of its work; null for nothing.</summary>
    public AudioCallback.Inside? WhileFilling { get; init; }

    /// <summary>The client's work as parts of the period, in percent.</summary>
    public Spread FillPercent { get; init; } = Spread.Uniform(5, 40);

    /// <summary>Adds the engine, its device and its client to the machine.</summary>
    /// <returns>The client's process.</returns>
    public InventoryProcess Add(int clientCpu)
    {
        KernelEvent played = AudioCallback.OfDevice(_machine, _periodNs, _cpu, LatenessNs);
        CodeStretch wait = SimulatedMachine.Stretch(null, [_machine.Stacks.Waiting(Process)]);
        CodeStretch mix = SimulatedMachine.Stretch(
            null, SimulatedMachine.Several(6, () => _machine.Stacks.UserCode(Process, "ProcessPass")));
        RandomSequence random = _machine.Engine.Random("sound engine");
        var wanted = new KernelEvent { Beat = new ExpectedBeat(played.Beat!.FirstNs + UsualMixNs, _periodNs) };
        var client = new AudioCallback(_machine, _periodNs, clientCpu)
        {
            Wanted = wanted,
            Percent = FillPercent,
            Between = WhileFilling,
            Done = () => _available = 1, // What came too late has no place left.
        };
        SimulatedThread? thread = null;
        thread = _machine.AddThread(Process, EnginePriority, Pass, wait, SimulatedMachine.Only(_cpu));
        client.Add();
        return client.Process;

        IEnumerable<Step> Pass()
        {
            long dueNs = played.Beat!.FirstNs;
            while (true)
            {
                yield return Step.Wait(played, wait);
                long deadlineNs = dueNs + (_periodNs * SparePercent / 100);
                Log(GlitchKind.SettingDeadline, deadlineNs, Pump);
                yield return Step.Run(mix, random.Between(60_000, 120_000));
                foreach (Step step in WhileMixing?.Invoke() ?? [])
                {
                    yield return step;
                }

                yield return Step.Run(mix, random.Between(100_000, 200_000));
                if (_available > 0)
                {
                    _available--;
                }
                else
                {
                    Log(GlitchKind.ClientStarvation, null, Stream, 0, 0, BufferBytes, 0);
                }

                yield return Step.Signal(wanted);
                yield return Step.Run(mix, random.Between(20_000, 40_000));
                bool isLate = _machine.Engine.NowNs > deadlineNs;
                if (isLate)
                {
                    Log(GlitchKind.MissedDeadline, deadlineNs, Pump);
                }

                if (isLate || Starves?.Invoke() == true)
                {
                    Log(GlitchKind.DeviceStarvation, null, Pin, (ulong)dueNs / 20_833, (ulong)dueNs / 20_833, 0);
                }

                // What was missed is not made up for: the next pass is for the next beat.
                dueNs += _periodNs;
                while (dueNs + _periodNs < _machine.Engine.NowNs)
                {
                    dueNs += _periodNs;
                }
            }
        }

        void Log(ushort id, long? deadlineNs, params ReadOnlySpan<ulong> fields) => _machine.Engine.Log.SoundGlitch(
            _machine.Engine.NowNs, _machine.Engine.CurrentCpu, thread!.Id, id, deadlineNs, fields);
    }
}
