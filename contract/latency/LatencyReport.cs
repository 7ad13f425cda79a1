using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;

namespace Tracer.Contract;

/// <summary>
/// What <c>analyzer latency --format json</c> prints: schema <c>tracer.latency/1</c>. How late what waited was served, as distributions.
/// Times in microseconds; unknown is null. Reports of several traces, and of several machines, merge: <c>analyzer latency</c> reads them.
/// </summary>
public sealed record LatencyReport : IReport<LatencyReport>
{
    /// <summary>The schema that this record writes.</summary>
    public const string SchemaName = "tracer.latency/1";

    /// <summary>Always <see cref="SchemaName"/>.</summary>
    [JsonRequired]
    public string Schema { get; init; } = SchemaName;

    public required IReadOnlyList<TraceSummary> Traces { get; init; }

    /// <summary>The machines, as OSDI'99 Table 2 has them: one row for each property, one value for each trace.</summary>
    public required IReadOnlyList<SystemRow> System { get; init; }

    /// <summary>How long was measured, all traces together: from the first event to the last of each.</summary>
    [JsonPropertyName("measuredUs")]
    public required Duration Measured { get; init; }

    /// <summary>
    /// The distributions: first those of everything of a kind and source, then those of its parts, each with what it is of.
    /// </summary>
    public required IReadOnlyList<LatencyDistribution> Distributions { get; init; }

    /// <summary>The intervals between the wake-ups of periodic threads (Jones &amp; Regehr, Table 2).</summary>
    public required IReadOnlyList<CallbackIntervals> Callbacks { get; init; }

    /// <summary>
    /// How long ISRs and DPCs ran: by the texts of other programs among the inputs, and, beside them, by the traces; absent without a text.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<ToldRunTimes>? RunTimes { get; init; }

    /// <summary>What is forecast of longer times and of applications; absent where nobody asked.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<LatencyForecast>? Forecasts { get; init; }

    /// <summary>Whether the graph that was asked about fits; absent where nobody asked.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public GraphAdmission? Graph { get; init; }

    /// <summary>Measurements that are in no distribution.</summary>
    public required IReadOnlyList<LeftOutLatencies> LeftOut { get; init; }

    /// <summary>Which kinds of latency the traces do not allow, and what to record for them.</summary>
    public required IReadOnlyList<MissingLatency> Missing { get; init; }

    /// <summary>What limits the result, one sentence each.</summary>
    public IReadOnlyList<string> Warnings { get; init; } = [];

    static string IReport<LatencyReport>.SchemaName => SchemaName;

    static JsonTypeInfo<LatencyReport> IJsonRecord<LatencyReport>.JsonType(bool indented) => LatencyJson.In(indented).LatencyReport;

    static string? IReport<LatencyReport>.Problem(LatencyReport report) => LatencyReportCheck.Problem(report);
}

/// <summary>A row of the table of machines.</summary>
/// <param name="Values">One for each trace; null where the trace does not tell.</param>
public sealed record SystemRow(string Name, IReadOnlyList<string?> Values);

/// <summary>How the latencies of one kind and source, or of a part of them, are distributed.</summary>
public sealed record LatencyDistribution
{
    /// <summary>From where to where they count.</summary>
    public required LatencyKind Kind { get; init; }

    public required LatencySource Source { get; init; }

    /// <summary>Of what part; all of them where everything in it is null.</summary>
    public required LatencyPart Part { get; init; }

    public required long Count { get; init; }

    [JsonPropertyName("minUs")]
    public required Duration Minimum { get; init; }

    [JsonPropertyName("meanUs")]
    public required Duration Mean { get; init; }

    /// <summary>The standard deviation; its square is the variance. Of reports that do not have it, null until they are merged.</summary>
    [JsonPropertyName("deviationUs")]
    public Duration? Deviation { get; init; }

    [JsonPropertyName("maxUs")]
    public required Duration Maximum { get; init; }

    /// <summary>The sum of all.</summary>
    [JsonPropertyName("totalUs")]
    public required Duration Total { get; init; }

    /// <summary>50, 90, 99, 99.9, 99.99 and 99.999 %, in this order.</summary>
    public required IReadOnlyList<LatencyPercentile> Percentiles { get; init; }

    /// <summary>Counts in bins of powers of two of a microsecond, from the first that is not empty to the last.</summary>
    public required IReadOnlyList<LatencyBin> Bins { get; init; }

    /// <summary>All of it, in nanoseconds: <see cref="HdrEncoding"/>, as a histogram log of HdrHistogram has it.</summary>
    public required string Histogram { get; init; }
}

/// <summary>Of what part of the measurements a distribution is. What is null is not told apart.</summary>
public sealed record LatencyPart
{
    /// <summary>Everything of its kind and source.</summary>
    public static LatencyPart All { get; } = new();

    /// <summary>The file name of the trace.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Trace { get; init; }

    /// <summary>The logical processor that ran what had waited.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? Cpu { get; init; }

    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public int? Priority { get; init; }

    /// <summary>The group that the thread's priority is of.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public PriorityGroup? Group { get; init; }

    /// <summary>The process of the thread; empty where it is not known.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Process { get; init; }

    /// <summary>The workload: the mark that was set last before; empty before the first mark.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? Label { get; init; }

    /// <summary>
    /// What it tells apart, such as <c>process</c>, where these are all that are beyond the number of parts that are told apart.
    /// </summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public string? RestOf { get; init; }
}

/// <param name="Percent">How many percent of the measurements it is not exceeded by.</param>
/// <param name="Value">
/// The latency, as HdrHistogram defines it; null where fewer than one measurement lies beyond: then there are too few to tell.
/// </param>
/// <param name="Low">
/// Low end of its 95 % band by ranks (order statistics), of measurements that do not depend on each other; absent with null above.
/// </param>
/// <param name="High">High end of it; absent where only the longest could be it, beyond which nothing is known.</param>
public sealed record LatencyPercentile(
    decimal Percent,
    [property: JsonPropertyName("us")] Duration? Value,
    [property: JsonPropertyName("lowUs"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] Duration? Low = null,
    [property: JsonPropertyName("highUs"), JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] Duration? High = null);

/// <summary>A bin of a distribution.</summary>
/// <param name="To">Its end, which does not.</param>
public sealed record LatencyBin(
    [property: JsonPropertyName("fromUs")] Duration From, [property: JsonPropertyName("toUs")] Duration To, long Count);

/// <summary>
/// The intervals between the wake-ups of a periodic thread, as Jones &amp; Regehr's Table 2 has those between the callbacks of a timer.
/// </summary>
public sealed record CallbackIntervals
{
    public required LatencySource Source { get; init; }

    /// <summary>The file name of the trace.</summary>
    public required string Trace { get; init; }

    /// <summary>The process; null where it is not known.</summary>
    public required string? Process { get; init; }

    public required uint Tid { get; init; }

    /// <summary>The period that the thread keeps.</summary>
    [JsonPropertyName("periodUs")]
    public required Duration Period { get; init; }

    /// <summary>Number of intervals.</summary>
    public required long Count { get; init; }

    [JsonPropertyName("minUs")]
    public required Duration Minimum { get; init; }

    [JsonPropertyName("meanUs")]
    public required Duration Mean { get; init; }

    [JsonPropertyName("maxUs")]
    public required Duration Maximum { get; init; }

    [JsonPropertyName("deviationUs")]
    public required Duration Deviation { get; init; }

    /// <summary>
    /// How many times it did what it woke up for, from when it should have run until it waited for its next turn; null where the records
    /// do not tell.
    /// </summary>
    public long? Jobs { get; init; }

    /// <summary>How many of these were done after the deadline that the thread had set itself, else after its next beat.</summary>
    public long? Missed { get; init; }

    /// <summary>How many of these had a deadline that the thread had set itself; absent for 0.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)]
    public long OwnDeadlines { get; init; }

    /// <summary>The longest of them.</summary>
    [JsonPropertyName("worstResponseUs")]
    public Duration? WorstResponse { get; init; }

    /// <summary>Bins of one width, those that are not empty.</summary>
    public required IReadOnlyList<LatencyBin> Bins { get; init; }

    /// <summary>From one clock tick to the next while it was measured; null where the trace does not tell.</summary>
    [JsonPropertyName("clockUs")]
    public required Duration? Clock { get; init; }

    /// <summary>How timer and clock beat against each other, one sentence; null where they do not.</summary>
    public required string? Beat { get; init; }
}

/// <summary>Measurements that are in no distribution.</summary>
/// <param name="Kind">Of which kind; null where that is not known.</param>
public sealed record LeftOutLatencies(LatencyLeftOut Why, LatencyKind? Kind, long Count);

/// <summary>A kind of latency that none of the traces allows.</summary>
/// <param name="Why">What is missing and what to record, one sentence.</param>
public sealed record MissingLatency(LatencyKind Kind, string Why);
