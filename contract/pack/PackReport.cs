using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// <c>versions.json</c> of a pack that <c>analyzer pack</c> wrote: what it holds, of which machine and which versions. Schema
/// <c>tracer.pack/1</c>; the same trace and options give the same bytes.
/// </summary>
public sealed record PackReport : IReport<PackReport>
{
    /// <summary>Value of <see cref="Schema"/>.</summary>
    public const string SchemaName = "tracer.pack/1";

    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>Version of the program that wrote it.</summary>
    public required string TracerVersion { get; init; }

    /// <summary>The trace of the pack: machine, build of Windows, CPUs, when.</summary>
    public required TraceSummary Trace { get; init; }

    /// <summary>What blame says of the whole recording.</summary>
    public required PackedVerdict Whole { get; init; }

    /// <summary>What blame says of the trace of the pack.</summary>
    public required PackedVerdict Part { get; init; }

    /// <summary>Episodes of the part, and how many are told otherwise than in the whole recording.</summary>
    public required PackedLaw Compared { get; init; }

    /// <summary>What was replaced; null where all names were kept.</summary>
    public required PackedRedaction? Redaction { get; init; }

    /// <summary>Every driver of the recording, or other image of the kernel, with its version.</summary>
    public required IReadOnlyList<DriverFile> Drivers { get; init; }

    static string IReport<PackReport>.SchemaName => SchemaName;

    static JsonTypeInfo<PackReport> IJsonRecord<PackReport>.JsonType(bool indented) => PackJson.In(indented).PackReport;
}

/// <summary>Who is to blame, in short.</summary>
/// <param name="Verdict">Who or what is to blame.</param>
/// <param name="Culprit">The name; null where nobody is.</param>
/// <param name="Episodes">How many episodes the verdict is drawn from.</param>
/// <param name="Worst">The longest latency; null where nothing was measured.</param>
public sealed record PackedVerdict(
    Verdict Verdict, string? Culprit, int Episodes, [property: JsonPropertyName("worstUs")] Duration? Worst);

/// <summary>How blame of the pack differs from blame of the same part of the whole recording.</summary>
/// <param name="ToldOtherwise">Those that are told otherwise.</param>
/// <param name="OwnerLeftBehind">Those of which an owner is no longer shown.</param>
public sealed record PackedLaw(int Episodes, int ToldOtherwise, int OwnerLeftBehind);

/// <summary>What was replaced in a pack, in numbers.</summary>
/// <param name="Names">How many names of each kind have another in their place: processes, users, folders.</param>
/// <param name="Texts">Command lines, user ids, packages and names of threads that were taken out.</param>
/// <param name="EmptiedRecords">Records of which only time, CPU and thread stay.</param>
/// <param name="LeftOutRecords">Records that were left out.</param>
public sealed record PackedRedaction(
    IReadOnlyDictionary<string, int> Names, long Texts, long EmptiedRecords, long LeftOutRecords);
