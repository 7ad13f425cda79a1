using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// One trace of many in a line: schema <c>tracer.judged/1</c>, what <c>analyzer blame --summary</c> writes for each, those without an
/// answer too. Times in microseconds; unknown is null.
/// </summary>
public sealed record JudgedTrace : IReport<JudgedTrace>
{
    public const string SchemaName = "tracer.judged/1";

    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    /// <summary>The trace, as the command line names it.</summary>
    public required string Trace { get; init; }

    /// <summary>Why it could not be judged, such as a file that is no trace; null where it was read, with or without an answer.</summary>
    public required string? Problem { get; init; }

    public required DateTime? RecordedUtc { get; init; }

    /// <summary>Who or what is to blame; null where it could not be judged.</summary>
    public required Verdict? Verdict { get; init; }

    /// <summary>The first culprit; null where nobody is named.</summary>
    public required string? Culprit { get; init; }

    /// <summary>The device that it drives, by friendly name; null when unknown.</summary>
    public required string? Device { get; init; }

    /// <summary>The mechanism behind most of its time; null where nobody is named.</summary>
    public required Mechanism? Mechanism { get; init; }

    /// <summary>Its part of all over-threshold latency, 0 to 1.</summary>
    public required double? Share { get; init; }

    /// <summary>How sure that is.</summary>
    public required Confidence? Confidence { get; init; }

    /// <summary>The longest latency of any probe; null where nothing was measured.</summary>
    [JsonPropertyName("worstUs")]
    public required Duration? Worst { get; init; }

    /// <summary>Episodes that the verdict is drawn from.</summary>
    public required int Episodes { get; init; }

    /// <summary>How many of them are jobs that were done after their deadline.</summary>
    public required int DeadlinesMissed { get; init; }

    /// <summary>Glitches that Windows itself recorded.</summary>
    public required long Glitches { get; init; }

    static string IReport<JudgedTrace>.SchemaName => SchemaName;

    static JsonTypeInfo<JudgedTrace> IJsonRecord<JudgedTrace>.JsonType(bool indented) => BlameJson.In(indented).JudgedTrace;

    /// <summary>The line of a trace that was read.</summary>
    public static JudgedTrace Of(string trace, BlameReport report)
    {
        ArgumentNullException.ThrowIfNull(report);
        Culprit? first = report.Summary.Culprit is not null && report.Culprits is [{ } culprit, ..] ? culprit : null;
        return new()
        {
            Trace = trace,
            Problem = null,
            RecordedUtc = report.Trace.StartUtc,
            Verdict = report.Summary.Verdict,
            Culprit = report.Summary.Culprit,
            Device = first?.Device,
            Mechanism = first?.Mechanism,
            Share = first?.Share,
            Confidence = first?.Confidence,
            Worst = report.Summary.Worst,
            Episodes = report.Summary.Episodes,
            DeadlinesMissed = report.Episodes.Count(episode => episode is { Secondary: false, MissedDeadline: true }),
            Glitches = report.Summary.Glitches?.All ?? 0,
        };
    }

    /// <summary>The line of one that could not be judged.</summary>
    public static JudgedTrace Of(string trace, string problem) => new()
    {
        Trace = trace,
        Problem = problem,
        RecordedUtc = null,
        Verdict = null,
        Culprit = null,
        Device = null,
        Mechanism = null,
        Share = null,
        Confidence = null,
        Worst = null,
        Episodes = 0,
        DeadlinesMissed = 0,
        Glitches = 0,
    };
}
