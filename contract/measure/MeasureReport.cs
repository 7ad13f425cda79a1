using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>What <c>tracer measure</c> measured on a machine (docs/use/measure.md).</summary>
public sealed record MeasureReport : IReport<MeasureReport>
{
    public const string SchemaName = "tracer.measure/1";

    public string Schema { get; init; } = SchemaName;

    /// <summary>The measurement, as the command line names it.</summary>
    public required string Measurement { get; init; }

    /// <summary>What came out, one sentence.</summary>
    public required string Result { get; init; }

    public required MeasuredMachine Machine { get; init; }

    /// <summary>What was asked for, in the order of the help.</summary>
    public required IReadOnlyList<MeasureParameter> Parameters { get; init; }

    /// <summary>What of the system was set, read back and restored.</summary>
    public required IReadOnlyList<MeasureSetting> Settings { get; init; }

    [JsonPropertyName("elapsedUs")]
    public required Duration Elapsed { get; init; }

    /// <summary>Whether it was ended before its time.</summary>
    public required bool WasCutShort { get; init; }

    public required IReadOnlyList<MeasureFigure> Figures { get; init; }

    public required IReadOnlyList<MeasureTable> Tables { get; init; }

    public required IReadOnlyList<MeasureSeries> Series { get; init; }

    public required MeasureCost Cost { get; init; }

    /// <summary>What has to be known to read the numbers, one sentence each.</summary>
    public required IReadOnlyList<string> Notes { get; init; }

    static string IReport<MeasureReport>.SchemaName => SchemaName;

    static JsonTypeInfo<MeasureReport> IJsonRecord<MeasureReport>.JsonType(bool indented) => MeasureJson.In(indented).MeasureReport;
}

/// <summary>The machine that was measured. What is null the system does not tell.</summary>
public sealed record MeasuredMachine
{
    /// <summary>The operating system with its version.</summary>
    public required string System { get; init; }

    public required string? Processor { get; init; }

    /// <summary>Logical processors that the process may use.</summary>
    public required int Cpus { get; init; }

    /// <summary>What the system takes its time from.</summary>
    public required string? ClockSource { get; init; }

    /// <summary>Ticks of the counter that measures, in a second.</summary>
    public required long CounterHz { get; init; }

    /// <summary>From one clock interrupt to the next, where timers wait for them; null where timers have interrupts of their own.</summary>
    [JsonPropertyName("clockTickUs")]
    public required Duration? ClockTick { get; init; }

    /// <summary>How the processor's speed is chosen.</summary>
    public required string? PowerPolicy { get; init; }

    /// <summary>Whether it is a virtual machine.</summary>
    public required bool? IsVirtual { get; init; }
}

/// <summary>Something that was asked for.</summary>
/// <param name="Name">The option without its dashes.</param>
/// <param name="Value">Its value, as the command line takes it.</param>
public sealed record MeasureParameter(string Name, string Value);

/// <summary>Something of the system that was set for the measurement.</summary>
public sealed record MeasureSetting : IJsonRecord<MeasureSetting>
{
    public required string Name { get; init; }

    public required string Before { get; init; }

    public required string Wanted { get; init; }

    /// <summary>How it was while it measured, read back.</summary>
    public required string Got { get; init; }

    /// <summary>Why the system refused it; null where it is as wanted.</summary>
    public required string? Refusal { get; init; }

    /// <summary>Whether it was found as before when the measurement was over.</summary>
    public required bool IsRestored { get; init; }

    static JsonTypeInfo<MeasureSetting> IJsonRecord<MeasureSetting>.JsonType(bool indented) => MeasureJson.In(indented).MeasureSetting;

    /// <summary>Reads something that another process had set for a measurement.</summary>
    /// <exception cref="JsonException">The text is no JSON, or lacks or mistypes a field.</exception>
    public static MeasureSetting Read(ReadOnlySpan<byte> utf8) =>
        JsonSerializer.Deserialize(utf8, MeasureJson.In(indented: false).MeasureSetting)
        ?? throw new JsonException("A setting is expected, not null.");
}

/// <summary>A single number.</summary>
/// <param name="Unit">Its unit; empty for a count.</param>
public sealed record MeasureFigure(string Name, decimal Value, string Unit, string Meaning);

/// <summary>Numbers that belong together.</summary>
/// <param name="Columns">The columns of numbers.</param>
public sealed record MeasureTable(
    string Name, string Meaning, IReadOnlyList<MeasureColumn> Columns, IReadOnlyList<MeasureRow> Rows);

/// <summary>A column of a table.</summary>
/// <param name="Unit">The unit of its numbers; empty for counts.</param>
public sealed record MeasureColumn(string Name, string Unit);

/// <summary>A row of a table.</summary>
/// <param name="Values">A number for each column; null where there is none.</param>
public sealed record MeasureRow(string Name, IReadOnlyList<decimal?> Values);

/// <summary>A distribution of times.</summary>
public sealed record MeasureSeries
{
    public required string Name { get; init; }

    public required string Meaning { get; init; }

    public required long Count { get; init; }

    [JsonPropertyName("minUs")]
    public required Duration Minimum { get; init; }

    [JsonPropertyName("meanUs")]
    public required Duration Mean { get; init; }

    [JsonPropertyName("deviationUs")]
    public required Duration Deviation { get; init; }

    [JsonPropertyName("maxUs")]
    public required Duration Maximum { get; init; }

    /// <summary>50, 90, 99, 99.9, 99.99 and 99.999 %, in this order; null where fewer than one value lies beyond.</summary>
    public required IReadOnlyList<LatencyPercentile> Percentiles { get; init; }

    /// <summary>Counts in bins of powers of two of a microsecond; what is below 0 in bins that mirror them.</summary>
    public required IReadOnlyList<LatencyBin> Bins { get; init; }

    /// <summary>The greatest values with when they were.</summary>
    public required IReadOnlyList<MeasureWorst> Worst { get; init; }

    /// <summary>Values from 0 on, in nanoseconds: <see cref="HdrEncoding"/>.</summary>
    public required string Histogram { get; init; }

    /// <summary>Values below 0 with their sign turned; null where none can be.</summary>
    public required string? EarlyHistogram { get; init; }
}

/// <summary>One of the greatest values of a series.</summary>
/// <param name="At">When it was, from the start of the measurement.</param>
public sealed record MeasureWorst(
    [property: JsonPropertyName("atUs")] Duration At, [property: JsonPropertyName("us")] Duration Value);

/// <summary>What the measurement itself cost.</summary>
/// <param name="ClockReadNs">Reading the clock once, in nanoseconds: the least that can be told apart.</param>
/// <param name="CpuShare">CPU time of the process while it measured, by the time that passed: 1 is one CPU.</param>
/// <param name="AllocatedBytes">What measuring threads allocated meanwhile: 0, or collections may have disturbed them.</param>
public sealed record MeasureCost(decimal ClockReadNs, decimal RecordNs, decimal CpuShare, long AllocatedBytes);
