using Tracer.Contract;

namespace Tracer.Simulator;

/// <summary>Simulates a scenario into a trace and its truth.</summary>
public sealed record ScenarioRun
{
    /// <summary>Makes the simulation of a scenario; what is not set is the scenario's or the seed's choice.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="seed">What names, addresses and times follow.</param>
    public ScenarioRun(Scenario scenario, ulong seed)
    {
        ArgumentNullException.ThrowIfNull(scenario);
        Scenario = scenario;
        Seed = seed;
        Cpus = scenario.Cpus;
        Duration = scenario.Duration;
    }

    /// <summary>The scenario.</summary>
    public Scenario Scenario { get; }

    /// <summary>What names, addresses and times follow.</summary>
    public ulong Seed { get; }

    /// <summary>Logical processors, 1 to 64.</summary>
    public int Cpus { get; init; }

    /// <summary>How long is simulated.</summary>
    public Duration Duration { get; init; }

    /// <summary>What goes on besides; null for the seed's choice.</summary>
    public BackgroundLoad? Load { get; init; }

    /// <summary>Changes how the trace is recorded from what the seed chose; null for nothing.</summary>
    public Func<KernelLogOptions, KernelLogOptions>? ChangeRecording { get; init; }

    /// <summary>Simulates into a file, and writes the truth beside it.</summary>
    /// <param name="tracePath">The trace; what it holds is replaced.</param>
    /// <returns>The truth.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public TruthReport WriteTo(string tracePath)
    {
        TruthReport truth;
        using (var file = new FileStream(tracePath, FileMode.Create, FileAccess.ReadWrite, FileShare.Read, bufferSize: 0))
        {
            truth = WriteTo(file);
        }

        TruthFile.Write(tracePath, truth);
        return truth;
    }

    /// <summary>Simulates into a stream.</summary>
    /// <param name="trace">Takes the trace; it must be able to seek.</param>
    /// <returns>The truth.</returns>
    /// <exception cref="IOException">The storage failed.</exception>
    public TruthReport WriteTo(Stream trace)
    {
        var inventory = new MachineInventory(
            Seed, new InventoryOptions { Cpus = Cpus, MustBeModern = Scenario.MustBeModern });
        KernelLogOptions options = RecordingOf(inventory.Build);
        using var log = new KernelLogWriter(trace, inventory, options);
        var engine = new MachineOptions
        {
            Seed = Seed,
            Cpus = Cpus,
            SampleIntervalNs = options.SampleIntervalNs,
            Recording = EngineRecording(log.Kinds, options.Stacks),
        };
        var machine = new SimulatedMachine(inventory, Scenario.ChangeMachine?.Invoke(engine) ?? engine, log);
        ScenarioTruth scenario = Scenario.Build(machine);
        ProbeThreads.Add(machine, Scenario.ProbePeriodNs, Scenario.ProbePriority, Scenario.ProbeTimerCpu);
        BackgroundLoad load = Load ?? new RandomSequence(Seed, "load").OneOf(Enum.GetValues<BackgroundLoad>());
        BackgroundActivity.Add(machine, load, Scenario.NeedsBusyCpus);
        machine.Engine.Run(Duration.Nanoseconds);
        log.Finish(Duration.Nanoseconds);
        return machine.Engine.Truth(new TruthDeclaration
        {
            Scenario = Scenario.Name,
            Verdict = Scenario.Verdict,
            Culprit = scenario.Culprit,
            Mechanism = Scenario.Mechanism,
            Innocents = scenario.Innocents,
        });
    }

    private static Recording EngineRecording(RecordKinds kinds, StackedKinds stacks)
    {
        (bool IsOn, Recording Kind)[] switches =
        [
            (kinds.HasFlag(RecordKinds.Interrupts), Recording.Isr),
            (kinds.HasFlag(RecordKinds.Dpcs), Recording.Dpc),
            (kinds.HasFlag(RecordKinds.DpcQueue), Recording.DpcQueue),
            (kinds.HasFlag(RecordKinds.Wdf), Recording.Wdf),
            (kinds.HasFlag(RecordKinds.ReadyThreads), Recording.ReadyThread),
            (kinds.HasFlag(RecordKinds.ContextSwitches), Recording.ContextSwitch),
            (kinds.HasFlag(RecordKinds.Samples), Recording.Samples),
            (kinds.HasFlag(RecordKinds.ClockInterrupts), Recording.Clock),
            (kinds.HasFlag(RecordKinds.IdleStates), Recording.Idle),
            (kinds.HasFlag(RecordKinds.FirmwareMethods), Recording.FirmwareMethods),
            (kinds.HasFlag(RecordKinds.SpinLocks), Recording.SpinLocks),
            (kinds.HasFlag(RecordKinds.Priorities), Recording.Priorities),
            (stacks.HasFlag(StackedKinds.Samples), Recording.SampleStacks),
            (stacks.HasFlag(StackedKinds.ReadyThreads), Recording.ReadyStacks),
            (stacks.HasFlag(StackedKinds.ContextSwitches), Recording.SwitchStacks),
        ];
        return switches.Where(choice => choice.IsOn)
            .Aggregate(Recording.None, (all, choice) => all | choice.Kind);
    }

    private KernelLogOptions RecordingOf(WindowsBuild build)
    {
        var random = new RandomSequence(Seed, "recorded kinds");
        RecordKinds kinds = RecordKinds.Usual;
        foreach ((RecordKinds kind, double probability) in (ReadOnlySpan<(RecordKinds, double)>)
            [(RecordKinds.DpcQueue, 0.4), (RecordKinds.Wdf, 0.3), (RecordKinds.IdleStates, 0.3), (RecordKinds.ClockInterrupts, 0.15)])
        {
            kinds |= random.Happens(probability) ? kind : RecordKinds.None;
        }

        kinds |= new RandomSequence(Seed, "kinds by half").Happens(0.5) ? Scenario.MaybeKinds : RecordKinds.None;
        KernelLogOptions options = KernelLogOptions.Draw(Seed, build) with
        {
            Kinds = (kinds | Scenario.MoreKinds) & ~Scenario.WithoutKinds,
            Stacks = random.Happens(0.5) ? StackedKinds.All : StackedKinds.Samples | StackedKinds.ReadyThreads,
            SampleIntervalNs = Scenario.SampleIntervalNs,
        };
        return ChangeRecording?.Invoke(options) ?? options;
    }
}
