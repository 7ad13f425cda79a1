using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>A paper's figures beside those of a machine: <c>tracer measure all</c> (docs/use/measure.md).</summary>
public sealed record MeasureSummary : IReport<MeasureSummary>
{
    public const string SchemaName = "tracer.measure.summary/1";

    public string Schema { get; init; } = SchemaName;

    /// <summary>The profile, as the command line names it.</summary>
    public required string Profile { get; init; }

    /// <summary>Authors, title and year of the paper.</summary>
    public required string Paper { get; init; }

    public required string PaperMachine { get; init; }

    /// <summary>The figures, in the order of the paper.</summary>
    public required IReadOnlyList<PaperRow> Rows { get; init; }

    /// <summary>What of the paper is left out, and why, one sentence each.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    /// <summary>What was measured for them, in this order.</summary>
    public required IReadOnlyList<MeasureReport> Reports { get; init; }

    static string IReport<MeasureSummary>.SchemaName => SchemaName;

    static JsonTypeInfo<MeasureSummary> IJsonRecord<MeasureSummary>.JsonType(bool indented) => MeasureJson.In(indented).MeasureSummary;
}

/// <summary>A figure of a paper, and that of a machine.</summary>
/// <param name="Published">What the paper says, in the paper's digits.</param>
/// <param name="Measured">What was measured; null where the machine has nothing like it, or too little was measured.</param>
/// <param name="Unit">The unit of both; empty for counts.</param>
public sealed record PaperRow(string Place, string What, string Published, decimal? Measured, string Unit);
