using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>What <c>tracer doctor --self-test --bundle</c> proved on a machine: <c>tracer.proof/1</c>.</summary>
public sealed record ProofReport : IReport<ProofReport>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.proof/1";

    public string Schema { get; init; } = SchemaName;

    /// <summary>Version of the program that wrote it.</summary>
    public required string TracerVersion { get; init; }

    public required DateTime Utc { get; init; }

    public required ProofMachine Machine { get; init; }

    /// <summary>The lines of the doctor: checks, then tests, in the order in which they were told.</summary>
    public required IReadOnlyList<ProofLine> Lines { get; init; }

    /// <summary>The delay that was provoked; null where that could not be tried.</summary>
    public required ProofDelay? Delay { get; init; }

    /// <summary>The blame of its trace; null without one.</summary>
    public required ProofBlame? Blame { get; init; }

    /// <summary>What our reader counts in the trace; null without one.</summary>
    public required ProofTally? Ours { get; init; }

    /// <summary>What Windows' own reader counts in it; null where it could not be asked.</summary>
    public required ProofTally? Windows { get; init; }

    /// <summary>Where the two differ; null where they could not be compared.</summary>
    public required IReadOnlyList<TallyDifference>? Differences { get; init; }

    static string IReport<ProofReport>.SchemaName => SchemaName;

    static JsonTypeInfo<ProofReport> IJsonRecord<ProofReport>.JsonType(bool indented) => ProofJson.In(indented).ProofReport;
}

/// <summary>Facts of a machine that bear upon its latencies; null is what the system does not tell.</summary>
public sealed record ProofMachine
{
    /// <summary>Build of Windows.</summary>
    public required int Build { get; init; }

    /// <summary>Architecture of the process: x64, arm64.</summary>
    public required string Architecture { get; init; }

    public required int Cpus { get; init; }

    /// <summary>Physical memory.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Version of Wine; null on Windows.</summary>
    public required string? Wine { get; init; }

    /// <summary>Vendor id of the hypervisor; null where there is none.</summary>
    public required string? Hypervisor { get; init; }

    /// <summary>Whether this is the hypervisor's root.</summary>
    public required bool IsHypervisorRoot { get; init; }

    /// <summary>Whether the time stamp counter runs at one rate.</summary>
    public required bool? InvariantTsc { get; init; }

    /// <summary>Rate of the performance counter in Hz.</summary>
    public required long QpcHz { get; init; }

    /// <summary>Period of the clock interrupt when nothing was changed, in units of 100 ns.</summary>
    public required uint? ClockPeriod100ns { get; init; }

    /// <summary>Sampling interval then, in units of 100 ns.</summary>
    public required uint? ProfileInterval100ns { get; init; }

    public required string? PowerPlan { get; init; }

    public required IReadOnlyList<string> Sessions { get; init; }

    /// <summary>State of our driver; null where it is not installed.</summary>
    public required string? Driver { get; init; }
}

/// <summary>One line of the doctor.</summary>
/// <param name="Type">check or test.</param>
/// <param name="Name">What was looked at or tried.</param>
/// <param name="Outcome">ok, warn, fail or skipped.</param>
/// <param name="Why">Why it matters; null where it is as it should be.</param>
/// <param name="Fix">What can be done; null where nothing is.</param>
public record ProofLine(string Type, string Name, string Outcome, string Finding, string? Why, string? Fix);

/// <summary>A delay that was provoked, and what was captured of it.</summary>
public sealed record ProofDelay
{
    /// <summary>Image name of the process that was in the way.</summary>
    public required string Process { get; init; }

    public required int Cpu { get; init; }

    /// <summary>How long it kept the CPU each time, in microseconds.</summary>
    public required double ProvokedUs { get; init; }

    public required int Times { get; init; }

    /// <summary>The latency that was captured of it; null where none was.</summary>
    public required double? CapturedUs { get; init; }

    /// <summary>File of the trace in the bundle; null without one.</summary>
    public required string? Trace { get; init; }
}

/// <summary>The blame of a trace, in short.</summary>
/// <param name="Verdict">As in tracer.blame/1.</param>
/// <param name="Culprit">The first culprit's name; null where there is none.</param>
/// <param name="Mechanism">How it did it; null likewise.</param>
/// <param name="Share">Its share of the late time; null likewise.</param>
/// <param name="Episodes">Episodes in the trace.</param>
public sealed record ProofBlame(string Verdict, string? Culprit, string? Mechanism, double? Share, int Episodes);

/// <summary>What a reader counts in a trace.</summary>
public sealed record ProofTally
{
    public required string Reader { get; init; }

    /// <summary>Events, those that tell of the file itself left out.</summary>
    public required long Events { get; init; }

    public required long Stacks { get; init; }

    public required long StackFrames { get; init; }

    /// <summary>Wake-ups that the probe logged, by the name of the event.</summary>
    public required long Wakeups { get; init; }

    /// <summary>Sum of their sequence numbers: the same wake-ups, not only as many.</summary>
    public required ulong WakeupSum { get; init; }

    /// <summary>Kinds of events, by key.</summary>
    public required IReadOnlyList<TallyClass> Classes { get; init; }
}

/// <summary>A kind of event and how often it is there.</summary>
/// <param name="Key">
/// GUID of provider or class, opcode or id, version: <c>GUID op 46 v2</c>, <c>GUID id 7 v0</c>; <c>GUID self-described v0</c>
/// for all events of a provider that bring their own description (TraceLogging).
/// </param>
public sealed record TallyClass(string Key, long Count);

/// <summary>Something that two readers count differently.</summary>
/// <param name="What">Key of a class, or wake-ups, their numbers, stacks, frames.</param>
public sealed record TallyDifference(string What, ulong Ours, ulong Windows);
