using Tracer.Simulator.Engine;
using Tracer.Simulator.Inventory;
using Tracer.Simulator.Platform;
using Tracer.Simulator.Writing;

namespace Tracer.Simulator.Scenarios;

/// <summary>A latency problem that can be simulated, and what an analysis should say of it.</summary>
public sealed record Scenario
{
    public required string Name { get; init; }

    /// <summary>What happens, in one sentence.</summary>
    public required string Explanation { get; init; }

    public required Verdict Verdict { get; init; }

    /// <summary>What sort of thing the culprit is; null where there is none.</summary>
    public CulpritKind? Kind { get; init; }

    /// <summary>
    /// The culprit's name as <c>--list</c> shows it: a name, or in angle brackets what the seed invents a name for; null where there is
    /// none.
    /// </summary>
    public string? CulpritName { get; init; }

    /// <summary>How it keeps its victims waiting; null where there is no culprit.</summary>
    public Mechanism? Mechanism { get; init; }

    /// <summary>How sure a report may be of the culprit, at most; null where it may be certain.</summary>
    public Confidence? Surest { get; init; }

    /// <summary>How long it is simulated unless the user says otherwise: at least eight beats.</summary>
    public required Duration Duration { get; init; }

    /// <summary>Logical processors unless the user says otherwise.</summary>
    public int Cpus { get; init; } = 2;

    /// <summary>As few processors as it takes to see the problem.</summary>
    public int LeastCpus { get; init; } = 1;

    /// <summary>What it does on top of the background; tells the right name of the culprit and the innocents.</summary>
    public required Func<SimulatedMachine, ScenarioTruth> Build { get; init; }

    /// <summary>Whether it needs what only Windows 10 and later record.</summary>
    public bool MustBeModern { get; init; }

    /// <summary>Which releases of Windows it is about; null for all.</summary>
    public Func<WindowsBuild, bool>? Suits { get; init; }

    /// <summary>The machine that it is about; null where it is about no kind of machine.</summary>
    public MachineProfile? Machine { get; init; }

    /// <summary>Whether it can be simulated on such a machine: it is about that one or any, and about a Windows that is on it.</summary>
    public bool RunsOn(MachineProfile profile) => (Machine ?? profile) == profile && WindowsBuild.All.Any(build =>
        profile.Suits(build) && (build.IsModern || !MustBeModern) && (Suits?.Invoke(build) ?? true));

    /// <summary>No ISR or DPC of the background runs longer, in nanoseconds: less where nothing may reach the threshold.</summary>
    public long MostInnocentNs { get; init; } = 420_000;

    /// <summary>Whether it shows without records of threads made ready, which some recordings of older systems lack.</summary>
    public bool ShowsWithoutReadyThreads { get; init; }

    /// <summary>Whether the machine is a guest of a hypervisor.</summary>
    public bool HasHypervisor { get; init; }

    /// <summary>Whether the machine sleeps by Modern Standby.</summary>
    public bool HasModernStandby { get; init; }

    /// <summary>Changes how the machine runs; null for nothing.</summary>
    public Func<MachineOptions, MachineOptions>? ChangeEngine { get; init; }

    /// <summary>Changes how the trace is recorded from what the seed chose; null for nothing.</summary>
    public Func<KernelLogOptions, KernelLogOptions>? ChangeRecording { get; init; }

    /// <summary>Whether the file is circular and has overwritten its beginning: what happened then is not in it.</summary>
    public bool IsCircular { get; init; }

    /// <summary>Whether it shows only on CPUs that idle, so that its background leaves them time to.</summary>
    public bool NeedsIdleCpus { get; init; }

    /// <summary>What half of the seeds record besides, each kind by itself.</summary>
    public RecordKinds SometimesKinds { get; init; }

    /// <summary>Whether it shows only on CPUs that are busy, so that its background keeps them so.</summary>
    public bool NeedsBusyCpus { get; init; }

    /// <summary>What is recorded besides the usual.</summary>
    public RecordKinds MoreKinds { get; init; }

    /// <summary>What is not recorded although it is usual.</summary>
    public RecordKinds WithoutKinds { get; init; }

    /// <summary>The culprit's part of all late time, at least, 0 to 1; smaller where others are to blame as well.</summary>
    public double LeastShare { get; init; } = 0.9;

    /// <summary>Priority of the threads that measure; null for the seed's choice.</summary>
    public int? ProbePriority { get; init; }

    /// <summary>The CPU whose timers wake the threads that measure; null where it is another one for each.</summary>
    public int? ProbeTimerCpu { get; init; }

    /// <summary>The first CPU that has a thread that measures.</summary>
    public int ProbeCpusFrom { get; init; }

    /// <summary>What is recorded besides by every second seed.</summary>
    public RecordKinds MaybeKinds { get; init; }

    /// <summary>Time between two samples of a CPU, in nanoseconds.</summary>
    public long SampleIntervalNs { get; init; } = 1_000_000;

    /// <summary>Time between two wake-ups of the threads that measure, in nanoseconds; 0 for none.</summary>
    public long ProbePeriodNs { get; init; } = 2_000_000;
}

/// <summary>What a scenario says of itself once its machine is made.</summary>
/// <param name="Culprit">The culprit's name; null where there is none.</param>
/// <param name="Innocents">Names that look guilty and are not.</param>
public sealed record ScenarioTruth(string? Culprit, params IReadOnlyList<string> Innocents);
