using System.Text.Json.Serialization;

using Tracer.Etl;

namespace Tracer.Contract;

/// <summary>The trace as a whole: the <c>trace</c> object of the blame and info reports.</summary>
public sealed record TraceSummary
{
    /// <summary>The path as the user gave it.</summary>
    public required string Path { get; init; }

    /// <summary>When the header event was logged, UTC; null where the header does not tell.</summary>
    public required DateTime? StartUtc { get; init; }

    /// <summary>
    /// Local time of the machine minus UTC at that moment, in minutes; absent where the header does not tell.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? UtcOffsetMinutes { get; init; }

    /// <summary>From the first event to the last; null where <see cref="Clock"/> is.</summary>
    [JsonPropertyName("durationUs")]
    public required Duration? Duration { get; init; }

    /// <summary>Which part of a longer trace this is; null where it is none (<c>analyzer slice</c>).</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SlicePart? Slice { get; init; }

    /// <summary>
    /// Logical processors of the machine; null where the trace has one stream for all of them, or its header could not be read.
    /// </summary>
    public required int? Cpus { get; init; }

    /// <summary>Build number of the operating system.</summary>
    public required int? OsBuild { get; init; }

    /// <summary>Pointer width of the kernel that wrote the trace: 32 or 64.</summary>
    public required int PointerBits { get; init; }

    /// <summary>
    /// The clock of the time stamps; null where the header could not be read or names none that is known: then nothing in the trace has
    /// a time or a length.
    /// </summary>
    [JsonConverter(typeof(KebabCaseConverter<TraceClockKind>))]
    public required TraceClockKind? Clock { get; init; }

    public required long Events { get; init; }

    /// <summary>Events that the writing system says it lost.</summary>
    public required long EventsLost { get; init; }

    /// <summary>Buffers that the writing system says it lost.</summary>
    public required long BuffersLost { get; init; }

    /// <summary>Buffers of the file that could not be read whole.</summary>
    public required long DamagedBuffers { get; init; }

    /// <summary>Whether the file ends before its writer meant it to.</summary>
    public required bool Truncated { get; init; }

    /// <summary>The machine the trace was recorded on, as far as the trace tells.</summary>
    public required MachineSummary Machine { get; init; }

    /// <summary>Which kinds of events the trace holds.</summary>
    public required RecordedKinds Has { get; init; }

    /// <summary>The interval of the timer-driven profile samples; null when unknown.</summary>
    [JsonPropertyName("sampleIntervalUs")]
    public required Duration? SampleInterval { get; init; }

    /// <summary>
    /// What the file tells and its own records disprove, and what counts instead: a sentence each; absent where nothing is.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<string>? Doubts { get; init; }
}

/// <summary>The part of a longer trace that a trace is, in times from the header event.</summary>
/// <param name="From">First moment that is judged; null where it is the start.</param>
/// <param name="To">Last moment that is judged; null where it is the end.</param>
/// <param name="KeptFrom">First moment of which all is there, with null as above; outside there is only what names things.</param>
/// <param name="KeptTo">Last moment of which all is there.</param>
public sealed record SlicePart(
    [property: JsonPropertyName("fromUs")] Duration? From,
    [property: JsonPropertyName("toUs")] Duration? To,
    [property: JsonPropertyName("keptFromUs")] Duration? KeptFrom,
    [property: JsonPropertyName("keptToUs")] Duration? KeptTo);

/// <summary>The machine, from the SystemConfig events of the trace.</summary>
public sealed record MachineSummary
{
    public string? Cpu { get; init; }

    /// <summary>Nominal processor speed in MHz.</summary>
    public int? Mhz { get; init; }

    /// <summary>Physical memory in MiB.</summary>
    public int? MemoryMb { get; init; }

    /// <summary>Whether a hypervisor runs below the operating system.</summary>
    public bool? Hypervisor { get; init; }

    /// <summary>Who made the machine, and what it is called; null where not recorded, and then left out.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Model { get; init; }

    /// <summary>Version and date of the firmware (BIOS, UEFI); null where not recorded, and then left out.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Firmware { get; init; }

    /// <summary>Network adapters, by description.</summary>
    public IReadOnlyList<string> Nics { get; init; } = [];

    /// <summary>Display adapters, by description.</summary>
    public IReadOnlyList<string> Video { get; init; } = [];

    /// <summary>Disks, by manufacturer and model.</summary>
    public IReadOnlyList<string> Disks { get; init; } = [];
}

/// <summary>
/// Which kinds of events a trace holds at least one of. False means not recorded; it does not mean that nothing happened.
/// </summary>
public sealed record RecordedKinds
{
    public required bool IsrDpc { get; init; }

    public required bool ContextSwitches { get; init; }

    public required bool ReadyThread { get; init; }

    /// <summary>Timer-driven profile samples.</summary>
    public required bool Samples { get; init; }

    public required bool Stacks { get; init; }

    /// <summary>Kernel images, so that addresses have modules.</summary>
    public required bool Images { get; init; }

    /// <summary>WDF callback events.</summary>
    public required bool Wdf { get; init; }

    public required bool DpcQueue { get; init; }

    /// <summary>Idle-state and frequency events.</summary>
    public required bool Power { get; init; }

    /// <summary>Wake-up events of our own provider.</summary>
    public required bool Wakeups { get; init; }
}
