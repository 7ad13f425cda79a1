using Tracer.Simulator.Background;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Scenarios;
using Tracer.Simulator.Writing;

namespace Tracer.Analysis.Tests.Latencies;

/// <summary>
/// The operator's workstation of Ramamritham and others (RTAS 1998, sections 3.3 and 4): one CPU, a heartbeat at the highest level of the
/// real-time class, operator input and acknowledgment, receiver and consumer of sensor data, a video player in the HIGH class, and the
/// system's own activity. Commands go to a remote server over a network and come back as acknowledgments.
/// </summary>
internal sealed record OperatorWorkstation
{
    /// <summary>Whose waits are those of the round trips; who draws, where there is a screen.</summary>
    public const string Acknowledgment = "ack.exe";
    public const string Console = "csrss.exe";

    /// <summary>NORMAL, HIGH and REALTIME with threads at NORMAL, and threads at HIGHEST in REALTIME.</summary>
    public const int Normal = 8;
    public const int High = 13;
    public const int RealTime = 24;
    public const int Highest = 26;

    private const long Microsecond = 1_000;
    private const long Millisecond = 1_000_000;
    private const long SecondNs = 1_000_000_000;
    private const ulong Seed = 98;

    /// <summary>How often the consumer computes for longer.</summary>
    private const double LongComputing = 0.008;

    /// <summary>What network and server take for a command of 1 KB and for each further KB: Table 3's means at HIGHEST.</summary>
    private const long FirstKilobyteNs = 2_240 * Microsecond;
    private const long KilobyteNs = 1_770 * Microsecond;

    /// <summary>From one command to the next, and from one record of the sensors to the next, in milliseconds.</summary>
    public required int Period { get; init; }

    /// <summary>Priority of the sensors' threads, and of the operator's where nothing else is said.</summary>
    public required int Priority { get; init; }

    /// <summary>Priority of the operator's threads.</summary>
    public int? OperatorPriority { get; init; }

    /// <summary>Length of a command, in KB.</summary>
    public double Kilobytes { get; init; } = 1;

    /// <summary>How many commands are given.</summary>
    public int Commands { get; init; } = 1000;

    /// <summary>Whether each acknowledgment is shown on the screen before the next is taken.</summary>
    public bool HasScreen { get; init; }

    /// <summary>What network and server take of each round trip, at least.</summary>
    private long NetworkNs => FirstKilobyteNs + (long)((Kilobytes - 1) * KilobyteNs);

    /// <param name="roundTrips">What its own probes measure, as his did: from a command to its acknowledgment, in nanoseconds.</param>
    /// <returns>The trace.</returns>
    public byte[] Run(out IReadOnlyList<long> roundTrips)
    {
        List<long> measured = [];
        var scenario = new Scenario
        {
            Name = "operator-workstation",
            Explanation = "An operator's commands beside sensors and video.",
            Verdict = Verdict.Process,
            Duration = Duration.FromMilliseconds(((long)Commands * Period) + 500),
            Cpus = 1,
            ProbePeriodNs = 0,
            WithoutKinds = RecordKinds.Samples | RecordKinds.Interrupts | RecordKinds.Dpcs | RecordKinds.DpcQueue | RecordKinds.Wdf
                | RecordKinds.ClockInterrupts | RecordKinds.IdleStates,
            ChangeEngine = engine => engine with { ClockIntervalNs = 10 * Millisecond },
            Build = machine => Build(machine, measured),
        };
        using var trace = new MemoryStream();
        new ScenarioRun(scenario, Seed) { IsQuiet = true, HasFewPrograms = true, Load = BackgroundLoad.Idle }.WriteTo(trace);
        roundTrips = measured;
        return trace.ToArray();
    }

    private ScenarioTruth Build(SimulatedMachine machine, List<long> measured)
    {
        var command = new KernelEvent(isCounter: true);
        var sensors = new KernelEvent(isCounter: true);
        var network = new Network(machine);
        AddHeartbeat(machine, command, sensors);
        AddOperator(machine, network, command, measured);
        AddSensors(machine, sensors);
        AddVideo(machine, network);
        AddSystem(machine);
        return new ScenarioTruth(null);
    }

    /// <summary>It sets events that others wait for.</summary>
    private void AddHeartbeat(SimulatedMachine machine, params KernelEvent[] events)
    {
        KernelTimer timer = machine.Engine.AddTimer("heartbeat", 0, Arrivals.Every(Period * Millisecond));
        Add(machine, "heartbeat.exe", Highest, Beat);

        IEnumerable<Step> Beat(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(timer.Expired);
            foreach (KernelEvent one in events)
            {
                yield return Step.Run(code, 20 * Microsecond);
                yield return Step.Signal(one, 0);
            }
        }
    }

    private void AddOperator(SimulatedMachine machine, Network network, KernelEvent command, List<long> measured)
    {
        var acknowledged = new KernelEvent(isCounter: true);
        var drawing = new KernelEvent(isCounter: true);
        var drawn = new KernelEvent();
        Queue<long> sent = new();
        int left = Commands;
        int priority = OperatorPriority ?? Priority;
        Add(machine, "command.exe", priority, Command);
        Add(machine, Acknowledgment, priority, Take);
        if (HasScreen)
        {
            Add(machine, Console, High, Draw);
        }

        IEnumerable<Step> Command(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(command);
            if (left-- <= 0)
            {
                yield break;
            }

            yield return Step.Run(code, Between(random, 40, 80) * Microsecond);
            sent.Enqueue(machine.Engine.NowNs);
            network.Deliver(acknowledged, NetworkNs + (Between(random, 0, 100) * Microsecond));
            yield return Step.Run(code, Between(random, 40, 80) * Microsecond);
        }

        IEnumerable<Step> Take(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(acknowledged);
            yield return Step.Run(code, Between(random, 20, 40) * Microsecond);
            measured.Add(machine.Engine.NowNs - sent.Dequeue());
            if (HasScreen)
            {
                yield return Step.Signal(drawing, 0);
                yield return Step.Wait(drawn);
            }
        }

        IEnumerable<Step> Draw(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(drawing);
            yield return Step.Run(code, Between(random, 2_000, 7_000) * Microsecond);
            yield return Step.Signal(drawn, 0);
        }
    }

    /// <summary>A receiver, and a consumer that now and then computes for longer.</summary>
    private void AddSensors(SimulatedMachine machine, KernelEvent sensors)
    {
        var received = new KernelEvent(isCounter: true);
        Add(machine, "receiver.exe", Priority, Receive);
        Add(machine, "consumer.exe", Priority, Consume);

        IEnumerable<Step> Receive(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(sensors);
            yield return Step.Run(code, Between(random, 80, 160) * Microsecond);
            yield return Step.Signal(received, 0);
        }

        IEnumerable<Step> Consume(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(received);
            bool isLong = random.NextFraction() < LongComputing;
            yield return Step.Run(code, isLong ? Between(random, 4_000, 14_000) * Microsecond : Between(random, 80, 240) * Microsecond);
        }
    }

    /// <summary>
    /// Bursts in which the player uses 70 to 90 % of the CPU, in threads above and below the middle of its class: what comes over the
    /// network is decoded, then shown.
    /// </summary>
    private static void AddVideo(SimulatedMachine machine, Network network)
    {
        var packets = new KernelEvent(isCounter: true);
        var decoded = new KernelEvent(isCounter: true);
        Add(machine, "rvplayer.exe", 15, Decode);
        Add(machine, "rvplayer.exe", 11, Show);

        IEnumerable<Step> Decode(CodeStretch code, RandomSequence random)
        {
            network.Deliver(packets, Between(random, 2_000, 7_000) * Millisecond);
            for (long frames = Between(random, 5, 16); frames > 0; frames--)
            {
                yield return Step.Wait(packets);
                yield return Step.Run(code, Between(random, 8_000, 44_000) * Microsecond);
                yield return Step.Signal(decoded, 0);
                if (frames > 1)
                {
                    network.Deliver(packets, Between(random, 10_000, 28_000) * Microsecond);
                }
            }
        }

        IEnumerable<Step> Show(CodeStretch code, RandomSequence random)
        {
            yield return Step.Wait(decoded);
            yield return Step.Run(code, Between(random, 3_000, 14_000) * Microsecond);
        }
    }

    /// <summary>What the system does in the background: at most 53, 50 and 50 ms in a second, seldom (3.3).</summary>
    private static void AddSystem(SimulatedMachine machine)
    {
        foreach ((string process, int priority, int most) in (ReadOnlySpan<(string, int, int)>)
            [("System", 13, 53), (Console, 14, 50), ("services.exe", 9, 50)])
        {
            Add(machine, process, priority, Work);

            IEnumerable<Step> Work(CodeStretch code, RandomSequence random)
            {
                yield return Step.Sleep(Between(random, 10, 50) * SecondNs);
                yield return Step.Run(code, Between(random, 5, most) * Millisecond);
            }
        }
    }

    /// <summary>A thread that does the same again and again.</summary>
    private static void Add(
        SimulatedMachine machine, string name, int priority, Func<CodeStretch, RandomSequence, IEnumerable<Step>> once)
    {
        MachineInventory inventory = machine.Inventory;
        InventoryProcess process = name is "System" ? inventory.SystemProcess
            : inventory.Processes.FirstOrDefault(known => known.Name == name) ?? inventory.AddProcess(name);
        CodeStretch code = SimulatedMachine.Stretch(null, SimulatedMachine.Several(4, () => process == inventory.SystemProcess
            ? machine.Stacks.WorkItem(machine.Stacks.At("MiZeroPage"))
            : machine.Stacks.UserCode(process, "Work")));
        RandomSequence random = machine.Engine.Random($"{name} {priority}");
        machine.AddThread(process, priority, Forever);

        IEnumerable<Step> Forever()
        {
            while (true)
            {
                foreach (Step step in once(code, random))
                {
                    yield return step;
                }
            }
        }
    }

    /// <summary>A whole number from a least to a most, both included.</summary>
    private static long Between(RandomSequence random, long least, long most) => least + random.NextBelow(most - least + 1);

    /// <summary>The card, whose DPC tells who waits for what has come; it also interrupts for what is nobody's here.</summary>
    private sealed class Network
    {
        private readonly SimulatedMachine _machine;
        private readonly InterruptingDevice _card;
        private readonly Queue<KernelEvent> _arrived = new();

        public Network(SimulatedMachine machine)
        {
            _machine = machine;
            _card = new InterruptingDevice(
                machine,
                DriverShape.NetworkMiniport,
                Spread.Uniform(3 * Microsecond, 8 * Microsecond),
                Spread.Uniform(10 * Microsecond, 40 * Microsecond),
                Arrived);
        }

        public void Deliver(KernelEvent to, long afterNs) => _machine.Engine.After(afterNs, engine =>
        {
            _arrived.Enqueue(to);
            engine.Raise(_card.Isr);
        });

        private IEnumerable<Step> Arrived()
        {
            while (_arrived.TryDequeue(out KernelEvent? one))
            {
                yield return Step.Signal(one, 0);
            }
        }
    }
}
