using System.Numerics;
using Tracer.Simulator.Background;
using Tracer.Simulator.Calibration;
using Tracer.Simulator.Draws;
using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>Simulates a scenario into a trace and its truth.</summary>
public sealed record ScenarioRun
{
    private const int MostSecondRuns = 3;
    private const double LeastShareForSecondRun = 0.1;

    /// <summary>Makes the simulation of a scenario; what is not set is the scenario's or the seed's choice.</summary>
    public ScenarioRun(Scenario scenario, ulong seed)
    {
        ArgumentNullException.ThrowIfNull(scenario);
        Scenario = scenario;
        Seed = seed;
        Cpus = scenario.Cpus;
        Duration = scenario.Duration;
        Profile = scenario.Machine;
    }

    public Scenario Scenario { get; }

    /// <summary>What names, addresses and times follow.</summary>
    public ulong Seed { get; }

    /// <summary>Logical processors, 1 to <see cref="ProcessorGroups.MostCpus"/>.</summary>
    public int Cpus { get; init; }

    public Duration Duration { get; init; }

    /// <summary>What goes on besides; null for the seed's choice.</summary>
    public BackgroundLoad? Load { get; init; }

    /// <summary>
    /// Whether next to nothing goes on below the scenario, on a machine of few parts: for tests that look at something else. Left out it
    /// is what was measured of machines in use.
    /// </summary>
    public bool IsQuiet { get; init; }

    /// <summary>Whether the machine runs few programs: their images are most of a short trace.</summary>
    public bool HasFewPrograms { get; init; }

    /// <summary>The machine's Windows; null for the seed's choice.</summary>
    public WindowsBuild? Build { get; init; }

    /// <summary>The measured machine that it is like, with a Windows that this one has; null for the seed's choice.</summary>
    public MachineProfile? Profile { get; init; }

    /// <summary>How busy the machine is beside the one that was measured; null for the seed's choice.</summary>
    public double? Intensity { get; init; }

    /// <summary>
    /// What the times of events follow where not the seed: with another number the same machine is seen another time. Null for the seed.
    /// </summary>
    public ulong? Chance { get; init; }

    /// <summary>What the machine has in common with others of a fleet; null for nothing.</summary>
    public FleetMember? Member { get; init; }

    /// <summary>Whose code takes no time, by kind and name; null for nobody's: the same machine without its culprit.</summary>
    public (CulpritKind Kind, string? Name)? Muted { get; init; }

    /// <summary>
    /// Whether the first culprits get in the truth what a second simulation leaves in which their code takes no time
    /// (<see cref="TrueCulprit.Without"/>); the trace is the same.
    /// </summary>
    public bool WithSecondRun { get; init; }

    /// <summary>How many further second simulations there are, in each of which the threads begin at other times.</summary>
    public int RunsByChance { get; init; }

    /// <summary>Changes how the trace is recorded from what the seed chose; null for nothing.</summary>
    public Func<KernelLogOptions, KernelLogOptions>? ChangeRecording { get; init; }

    /// <summary>Simulates into a file, and writes the truth beside it.</summary>
    /// <param name="tracePath">The trace; what it holds is replaced.</param>
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
    /// <exception cref="IOException">The storage failed.</exception>
    public TruthReport WriteTo(Stream trace)
    {
        DrawMemory? draws = WithSecondRun ? new DrawMemory() : null;
        SecondRun? without = Muted is { } guilty
            ? new SecondRun(owner => owner.Kind == guilty.Kind && owner.Name == guilty.Name, 0)
            : null;
        TruthReport truth = Simulate(trace, without, draws);
        if (draws is null)
        {
            return truth;
        }

        draws.IsComplete = true;
        return WithWhatIsLeft(truth, draws);
    }

    /// <summary>
    /// Those whose code is simulated can be muted. The kernel's decisions, idle states and pages are nobody's code.
    /// </summary>
    private TruthReport WithWhatIsLeft(TruthReport truth, DrawMemory draws) => truth with
    {
        Culprits = [.. truth.Culprits.Select((culprit, index) =>
            index < MostSecondRuns && culprit.Share >= LeastShareForSecondRun
                && culprit.Kind is CulpritKind.Driver or CulpritKind.Process or CulpritKind.Hardware
                && WhatIsLeftWithout(culprit, draws, 0) is { } left
                ? culprit with { Without = left, WithoutByChance = ByChance(culprit, draws) }
                : culprit)],
    };

    private WithoutCulprit[]? ByChance(TrueCulprit guilty, DrawMemory draws) => RunsByChance == 0
        ? null
        : [.. Enumerable.Range(1, RunsByChance).Select(number => WhatIsLeftWithout(guilty, draws, number)).OfType<WithoutCulprit>()];

    private WithoutCulprit? WhatIsLeftWithout(TrueCulprit guilty, DrawMemory draws, int shift)
    {
        var second = new SecondRun(owner => owner.Kind == guilty.Kind && owner.Name == guilty.Name, shift);
        TruthReport left = Simulate(null, second, draws);
        if (left.Culprits.Concat(left.Secondary ?? []).Any(culprit => culprit.Kind == guilty.Kind && culprit.Name == guilty.Name))
        {
            return null; // What it does is not only its code's time: the second run would tell of another machine.
        }

        return new WithoutCulprit
        {
            Episodes = left.Episodes.Count,
            Worst = left.Episodes.Count > 0 ? left.Episodes.Max(episode => episode.Latency) : null,
        };
    }

    /// <summary>Simulates into a stream; where there is none, what is logged is dropped.</summary>
    private TruthReport Simulate(Stream? trace, SecondRun? second, DrawMemory? draws)
    {
        MachineInventory inventory = MakeInventory();
        KernelLogOptions options = RecordingOf(inventory.Build);
        using KernelLogWriter? writer = trace is null ? null : new KernelLogWriter(trace, inventory, options);
        MachineCalibration? calibration = IsQuiet ? null : new MachineCalibration(inventory, Scenario.NeedsIdleCpus, Intensity);
        var engine = new MachineOptions
        {
            Seed = Chance ?? Seed,
            Cpus = Cpus,
            SampleIntervalNs = options.SampleIntervalNs,
            IsMuted = second?.IsMuted,
            ThreadShift = second?.Shift ?? 0,
            Draws = draws,
            Recording = EngineRecording(KernelLogWriter.KindsOf(inventory.Build, options.Kinds), options.Stacks),
            TakesStacks = writer is not null,
        };
        engine = calibration?.Complete(engine) ?? engine;
        var machine = new SimulatedMachine(
            inventory, Scenario.ChangeEngine?.Invoke(engine) ?? engine, (IKernelLog?)writer ?? new ForgetfulLog())
        {
            DurationNs = Duration.Nanoseconds,
            Calibration = calibration,
            MostInnocentNs = Scenario.MostInnocentNs,
        };
        ScenarioTruth scenario = Scenario.Build(machine);
        if (Scenario.ProbePeriodNs > 0)
        {
            ProbeThreads.Add(
                machine, Scenario.ProbePeriodNs, Scenario.ProbePriority, Scenario.ProbeTimerCpu, Scenario.ProbeCpusFrom);
        }

        BackgroundLoad load = Load ?? new RandomSequence(Seed, "load").OneOf(Enum.GetValues<BackgroundLoad>());
        load = Scenario.NeedsIdleCpus && load != BackgroundLoad.Tty ? BackgroundLoad.Idle : load;
        BackgroundActivity.Add(machine, load, Scenario.NeedsBusyCpus);
        machine.Engine.Run(Duration.Nanoseconds);
        writer?.Finish(Duration.Nanoseconds);
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

    /// <summary>The parts of the machine that is simulated: the same each time, before anything has happened on it.</summary>
    public MachineInventory MakeInventory() => new(
        Seed,
        new InventoryOptions
        {
            Cpus = Cpus,
            Build = Build,
            Profile = Profile,
            MustBeModern = Scenario.MustBeModern,
            Suits = SuitsBoth,
            HasHypervisor = Scenario.HasHypervisor,
            HasModernStandby = Scenario.HasModernStandby,
            IsInUse = !IsQuiet,
            HasFewPrograms = HasFewPrograms,
            Member = Member,
        });

    /// <summary>Whether the scenario and the profile go with a Windows.</summary>
    private bool SuitsBoth(WindowsBuild build) =>
        (Scenario.Suits?.Invoke(build) ?? true) && (Profile?.Suits(build) ?? true);

    private KernelLogOptions RecordingOf(WindowsBuild build)
    {
        var random = new RandomSequence(Seed, "recorded kinds");
        RecordKinds kinds = RecordKinds.Usual;
        foreach ((RecordKinds kind, double probability) in (ReadOnlySpan<(RecordKinds, double)>)
            [(RecordKinds.DpcQueue, 0.4), (RecordKinds.Wdf, 0.3), (RecordKinds.IdleStates, 0.3), (RecordKinds.ClockInterrupts, 0.15)])
        {
            kinds |= random.Happens(probability) ? kind : RecordKinds.None;
        }

        var sometimes = new RandomSequence(Seed, "kinds of the scenario");
        foreach (RecordKinds kind in Enum.GetValues<RecordKinds>())
        {
            bool isAsked = kind != RecordKinds.None && BitOperations.IsPow2((int)kind) && Scenario.SometimesKinds.HasFlag(kind);
            kinds |= isAsked && sometimes.Happens(0.5) ? kind : RecordKinds.None;
        }

        kinds |= new RandomSequence(Seed, "kinds by half").Happens(0.5) ? Scenario.MaybeKinds : RecordKinds.None;
        bool hasNoReadyThreads = Scenario.ShowsWithoutReadyThreads && !build.IsModern && !IsQuiet
            && new RandomSequence(Seed, "ready threads").Happens(0.4);
        kinds &= ~(hasNoReadyThreads ? RecordKinds.ReadyThreads : RecordKinds.None);
        KernelLogOptions options = KernelLogOptions.Draw(Seed, build) with
        {
            Kinds = (kinds | Scenario.MoreKinds) & ~Scenario.WithoutKinds,
            Stacks = random.Happens(0.5) ? StackedKinds.All : StackedKinds.Samples | StackedKinds.ReadyThreads,
            SampleIntervalNs = Scenario.SampleIntervalNs,
        };
        options = Scenario.ChangeRecording?.Invoke(options) ?? options;
        return ChangeRecording?.Invoke(options) ?? options;
    }

    /// <summary>What is different in a second simulation.</summary>
    /// <param name="IsMuted">Whose code takes no time.</param>
    /// <param name="Shift">Number of the times at which threads begin; 0 for those of the first.</param>
    private sealed record SecondRun(Func<CodeOwner, bool> IsMuted, int Shift);
}
